// Common parts of the phases of the long kill suite. A phase is a kind of work during which a daemon is killed. A round
// of it is one data folder, a number of kills, and the comparison with a daemon that was never killed.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BlockTree, expectedCoins, type TreeBlock } from '../../framework/block-tree.js';
import { coinFigures } from '../../framework/coin-figures.js';
import { Daemon } from '../../framework/daemon.js';
import type { KillMiner } from '../../framework/kill-miner.js';
import { PATIENCE_MS } from '../../framework/until.js';

/** Parameters of a round. */
export interface RoundPlan {
  readonly kills: number;
  readonly seed: number;
  /** Asked between kills: true ends the round early, with its comparison. */
  readonly enough: () => boolean;
}

/** Result of a round. */
export interface RoundReport {
  /** Kills by the moment they fell into. */
  readonly kills: Record<string, number>;
  /** Starts after which everything was checked. */
  checks: number;
  blocks: number;
  /** Other figures that show that the round did what it is for. */
  readonly figures: Record<string, number>;
  /** Faults; empty is the only good result. */
  readonly faults: string[];
}

export interface Phase {
  readonly name: string;
  round(plan: RoundPlan): Promise<RoundReport>;
}

/** As little as a daemon can be started with: each kill costs a start. */
export const LEAN = ['-fronts=1', '-par=1', '-disablewallet'] as const;
/** Enough for ripe coinbases. */
export const RUN_UP = 110;
/** Blocks whose disconnecting and connecting is tried after a kill. */
const VERIFIED = 6;

export const emptyReport = (): RoundReport => ({ kills: {}, checks: 0, blocks: 0, figures: {}, faults: [] });

export const count = (record: Record<string, number>, name: string, by = 1): void => {
  record[name] = (record[name] ?? 0) + by;
};

export const debugLog = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');

/** How often a phrase stands in the log. */
export const logged = (node: Daemon, phrase: string): number => debugLog(node).split(phrase).length - 1;

/** Starts, and kills at a moment of the start or of what goes on behind it. @returns whether it answered before */
export async function killWhileStarting(node: Daemon, delayMs: number, ...options: string[]): Promise<boolean> {
  let answered = false;
  const started = node.up(...options).then(
    () => {
      answered = true;
    },
    () => {},
  );
  await sleep(delayMs);
  await node.kill();
  const before = answered;
  await started;
  return before;
}

const LOAD_MS = PATIENCE_MS;

/** How long starts take on this machine, so that kills fall into all of one. */
export class StartMeter {
  ms = 400;

  async up(node: Daemon, ...options: string[]): Promise<void> {
    const begin = performance.now();
    await node.up(...options);
    this.ms += (performance.now() - begin - this.ms) / 4;
  }

  /** Starts and waits until all stored blocks are connected. */
  async upLoaded(node: Daemon, ...options: string[]): Promise<void> {
    const before = logged(node, 'Done loading');
    await this.up(node, ...options);
    for (const deadline = Date.now() + LOAD_MS; logged(node, 'Done loading') === before; await sleep(5)) {
      if (node.exit !== undefined || Date.now() > deadline) throw new Error(`it does not finish: ${node.output().slice(-1000)}`);
    }
  }
}

/**
 * Looks at a daemon that was started again after a kill.
 * @param walk whether all coins are counted too, which writes them first
 */
export async function inspect(node: Daemon, miner: KillMiner, options: { exactTip: boolean; walk: boolean }): Promise<string[]> {
  const wrong = await miner.check(options.exactTip);
  if ((await node.call('verifychain', 4, VERIFIED)) !== true) wrong.push('verifychain found something');
  if (options.walk) wrong.push(...(await coinsFitModel(node, miner)));
  return wrong;
}

/** Compares number and value of the coins with the model's branch. */
export async function coinsFitModel(node: Daemon, miner: KillMiner): Promise<string[]> {
  const found = await coinFigures(node);
  const tip = miner.block(found.bestblock as string);
  if (tip === undefined) return found.height === 0 ? [] : [`the coins stand at ${found.bestblock}, which was never sent`];
  const { txouts, sats } = expectedCoins(tip);
  if (found.txouts === txouts && Math.round(found.total_amount * 1e8) === sats) return [];
  return [`${found.txouts} coins worth ${found.total_amount} at height ${tip.height}, not ${txouts} worth ${sats / 1e8}`];
}

const tipHashes = async (node: Daemon): Promise<string[]> =>
  (await node.call('getchaintips')).map(({ hash }: { hash: string }) => hash).sort();

/** The daemon's end: its folder goes too, unless there were faults; then these say where it is. */
export async function putAway(node: Daemon, plan: RoundPlan, { faults }: RoundReport): Promise<void> {
  if (faults.length === 0) return node.remove();
  await node.kill();
  faults.push(`seed ${plan.seed}, the folder is ${node.dir}`);
}

/** Asks both daemons the same and tells what differs. */
export type Comparison = (node: Daemon, calm: Daemon, tip: TreeBlock) => Promise<string[]>;

/**
 * The end of a round: one branch wins, and a daemon that was never killed gets the same blocks in the same order.
 * Coins, branches and whatever else the phase compares have to be the same.
 */
export async function finish(
  node: Daemon,
  miner: KillMiner,
  tree: BlockTree,
  report: RoundReport,
  options: readonly string[],
  compare: Comparison = async () => [],
): Promise<void> {
  const { faults } = report;
  if (!(await miner.feed(() => true))) throw new Error(`it does not go on: ${node.output().slice(-1000)}`);
  const last = tree.grow(tree.grow(miner.tip, 3), 3);
  for (const block of [last.prev, last]) {
    const answer = await node.call('submitblock', block.bytes.toString('hex'));
    if (answer !== null) faults.push(`the last block: ${answer}`);
  }
  for (const answer of miner.strange) faults.push(`a block was answered ${JSON.stringify(answer)}`);
  report.blocks = miner.acknowledged.length;
  const found = await coinFigures(node);
  const { txouts, sats } = expectedCoins(last);
  if (found.txouts !== txouts || Math.round(found.total_amount * 1e8) !== sats) faults.push('the coins are not those of the model');
  if ((await node.call('verifychain', 4, 0)) !== true) faults.push('verifychain over everything found something');

  const calm = await Daemon.start(...LEAN, ...options);
  try {
    for (const block of [...new Set(miner.acknowledged), last.prev, last]) {
      const answer = await calm.call('submitblock', block.bytes.toString('hex'));
      if (answer !== null && answer !== 'inconclusive') faults.push(`the calm daemon says ${answer}`);
    }
    const expected = await coinFigures(calm);
    if (JSON.stringify(found) !== JSON.stringify(expected)) faults.push(`coins ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    const [tips, calmTips] = [await tipHashes(node), await tipHashes(calm)];
    if (tips.join() !== calmTips.join()) faults.push(`${tips.length} branches, not ${calmTips.length}`);
    faults.push(...(await compare(node, calm, last)));
  } finally {
    await calm.remove();
  }
  const { code } = await node.stop();
  if (code !== 0) faults.push(`it stops with status ${code}`);
  if (node.output() !== '') faults.push(`on stderr: ${node.output().slice(0, 500)}`);
}
