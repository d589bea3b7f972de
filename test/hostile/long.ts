// A node under attack, for as long as wanted: prints a line for each attack, then what all of them did together.
//
//   npm run hostile            HOSTILE_SECONDS=600 HOSTILE_LANES=20 HOSTILE_ONLY=inv-flood,ping-flood HOSTILE_OPTIONS=-compat=31
//
// Times are milliseconds, median/p99 or the most. Exit status 1 when a block or transaction of the honest got lost, or
// the node did.
import os from 'node:os';
import { phaseLine, runHostile } from './hostile-run.js';

const seconds = Number(process.env.HOSTILE_SECONDS ?? 600);
const lanes = Number(process.env.HOSTILE_LANES ?? 20);
const only = process.env.HOSTILE_ONLY?.split(',');
const victimOptions = process.env.HOSTILE_OPTIONS?.split(' ') ?? [];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

say(`${seconds} s, ${lanes} connections an attack, ${os.cpus().length} cores, load ${os.loadavg()[0]?.toFixed(2)}`);
const report = await runHostile({
  seconds,
  short: false,
  blocks: 2_500,
  lanesAlone: lanes,
  lanesTogether: Math.max(2, Math.ceil(lanes / 4)),
  connections: 1_000,
  victimOptions,
  tell: say,
  ...(only ? { only } : {}),
});
say('\nwhat the attackers did (connections, refused, ended by the node, messages, MB):');
for (const { name, counts } of report.phases)
  for (const [attack, { connected, refused, ended, messages, bytes }] of Object.entries(counts))
    say(`  ${name.padEnd(18)} ${attack.padEnd(18)} ${connected} ${refused} ${ended} ${messages} ${(bytes / 1e6).toFixed(1)}`);
say(`\n${report.blocks} blocks and ${report.transactions} transactions of the honest`);
say(
  `most memory of the node ${(report.mostMemory / 2 ** 20).toFixed(0)} MB; ${report.logLines} lines in its log; load ${report.load.toFixed(2)}`,
);
for (const line of report.logErrors.slice(0, 50)) say(`log: ${line}`);
for (const phase of report.phases.filter(({ name }) => /quiet|all at once/.test(name))) say(phaseLine(phase));
for (const fault of report.faults.slice(0, 50)) say(`FAULT ${fault}`);
say(report.faults.length === 0 ? 'no faults' : `${report.faults.length} faults`);
process.exit(report.faults.length === 0 ? 0 : 1);
