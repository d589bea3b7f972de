// Kills while old blocks are pruned, unasked and by hand, and during the starts that finish it. After each kill every
// block of the chain is asked for: it comes as it was sent, or is said to be pruned, and the newest ones always come;
// no file is left over. In the end the coins are those of a daemon that keeps everything.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltBlock, buildBlock, GENESIS } from '../../framework/chain-builder.js';
import { coinFigures } from '../../framework/coin-figures.js';
import { Daemon } from '../../framework/daemon.js';
import { hash256, shown } from '../../framework/messages.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { PATIENCE_MS } from '../../framework/until.js';
import {
  count,
  emptyReport,
  killWhileStarting,
  LEAN,
  logged,
  type Phase,
  putAway,
  type RoundPlan,
  type RoundReport,
  StartMeter,
} from './phase.js';

/** Blocks before the first kill: enough that some may go. */
const RUN_UP = 470;
/** Blocks below the tip that always stay. */
const KEPT = 288;
/** Padding of each coinbase in bytes, so that 2 MiB are soon full. */
const PADDING = 4_600;
const CALLS_PER_BATCH = 60;
const LEAST_DELAY_MS = 30;
const MOST_DELAY_MS = 900;
/** Header behind magic and length. */
const HEADER_AT = 8;
const HEADER_BYTES = 80;
const REMOVAL_MS = PATIENCE_MS;
const PRUNED = 'Block not available (pruned data)';

/** Blocks that are soon too many for what may be kept. */
export class PrunedChain {
  readonly blocks: BuiltBlock[] = [];
  acknowledged = 0;

  /** The block of a height, made when it is asked for. */
  at(height: number): BuiltBlock {
    while (this.blocks.length < height) {
      const prev = this.blocks.at(-1) ?? GENESIS;
      const script = Buffer.concat([Buffer.from([0x6a]), Buffer.alloc(PADDING, prev.height & 0x7f)]);
      this.blocks.push(buildBlock(prev, { outs: [{ value: 0, script }] }));
    }
    return this.blocks[height - 1]!;
  }

  /** Hands in blocks until the daemon is gone or there are enough. */
  async feed(node: Daemon, upTo: number): Promise<void> {
    try {
      for (let height = (await node.call('getblockcount')) + 1; height <= upTo; height++) {
        const answer = await node.call('submitblock', this.at(height).bytes.toString('hex'));
        if (answer !== null && answer !== 'duplicate') throw new Error(`block ${height} was answered ${answer}`);
        this.acknowledged = Math.max(this.acknowledged, height);
      }
    } catch (error) {
      if (node.exit === undefined && node.child?.killed !== true) throw error;
    }
  }
}

interface Answer {
  readonly result: string | null;
  readonly error: { readonly message: string } | null;
}

async function wholeBlocks(node: Daemon, blocks: readonly BuiltBlock[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < blocks.length; at += CALLS_PER_BATCH) {
    const some = blocks.slice(at, at + CALLS_PER_BATCH).map(({ hashHex }, id) => ({ id, method: 'getblock', params: [hashHex, 0] }));
    answers.push(...(JSON.parse((await node.post(JSON.stringify(some))).body) as Answer[]));
  }
  return answers;
}

/** Hash of the first block of a file. */
function firstBlockOf(file: string): string {
  const handle = fs.openSync(file, 'r');
  const header = Buffer.alloc(HEADER_BYTES);
  fs.readSync(handle, header, 0, HEADER_BYTES, HEADER_AT);
  fs.closeSync(handle);
  return shown(hash256(header));
}

const blockFilesIn = (folder: string): string[] => fs.readdirSync(folder).filter((name) => /^(blk|rev)/.test(name));

