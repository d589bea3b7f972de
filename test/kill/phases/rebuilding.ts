// Kills during -reindex and -reindex-chainstate: at any moment from the start of the process to the end of the work,
// also of the work that the next start takes up. After each kill a start without options has to come to the same node.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlockTree } from '../../framework/block-tree.js';
import { coinFigures } from '../../framework/coin-figures.js';
import { Daemon } from '../../framework/daemon.js';
import { KillMiner } from '../../framework/kill-miner.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import {
  count,
  emptyReport,
  finish,
  inspect,
  killWhileStarting,
  LEAN,
  logged,
  type Phase,
  putAway,
  type RoundPlan,
  type RoundReport,
  StartMeter,
} from './phase.js';

/** Blocks of the chain that is rebuilt, branches included. */
const BLOCKS = 260;
/**
 * Lines after which something is under way that a kill may cut short, by option; kills are aimed at the time behind one
 * of them.
 */
const STAGES: Record<string, readonly string[]> = {
  '-reindex': ['removing the database', 'reading the block files', 'reading the block files', 'Connecting ', 'Connecting '],
  '-reindex-chainstate': ['removing all coins', 'Verifying', 'Connecting ', 'Connecting '],
  '': ['init message', 'Connecting ', 'reading the block files'],
};
/** Longest time between such a line and the kill. */
const STAGE_MS = 150;

const digest = (file: string): string => createHash('sha256').update(fs.readFileSync(file)).digest('hex');

/** Starts, waits for a line of the log or the end of all work, and kills a moment later. */
async function killBehind(node: Daemon, phrase: string, delayMs: number, ...options: string[]): Promise<void> {
  const [before, done] = [logged(node, phrase), logged(node, 'Done loading')];
  const started = node.up(...options).catch(() => {});
  while (logged(node, phrase) === before && logged(node, 'Done loading') === done && node.exit === undefined) await sleep(1);
  await sleep(delayMs);
  await node.kill();
  await started;
}

async function round(plan: RoundPlan): Promise<RoundReport> {
  const random = pseudoRandom(plan.seed);
  const report = emptyReport();
  const tree = new BlockTree(pseudoRandom(plan.seed + 1_000_000), 1_400_000_000);
  const node = await Daemon.start(...LEAN, '-dbcache=4', '-dbbatchsize=3000');
  const meter = new StartMeter();
  try {
    const miner = new KillMiner(node, tree, { reorganise: 10, invalidate: 0, transactions: 4 });
    if (!(await miner.feed(() => miner.acknowledged.length >= BLOCKS))) throw new Error('the run-up failed');
    const expected = JSON.stringify(await coinFigures(node));
    await node.stop();
    const blk = path.join(node.networkDir, 'blocks', 'blk00000.dat');
    const bytes = digest(blk);
    /** From the start of a process to the end of its rebuilding. */
    let wholeMs = 1_500;
    for (let kill = 1; kill <= plan.kills && !plan.enough(); kill++) {
      const way = random();
      // A third of the kills falls into what the start after a kill takes up by itself.
      const options = way < 0.4 ? ['-reindex'] : way < 0.7 ? ['-reindex-chainstate'] : [];
      const last = kill === plan.kills || random() < 0.67;
      const stages = STAGES[options[0] ?? '']!;
      if (random() < 0.3) await killWhileStarting(node, random() * wholeMs, ...options);
      else await killBehind(node, stages[Math.floor(random() * stages.length)]!, random() * STAGE_MS, ...options);
      count(report.kills, options[0] ?? 'going on');
      if (!last) continue;
      const begin = performance.now();
      await meter.upLoaded(node);
      const wrong = await inspect(node, miner, { exactTip: false, walk: true });
      const found = JSON.stringify(await coinFigures(node));
      if (found !== expected) wrong.push(`coins ${found}, not ${expected}`);
      if (digest(blk) !== bytes) wrong.push('the block file changed');
      report.checks++;
      for (const fault of wrong) report.faults.push(`kill ${kill}: ${fault}`);
      if (wrong.length > 0) break;
      wholeMs += (performance.now() - begin - wholeMs) / 4;
      // Another kill, of a daemon at rest; it is not counted.
      await node.kill();
    }
    if (report.faults.length > 0) return report;
    for (const [figure, phrase] of [
      ['databases removed', 'removing the database'],
      ['scans', 'reading the block files'],
      ['coins removed', 'removing all coins'],
      ['flushes replayed', 'Replaying blocks'],
    ] as const)
      report.figures[figure] = logged(node, phrase);
    await meter.upLoaded(node);
    await finish(node, miner, tree, report, []);
    return report;
  } finally {
    await putAway(node, plan, report);
  }
}

export const rebuilding: Phase = { name: 'reindexing', round };
