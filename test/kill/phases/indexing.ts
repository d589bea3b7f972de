// Kills while three indexes follow the chain, catch up after runs without them, and are built again by -reindex. After
// each kill the test computes their answers about some blocks from the blocks. At the end it compares every answer with
// that of a daemon that was never killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { branch, expectedCoins, type TreeBlock } from '../../framework/block-tree.js';
import type { Daemon } from '../../framework/daemon.js';
import type { KillMiner } from '../../framework/kill-miner.js';
import { hash256, shown, unshown } from '../../framework/messages.js';
import { PATIENCE_MS } from '../../framework/until.js';
import { feedingPhase } from './feeding.js';
import type { Phase } from './phase.js';

const ALL = ['-txindex', '-blockfilterindex', '-coinstatsindex'] as const;
const SYNC_MS = PATIENCE_MS;
/** Blocks looked at after a kill. */
const SAMPLES = 4;
/** Calls of one batch. */
const BATCH = 400;

/** Waits until every index that is on stands at the tip. @returns their names */
async function synced(node: Daemon): Promise<string[]> {
  for (const deadline = Date.now() + SYNC_MS; ; await sleep(5)) {
    const indexes: Record<string, { synced: boolean }> = await node.call('getindexinfo');
    if (Object.values(indexes).every((index) => index.synced)) return Object.keys(indexes);
    if (Date.now() > deadline) throw new Error(`the indexes do not get there: ${JSON.stringify(indexes)}`);
  }
}

/** Results of many calls; errors count as results. */
async function batch(node: Daemon, calls: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<string[]> {
  const answers: string[] = [];
  for (let at = 0; at < calls.length; at += BATCH) {
    const body = calls.slice(at, at + BATCH).map(([method, ...params], id) => ({ id, method, params }));
    for (const { result, error } of JSON.parse((await node.post(JSON.stringify(body))).body)) answers.push(JSON.stringify(result ?? error));
  }
  return answers;
}

/** Checks on some blocks whether the enabled indexes know the tip's branch. @returns the faults */
export async function indexesFit(node: Daemon, miner: Pick<KillMiner, 'block'>, random: () => number): Promise<string[]> {
  const on = await synced(node);
  const wrong: string[] = [];
  const tip = miner.block(await node.call('getbestblockhash'));
  if (tip === undefined) return wrong;
  const blocks = branch(tip);
  const some: TreeBlock[] = [tip, ...Array.from({ length: SAMPLES }, () => blocks[Math.floor(random() * blocks.length)]!)];
  for (const block of some) {
    const at = `at height ${block.height}`;
    if (on.includes('txindex')) {
      for (const id of block.txids) {
        const found = await node.call('getrawtransaction', shown(id), true).catch((error: Error) => error.message);
        if (found.blockhash !== block.hashHex) wrong.push(`txindex ${at}: ${shown(id)} is ${found.blockhash ?? found}`);
      }
    }
    if (on.includes('coinstatsindex')) {
      const { txouts, sats } = expectedCoins(block);
      const found = await node.call('gettxoutsetinfo', 'muhash', block.height).catch((error: Error) => error.message);
      if (found.txouts !== txouts || Math.round(found.total_amount * 1e8) !== sats)
        wrong.push(`coinstatsindex ${at}: ${JSON.stringify(found)}, not ${txouts} coins`);
    }
    if (on.includes('basic block filter index') && block.height > 1) {
      const [mine, before] = [await node.call('getblockfilter', block.hashHex), await node.call('getblockfilter', block.prev.hashHex)];
      const header = hash256(Buffer.concat([hash256(Buffer.from(mine.filter, 'hex')), unshown(before.header)]));
      if (shown(header) !== mine.header) wrong.push(`blockfilterindex ${at}: the header does not follow from the one before`);
    }
  }
  return wrong;
}

async function compare(node: Daemon, calm: Daemon, tip: TreeBlock): Promise<string[]> {
  // The last life may have been one without some of them.
  await node.stop();
  await node.up(...ALL);
  await synced(node);
  await synced(calm);
  const blocks = branch(tip);
  const calls = blocks.flatMap((block) => [
    ['getblockfilter', block.hashHex] as const,
    ['gettxoutsetinfo', 'muhash', block.height] as const,
    ...block.txids.map((id) => ['getrawtransaction', shown(id), true] as const),
  ]);
  const [found, expected] = [await batch(node, calls), await batch(calm, calls)];
  const wrong = calls.flatMap((call, i) => (found[i] === expected[i] ? [] : [`${call.join(' ')}: ${found[i]}, not ${expected[i]}`]));
  const useful = expected.filter((answer) => !answer.includes('"code"')).length;
  if (useful !== calls.length) wrong.push(`only ${useful} of ${calls.length} answers mean something`);
  return wrong.slice(0, 5);
}

export const indexing: Phase = feedingPhase({
  name: 'indexing',
  mix: { reorganise: 20, invalidate: 5 },
  options: () => ['-dbcache=4'],
  lifeOptions: (random) => {
    const way = random();
    if (way < 0.12) return [...ALL, '-reindex'];
    return way < 0.5 ? ALL.filter(() => random() < 0.6) : [...ALL];
  },
  old: false,
  beside: 'mempool',
  calmOptions: ALL,
  check: indexesFit,
  compare,
});
