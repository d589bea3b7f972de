// Eight nodes on one machine: more blocks, more transactions, a reorganisation of 200 blocks. Prints what each step
// took.
//
//   npm run mesh -- [--nodes=8] [--blocks=2000] [--transactions=4000] [--reorg=200] [--minutes=15]
//
// Nodes have small caches and one verification thread each; on a machine with other work run it under nice. Exit status
// 1 when the nodes disagree at any step, or when the minutes are over.
import os from 'node:os';
import { parseArgs } from 'node:util';
import { runMesh } from './mesh-run.js';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '8' },
    blocks: { type: 'string', default: '2000' },
    transactions: { type: 'string', default: '4000' },
    reorg: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '15' },
  },
});
const nodes = Number(values.nodes);
const blocks = Number(values.blocks);
const transactions = Number(values.transactions);
const reorg = Number(values.reorg);
const minutes = Number(values.minutes);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const timer = setTimeout(() => {
  say('the time is over');
  process.exit(1);
}, minutes * 60_000);
say(`load ${os.loadavg()[0]?.toFixed(2)} on ${os.cpus().length} cores`);
const report = await runMesh({ nodes, blocks, transactions, reorg, tell: say });
clearTimeout(timer);
say(`height ${report.height}, ${report.left} transactions were left; load ${os.loadavg()[0]?.toFixed(2)}`);
for (const fault of report.faults) say(`FAULT ${fault}`);
say(report.faults.length === 0 ? 'all agree' : `${report.faults.length} faults`);
process.exit(report.faults.length === 0 ? 0 : 1);