const bytesIn = (folder: string): number =>
  blockFilesIn(folder).reduce((sum, name) => sum + (fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);

/**
 * Checks that each block is returned as it was sent, or is reported as pruned and may be, and that no file is left
 * over.
 * @returns the faults
 */
export async function prunedFits(node: Daemon, chain: PrunedChain): Promise<string[]> {
  const wrong: string[] = [];
  const info = await node.call('getblockchaininfo');
  if (info.blocks < chain.acknowledged) wrong.push(`the tip is at ${info.blocks}, and ${chain.acknowledged} was acknowledged`);
  const blocks = chain.blocks.slice(0, info.blocks);
  const answers = await wholeBlocks(node, blocks);
  const stored = new Set<string>();
  answers.forEach(({ result, error }, i) => {
    const block = blocks[i]!;
    if (result !== null) stored.add(block.hashHex);
    if (result !== null && result !== block.bytes.toString('hex')) wrong.push(`block ${block.height} is another`);
    const mayBeGone = block.height < info.pruneheight && block.height <= info.blocks - KEPT;
    if (error !== null && (error.message !== PRUNED || !mayBeGone)) wrong.push(`block ${block.height}: ${error.message}`);
  });
  const folder = path.join(node.networkDir, 'blocks');
  // The next start deletes remains of a kill in the background.
  let bytes = bytesIn(folder);
  for (const deadline = Date.now() + REMOVAL_MS; bytes !== info.size_on_disk && Date.now() < deadline; bytes = bytesIn(folder))
    await sleep(20);
  if (bytes !== info.size_on_disk) wrong.push(`${bytes} bytes of files, not ${info.size_on_disk}`);
  const files = blockFilesIn(folder)
    .filter((name) => name.startsWith('blk'))
    .sort();
  // The last one may begin with a block that was cut off, and is written to next.
  for (const name of files.slice(0, -1)) {
    const file = path.join(folder, name);
    if (fs.statSync(file).size > 0 && info.pruneheight > 0 && !stored.has(firstBlockOf(file))) wrong.push(`${name} is left over`);
  }
  if ((await node.call('verifychain', 4, 6)) !== true) wrong.push('verifychain found something');
  return wrong;
}

/** Blocks come in, and now and then somebody prunes by hand, until the kill. */
async function lifeUntilKill(node: Daemon, chain: PrunedChain, delayMs: number, byHand: boolean, share: number): Promise<void> {
  const tip = (await node.call('getblockcount')) as number;
  const fed = chain.feed(node, tip + 400);
  // Some more each time, so that there is always something to prune.
  const height = Math.max(1, Math.floor((tip - KEPT) * share));
  const pruned = byHand ? node.call('pruneblockchain', height).catch(() => {}) : null;
  await sleep(delayMs);
  await node.kill();
  await Promise.all([fed, pruned]);
}

async function round(plan: RoundPlan): Promise<RoundReport> {
  const random = pseudoRandom(plan.seed);
  const report = emptyReport();
  const chain = new PrunedChain();
  const meter = new StartMeter();
  const node = await Daemon.start(...LEAN, '-fastprune');
  try {
    await chain.feed(node, RUN_UP);
    await node.stop();
    for (let kill = 1; kill <= plan.kills && !plan.enough(); kill++) {
      const byHand = random() < 0.4;
      const options = byHand ? '-prune=1' : '-prune=2';
      if (random() < 0.25) {
        await killWhileStarting(node, random() * meter.ms * 1.2, options);
        count(report.kills, 'starting');
      } else {
        await meter.up(node, options);
        await lifeUntilKill(node, chain, LEAST_DELAY_MS + random() * (MOST_DELAY_MS - LEAST_DELAY_MS), byHand, kill / plan.kills);
        count(report.kills, byHand ? 'pruning by hand' : 'pruning');
      }
      // By hand, so that nothing is pruned while it is looked at.
      await meter.up(node, '-prune=1');
      const wrong = await prunedFits(node, chain);
      report.checks++;
      for (const fault of wrong.slice(0, 5)) report.faults.push(`kill ${kill}: ${fault}`);
      if (wrong.length > 0) return report;
      // Another kill, of a daemon at rest; it is not counted.
      await node.kill();
    }
    report.figures['files removed'] = logged(node, 'UnlinkPrunedFiles deleted');
    report.figures['prunings by hand'] = logged(node, 'blk/rev pairs') - logged(node, 'removed 0 blk/rev pairs');
    await compare(node, chain, report);
    return report;
  } finally {
    await putAway(node, plan, report);
  }
}

/** The end of a round: a daemon that keeps all blocks has the same coins. */
async function compare(node: Daemon, chain: PrunedChain, report: RoundReport): Promise<void> {
  await node.up('-prune=2');
  const last = Math.max(chain.acknowledged, (await node.call('getblockcount')) as number) + 20;
  await chain.feed(node, last);
  report.blocks = last;
  const calm = await Daemon.start(...LEAN);
  try {
    await chain.feed(calm, last);
    const [found, expected] = [JSON.stringify(await coinFigures(node)), JSON.stringify(await coinFigures(calm))];
    if (found !== expected) report.faults.push(`coins ${found}, not ${expected}`);
  } finally {
    await calm.remove();
  }
  const { code } = await node.stop();
  if (code !== 0) report.faults.push(`it stops with status ${code}`);
  if (node.output() !== '') report.faults.push(`on stderr: ${node.output().slice(0, 500)}`);
}

export const pruning: Phase = { name: 'pruning', round };
