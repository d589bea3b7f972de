// Turns of the link: what throws in one of them ends no row of turns.
import t from 'tap';
import { TickLoop } from '../../../src/link/tick-loop.js';

t.test('continues after work that throws, and starts again for later work', async (t) => {
  const done: number[] = [];
  const queue = [1, 2, 3];
  const turns = new TickLoop(() => {
    const next = queue.shift();
    if (next === 2) throw new Error('two');
    if (next !== undefined) done.push(next);
    return queue.length > 0;
  });
  const thrown: unknown[] = [];
  const note = (error: unknown) => thrown.push(error);
  // tap listens too, and would take it for the test's.
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', note);
  t.teardown(() => {
    process.off('uncaughtException', note);
    for (const other of others) process.on('uncaughtException', other);
  });
  turns.startTicks();
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
  t.same(done, [1, 3]);
  t.match(thrown, [{ message: 'two' }]);
  t.equal(turns.underWay, false);
  queue.push(4);
  turns.startTicks();
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  t.same(done, [1, 3, 4]);
});
