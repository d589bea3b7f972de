// Messages when the clock falls behind the chain, and when it has caught up.
import t from 'tap';
import { silentLogger } from '../../../src/log/logger.js';
import { ClockWatch } from '../../../src/node/clock-watch.js';

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
  };
  const log = {
    ...silentLogger,
    warn: (line: string) => void lines.push(`warn ${line}`),
    info: (line: string) => void lines.push(`info ${line}`),
  };
  const watch = new ClockWatch(work, log, (text) => void alerts.push(text));
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
