// A short form of `npm run fleet`: failures of a fleet's processes and connections, and the guarantees that hold
// nevertheless. The test does not check times, because the machine may be busy. Skipped if nats-server is not
// installed.
import t from 'tap';
import { runFleet } from '../fleet/run.js';
import { rounds } from '../framework/depth.js';
import { noBroker } from '../framework/fleet.js';
import { PATIENCE_MS } from '../framework/until.js';

t.test('recovers from every kind of fleet failure', noBroker || {}, async (t) => {
  const faults = await runFleet({
    servers: 1,
    nodes: 2,
    fronts: 2,
    polls: 3,
    seed: rounds(7, Date.now() % 1_000_000),
    runMs: rounds(12_000, 120_000),
    boundMs: PATIENCE_MS,
    settleMs: 0,
    lanes: 2,
    longestMs: 1_500,
    pauseMs: 1_000,
    blockMs: 1_500,
    callMs: 150,
    tell: (line) => t.comment(line),
  });
  t.same(faults, []);
});
