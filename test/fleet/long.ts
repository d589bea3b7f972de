// A fleet of nodes, fronts and nats-servers on one machine, to which everything happens for half an hour: processes are
// killed, ended, paused, parted from each other, slowed, and their clocks are wrong, while miners on all fronts wait
// for work and find blocks. What is checked: judge.ts.
//
//   npm run fleet -- [--minutes=30] [--seed=1] [--servers=3] [--nodes=3] [--fronts=3] [--polls=8] [--bound=6000]
//
// --bound: milliseconds that a front with a whole way to a node may be behind it (-fleettimeout is 2000; the rest is
// for a busy machine). Exit status 1 when something that was promised did not hold.
import os from 'node:os';
import { parseArgs } from 'node:util';
import { noBroker } from '../framework/fleet.js';
import { runFleet } from './run.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    servers: { type: 'string', default: '3' },
    nodes: { type: 'string', default: '3' },
    fronts: { type: 'string', default: '3' },
    polls: { type: 'string', default: '8' },
    bound: { type: 'string', default: '6000' },
  },
});
if (noBroker) {
  process.stdout.write(`${noBroker.skip}\n`);
  process.exit(1);
}
const began = performance.now();
const tell = (line: string): void => void process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} ${line}\n`);
tell(`load ${os.loadavg()[0]?.toFixed(2)} on ${os.cpus().length} cores; seed ${values.seed}`);
const faults = await runFleet({
  servers: Number(values.servers),
  nodes: Number(values.nodes),
  fronts: Number(values.fronts),
  polls: Number(values.polls),
  seed: Number(values.seed),
  runMs: Number(values.minutes) * 60_000,
  boundMs: Number(values.bound),
  settleMs: 4_000,
  lanes: 2,
  longestMs: 6_000,
  pauseMs: 6_000,
  blockMs: 4_000,
  callMs: 400,
  tell,
});
for (const fault of faults) tell(`FAULT ${fault}`);
tell(`load ${os.loadavg()[0]?.toFixed(2)}; ${faults.length === 0 ? 'everything held' : `${faults.length} faults`}`);
process.exit(faults.length === 0 ? 0 : 1);
