// SerialQueue: jobs one after the other, whatever becomes of them.
import t from 'tap';
import { SerialQueue } from '../../../src/lib/serial-queue.js';

t.test('the queue runs one thing at a time, in order, whatever fails', async (t) => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const job = (name: string, fails = false) =>
    queue.run(async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([job('a'), job('b', true), job('c')]);
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.same(log, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  t.equal(queue.size, 0);
});
