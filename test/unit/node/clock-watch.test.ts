// Messages when the clock falls behind the chain, and when it has caught up.
import t from 'tap';
import { silentLogger } from '../../../src/log/logger.js';
import { ClockWatch } from '../../../src/node/clock-watch.js';
import { TestClock } from '../../framework/chain-fixture.js';

t.test('reports each change once to the log, the alert and the work, and warns while the clock is behind', async (t) => {
  const lines: string[] = [];
  const alerts: string[] = [];
  let behind = false;
  let changes = 0;
  const work = {
    get clockBehind() {
      return behind;
    },
    clockChanged: () => void changes++,
    clockSet: () => t.fail('the clock was not set'),
  };
  const log = {
    ...silentLogger,
    warn: (line: string) => void lines.push(`warn ${line}`),
    info: (line: string) => void lines.push(`info ${line}`),
  };
  const watch = new ClockWatch(new TestClock(), work, log, (text) => void alerts.push(text));
  t.equal(watch.checkClock(), false);
  t.equal(watch.text, '');
  t.same([lines, alerts, changes], [[], [], 0]);
  behind = true;
  t.match(watch.text, /^The clock of this machine is more than two hours behind the chain\. /, 'a call that shows warnings is enough');
  t.equal(watch.checkClock(), true);
  t.same(alerts, [watch.text]);
  t.same([lines, changes], [[`warn ${watch.text}`], 1]);
  behind = false;
  t.equal(watch.checkClock(), false);
  t.equal(watch.text, '');
  t.match(lines[1], /^info .* makes templates again/);
  t.same([lines.length, alerts.length, changes], [2, 1, 2]);
});

t.test('reports a clock that was set, and neither slow drift nor a clock behind the chain', async (t) => {
  let seconds = 1_000_000;
  let milliseconds = 0;
  let set = 0;
  const clock = { nowSeconds: () => seconds, nowMs: () => 0, monotonicMs: () => milliseconds };
  const work = { clockBehind: false, clockChanged: () => {}, clockSet: () => void set++ };
  const watch = new ClockWatch(clock, work, silentLogger, () => {});
  const pass = (wall: number, monotonic: number): void => {
    seconds += wall;
    milliseconds += monotonic * 1000;
    watch.checkClock();
  };
  for (let i = 0; i < 100; i++) pass(11, 10);
  for (let i = 0; i < 100; i++) pass(0, 10);
  t.equal(set, 0, 'drift, and a clock that stands still');
  pass(3600, 1);
  t.equal(set, 1, 'forward');
  pass(1, 1);
  pass(-3600, 1);
  t.equal(set, 2, 'back');
  work.clockBehind = true;
  pass(-86_400, 1);
  t.equal(set, 2, 'behind the chain, there is no work');
});
