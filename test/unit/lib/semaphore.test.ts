// Semaphore: how many run, in which order, and what a shut one holds back.
import t from 'tap';
import { Semaphore } from '../../../src/lib/semaphore.js';

t.test('runs waiting calls before a newer one when it opens again', async (t) => {
  let shut = true;
  const reads = new Semaphore(2, () => shut);
  const entered: number[] = [];
  const open: (() => void)[] = [];
  const enter = (n: number) =>
    reads.run(() => {
      entered.push(n);
      return new Promise<void>((resolve) => open.push(resolve));
    });
  const all = [1, 2, 3].map(enter);
  t.same(entered, []);
  shut = false;
  // A slot is free again, but retry() has not been called yet.
  all.push(enter(4));
  await new Promise(setImmediate);
  t.same(entered, [], 'the first that waits goes first');
  reads.retry();
  await new Promise(setImmediate);
  t.same(entered, [1, 2]);
  open[1]?.();
  await new Promise(setImmediate);
  t.same(entered, [1, 2, 3]);
  open[0]?.();
  await new Promise(setImmediate);
  t.same(entered, [1, 2, 3, 4]);
  for (const one of open) one();
  await Promise.all(all);
});

t.test('runs a limited number of calls in order, and none while it is shut', async (t) => {
  let shut = false;
  const reads = new Semaphore(2, () => shut);
  const open: (() => void)[] = [];
  const entered: number[] = [];
  const enter = (n: number) =>
    reads.run(() => {
      entered.push(n);
      return new Promise<void>((resolve) => open.push(resolve));
    });
  const all = [1, 2, 3, 4].map(enter);
  t.same(entered, [1, 2]);
  shut = true;
  open[0]?.();
  await all[0];
  t.same(entered, [1, 2], 'shut');
  shut = false;
  reads.retry();
  await new Promise(setImmediate);
  t.same(entered, [1, 2, 3]);
  open[1]?.();
  await all[1];
  await new Promise(setImmediate);
  t.same(entered, [1, 2, 3, 4]);
  for (const one of open) one();
  await Promise.all(all);
  await t.rejects(reads.run(() => Promise.reject(new Error('x'))));
  await reads.run(async () => entered.push(5));
  t.equal(entered.at(-1), 5, 'a failure frees its slot');
});
