// SerialQueue: jobs one after the other, whatever becomes of them.
import t from 'tap';
import { SerialQueue } from '../../../src/lib/serial-queue.js';

t.test('runs one job at a time, in order, even after a failure', async (t) => {
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

t.test('runNow starts a job in the same tick when the queue is idle, and keeps the order', async (t) => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const job =
    (name: string, fails = false) =>
    async (): Promise<void> => {
      log.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      if (fails) throw new Error(name);
    };
  const first = queue.runNow(job('a', true));
  t.same(log, ['a']);
  const others = [queue.run(job('b')), queue.runNow(job('c'))];
  t.same(log, ['a'], 'what is running is waited for');
  t.equal(queue.size, 3);
  await t.rejects(first, { message: 'a' });
  await Promise.all(others);
  t.same(log, ['a', 'b', 'c']);
  t.equal(queue.size, 0);
  const last = queue.runNow(job('d'));
  t.same(log.at(-1), 'd');
  await last;
});
