// Compares the queue of due items with a list that is searched: items leave in the order of their times, and items of
// the same time in the order of their addition.

import t from 'tap';
import { type DueItem, DueQueue } from '../../../../src/net/relay/due-queue.js';
import { fc } from '../../../framework/fast-check.js';

interface Item extends DueItem {
  readonly id: number;
}

const item = (id: number, dueMs: number): Item => ({ id, dueMs, lane: null, before: null, after: null });

t.test('returns the item with the earliest due time, as a searched list does', (t) => {
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom(0, 2_000, 4_000, 60_000), pass: fc.integer({ min: -500, max: 1_000 }) }),
    fc.record({ remove: fc.nat() }),
    fc.record({ take: fc.integer({ min: 0, max: 3 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new DueQueue<Item>();
      const list: Item[] = [];
      let now = 0;
      let id = 0;
      const drop = (one: Item): void => {
        list.splice(list.indexOf(one), 1);
        queue.remove(one);
        if (one.lane !== null || one.before !== null || one.after !== null) throw new Error('it holds on to others');
      };
      for (const one of steps) {
        if ('add' in one) {
          // The clock is sometimes set back.
          now += one.pass;
          const next = item(id++, now + one.add);
          list.push(next);
          queue.add(next);
        } else if ('remove' in one) {
          if (list.length > 0) drop(list[one.remove % list.length] as Item);
        } else {
          for (let i = 0; i < one.take && list.length > 0; i++) {
            const first = queue.peek() as Item;
            if (first.dueMs !== Math.min(...list.map(({ dueMs }) => dueMs))) throw new Error('another is due before');
            drop(first);
          }
        }
        if (queue.size !== list.length) throw new Error('some are lost');
      }
      while (list.length > 0) {
        const first = queue.peek() as Item;
        if (first.dueMs !== Math.min(...list.map(({ dueMs }) => dueMs))) throw new Error('another is due before');
        drop(first);
      }
      return queue.peek() === undefined;
    }),
    { numRuns: 500 },
  );
  t.end();
});

t.test('returns items of the same due time in order of addition, and ignores repeated removals', (t) => {
  const queue = new DueQueue<Item>();
  const items = [5, 3, 5, 3, 5].map((dueMs, id) => item(id, dueMs));
  for (const one of items) queue.add(one);
  const order: number[] = [];
  for (let first = queue.peek(); first !== undefined; first = queue.peek()) {
    order.push(first.id);
    queue.remove(first);
    queue.remove(first);
  }
  t.same(order, [1, 3, 0, 2, 4]);
  t.equal(queue.size, 0);
  t.end();
});
