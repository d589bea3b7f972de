// Recurring tasks: one that throws.
import t from 'tap';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { Scheduler } from '../../../src/lib/scheduler.js';

t.test('keeps running all tasks after one threw', async (t) => {
  const errors: string[] = [];
  const ran: string[] = [];
  const guard = new ListenerGuard({ error: (message) => void errors.push(message) });
  const scheduler = new Scheduler(guard);
  t.teardown(() => scheduler.close());
  scheduler.every(1_000_000, () => {
    ran.push('first');
    throw new Error('no');
  });
  scheduler.every(1_000_000, () => void ran.push('second'));
  scheduler.advance(1_000);
  scheduler.advance(1_000);
  t.same(ran, ['first', 'second', 'first', 'second']);
  t.equal(guard.failures.get('recurring task'), 2);
  t.match(errors[0], /^The listener "recurring task" failed\. .* Error: no\n/);
});
