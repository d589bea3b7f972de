// How late an event loop was at most.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { LAG_STEP_MS, LoopLag } from '../../../src/lib/loop-lag.js';

const HELD_MS = 4 * LAG_STEP_MS;

t.test('measures how late the event loop was, and starts over at each call', async (t) => {
  const lag = new LoopLag();
  lag.mostMs();
  const start = performance.now();
  while (performance.now() < start + HELD_MS);
  await sleep(LAG_STEP_MS);
  const most = lag.mostMs();
  const passed = performance.now() - start;
  t.ok(most >= HELD_MS - LAG_STEP_MS - 1, `${most} ms, right after it was read`);
  t.ok(most <= passed, `${most} ms of ${passed}: the step itself is not counted`);
  t.ok(lag.mostMs() < most, 'each call starts over');
  lag.close();
});
