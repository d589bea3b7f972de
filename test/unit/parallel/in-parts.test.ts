// Tests lists that jobs process in parts, and results that do not match their request.
import t from 'tap';
import { inParts } from '../../../src/parallel/in-parts.js';

const LIST = [1, 2, 3, 4, 5];

t.test('inParts asks again for the rest of a list until all items are answered', async (t) => {
  const asked: number[][] = [];
  const lengths = [2, 1, 2];
  const run = async (rest: readonly number[]): Promise<number[]> => {
    asked.push([...rest]);
    return rest.slice(0, lengths.shift()).map((n) => 10 * n);
  };
  t.same(await inParts(LIST, run), [10, 20, 30, 40, 50]);
  t.same(asked, [LIST, [3, 4, 5], [4, 5]]);
  t.same(await inParts([], run), []);
});

t.test('inParts rejects a reply for no items or for more items than were asked', async (t) => {
  await t.rejects(
    inParts(LIST, async () => []),
    { message: 'A job of 5 items answered for 0' },
  );
  let job = 0;
  await t.rejects(
    inParts(LIST, async () => (++job === 1 ? [1, 2] : [3, 4, 5, 6])),
    { message: 'A job of 3 items answered for 4' },
  );
});
