// Kills while blocks come in: connecting (on the tip), reorganising (branches that overtake, blocks marked by hand) and
// flushing (old blocks whose coins gather in memory, written in small batches under a marker whenever somebody asks for
// them).
import { setTimeout as sleep } from 'node:timers/promises';
import { BlockTree } from '../../framework/block-tree.js';
import { Connection } from '../../framework/connection.js';
import { CallError, Daemon } from '../../framework/daemon.js';
import { KillMiner, type KillMix } from '../../framework/kill-miner.js';
import { shown } from '../../framework/messages.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import {
  type Comparison,
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
  RUN_UP,
  StartMeter,
} from './phase.js';

/** How a feeding phase differs from the others. */
export interface FeedingStyle {
  readonly name: string;
  readonly mix: KillMix;
  /** Options of the daemon, which may differ from round to round. */
  options(random: () => number): string[];
  /** More options of one life. */
  lifeOptions?(random: () => number): string[];
  /**
   * Old blocks keep the daemon in initial download, where a kill may cost it coins it has to make again from its
   * blocks.
   */
  readonly old: boolean;
  /** Calls that run concurrently with the miner. */
  readonly beside: 'mempool' | 'flush';
  /** Options of the daemon that is never killed. */
  readonly calmOptions?: readonly string[];
  /** More checks after a kill. */
  check?(node: Daemon, miner: KillMiner, random: () => number): Promise<string[]>;
  readonly compare?: Comparison;
}

/** Longest time that a daemon works before it is killed. */
const LIFE_MS = 300;
const STOP_MS = 60;
/** About as long as writing the coins of a few blocks in small batches takes. */
const FLUSH_MS = 15;

/** Has the coins written again and again: a proof without a block's name begins with the coins of the transaction. */
async function flush(node: Daemon, miner: KillMiner, enough: () => boolean, onBegin: () => void): Promise<void> {
  const connection = new Connection(node);
  let written = miner.tip;
  try {
    while (!enough()) {
      if (miner.tip === written) {
        await sleep(1);
        continue;
      }
      written = miner.tip;
      onBegin();
      await connection.call('gettxoutproof', [shown(miner.tip.txids[0]!)]).catch((error) => {
        if (!(error instanceof CallError) || error.code === -1) throw error;
      });
    }
  } catch {
    // The daemon died.
  } finally {
    connection.close();
  }
}

async function round(style: FeedingStyle, plan: RoundPlan): Promise<RoundReport> {
  const random = pseudoRandom(plan.seed);
  const report = emptyReport();
  const now = Math.floor(Date.now() / 1000);
  const tree = new BlockTree(pseudoRandom(plan.seed + 1_000_000), style.old ? 1_400_000_000 : now - 80_000);
  const options = style.options(random);
  const node = await Daemon.start(...LEAN, ...options);
  const meter = new StartMeter();
  try {
    const miner = new KillMiner(node, tree, style.mix);
    if (!(await miner.feed(() => miner.acknowledged.length >= RUN_UP))) throw new Error('the run-up failed');
    /** Since the last look everything was rebuilt, and nobody knows any more which of two equal branches came first. */
    let rebuilt = false;
    for (let kill = 1; kill <= plan.kills && !plan.enough(); kill++) {
      const way = random();
      const life = style.lifeOptions?.(random) ?? [];
      rebuilt ||= life.includes('-reindex');
      if (way < 0.12) {
        count(report.kills, 'starting');
        await node.kill();
        await killWhileStarting(node, random() * meter.ms, ...life);
      } else {
        const delay = random() * LIFE_MS;
        let over = false;
        const before = miner.acknowledged.length;
        const feeding = miner.feed(() => over);
        let flushes = 0;
        const beside =
          style.beside === 'flush'
            ? flush(
                node,
                miner,
                () => over,
                () => flushes++,
              )
            : miner.bother(() => over);
        // Some feeding there must have been, or the kill proves nothing.
        while (miner.acknowledged.length === before && node.exit === undefined) await sleep(1);
        await sleep(delay);
        if (style.beside === 'flush' && random() < 0.7) {
          // Most of these fall into a flush, the others between two.
          for (const seen = flushes; flushes === seen && node.exit === undefined; ) await sleep(1);
          await sleep(random() * FLUSH_MS);
        }
        if (node.exit !== undefined) report.faults.push(`kill ${kill}: it ended by itself: ${node.output().slice(-1000)}`);
        if (way < 0.2) {
          count(report.kills, 'stopping');
          node.child?.kill('SIGTERM');
          await sleep(random() * STOP_MS);
        } else count(report.kills, style.name);
        await node.kill();
        over = true;
        await Promise.all([feeding, beside]);
      }
      if (rebuilt) await meter.upLoaded(node, ...life);
      else await meter.up(node, ...life);
      const wrong = await inspect(node, miner, { exactTip: !style.old && !rebuilt, walk: !style.old || random() < 0.5 });
      wrong.push(...((await style.check?.(node, miner, random)) ?? []));
      report.checks++;
      rebuilt = false;
      for (const fault of wrong) report.faults.push(`kill ${kill}: ${fault}`);
      if (wrong.length > 0) break;
    }
    if (report.faults.length > 0) return report;
    report.figures.reorganisations = miner.counts.reorganisations + miner.counts.invalidations;
    report.figures['flushes replayed'] = logged(node, 'Replaying blocks');
    await finish(node, miner, tree, report, style.calmOptions ?? [], style.compare);
    return report;
  } finally {
    await putAway(node, plan, report);
  }
}

export const feedingPhase = (style: FeedingStyle): Phase => ({ name: style.name, round: (plan) => round(style, plan) });

export const connecting = feedingPhase({
  name: 'connecting',
  mix: { reorganise: 0, invalidate: 0 },
  options: () => ['-dbcache=4'],
  old: false,
  beside: 'mempool',
});

export const reorganising = feedingPhase({
  name: 'reorganising',
  mix: { reorganise: 50, invalidate: 15, depth: 8 },
  // Half of the rounds write coins in pieces, so that a flush over a fork is cut short too.
  options: (random) => (random() < 0.5 ? ['-dbcache=4'] : ['-dbcache=4', '-dbbatchsize=1000']),
  old: false,
  beside: 'mempool',
});

export const flushing = feedingPhase({
  name: 'flushing',
  mix: { reorganise: 10, invalidate: 2, transactions: 2, extraCoins: 100 },
  options: (random) => ['-dbcache=4', `-dbbatchsize=${200 + Math.floor(random() * 1_000)}`],
  old: true,
  beside: 'flush',
});
