// Tests the queue of small transactions: this thread signs one per event-loop tick, other threads sign equal shares of
// a long queue, and each transaction is answered once.
import t from 'tap';
import { SigningQueue, type SigningQueueDeps } from '../../../src/parallel/signing-queue.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
// Queues of one thread share their event-loop ticks, so wait until those of one test have ended.
t.afterEach(async () => {
  for (let i = 0; i < 60; i++) await turn();
});

interface Share {
  readonly works: readonly number[];
  readonly end: (made: readonly string[]) => void;
  readonly fail: () => void;
}

/**
 * Makes a queue whose shares are collected in a list, and records the result of each item: made by another thread, or
 * null.
 */
function lineOf(deps: Partial<SigningQueueDeps<number, string>> = {}) {
  const shares: Share[] = [];
  const answers = new Map<number, string | null>();
  const line = new SigningQueue<number, string>({
    mostShares: 1,
    shareUs: 4_000,
    canPost: () => true,
    post: (works) => new Promise((end, reject) => shares.push({ works, end, fail: () => reject(new Error('a thread died')) })),
    ...deps,
  });
  const wait = (from: number, to: number, us = 240): void => {
    for (let work = from; work <= to; work++) void line.enqueue(work, us).then((made) => answers.set(work, made));
  };
  return { shares, answers, wait };
}

t.test('signs a short queue inline, one entry per tick', async (t) => {
  const { shares, answers, wait } = lineOf();
  wait(1, 3);
  for (const count of [1, 2, 3]) {
    await turn();
    t.equal(answers.size, count);
  }
  t.same([...answers.values(), shares.length], [null, null, null, 0]);
  wait(4, 4);
  await turn();
  t.equal(answers.get(4), null, 'the queue starts over');
});

t.test('sends half of a long queue to a thread while it signs the rest inline', async (t) => {
  const { shares, answers, wait } = lineOf();
  wait(1, 8);
  await turn();
  t.same(shares[0].works, [2, 3, 4, 5], 'the next entries');
  for (let i = 0; i < 3; i++) await turn();
  t.same(
    [...answers],
    [1, 6, 7, 8].map((work) => [work, null]),
  );
  wait(9, 20);
  await turn();
  t.equal(shares.length, 1, 'no second one meanwhile');
  shares[0].end(['b', 'c', 'd', 'e']);
  await turn();
  t.same(
    [2, 3, 4, 5].map((work) => answers.get(work)),
    ['b', 'c', 'd', 'e'],
  );
  await turn();
  t.same(shares[1].works.length, 5);
});

t.test('sends every free thread as many entries as it signs inline', async (t) => {
  const { shares, wait } = lineOf({ mostShares: 3 });
  wait(1, 13);
  await turn();
  t.same(
    shares.map(({ works }) => works),
    [
      [2, 3, 4],
      [5, 6, 7],
      [8, 9, 10],
    ],
  );
});

t.test('limits a share to the time that it may take', async (t) => {
  const { shares, wait } = lineOf();
  wait(1, 40, 1_000);
  await turn();
  t.same(shares[0].works, [2, 3, 4, 5]);
});

for (const [name, us, canPost] of [
  ['signs an entry that alone exceeds the share time inline', 5_000, true],
  ['sends no share to a full pool', 240, false],
] as const) {
  t.test(name, async (t) => {
    const { shares, answers, wait } = lineOf({ canPost: () => canPost });
    wait(1, 9, us);
    for (let i = 0; i < 9; i++) await turn();
    t.same([shares.length, answers.size], [0, 9]);
  });
}

t.test('signs a failed share inline', async (t) => {
  const { shares, answers, wait } = lineOf();
  wait(1, 5);
  await turn();
  t.same(shares[0].works, [2, 3]);
  shares[0].fail();
  for (let i = 0; i < 3; i++) await turn();
  t.same([...answers.keys()].sort(), [1, 2, 3, 4, 5]);
  t.ok([...answers.values()].every((made) => made === null));
  wait(6, 9);
  await turn();
  t.same(shares[1].works, [7, 8], 'and the next share goes again');
});
