// What getrawtransactions and gettemplateinfo share: transactions by wtxid from everywhere they may still be, and the
// facts of the next block without a template.
import type { BlockView } from '../../consensus/block/block-view.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NodeContext } from '../context/node.js';

const RECENT_BLOCKS = 3;

type Chain = NodeContext['chain'];

/**
 * Transactions of the last blocks by their wtxids. By node of the header tree, which stays for good: those of older
 * blocks are let go.
 */
export class BlockTables {
  readonly #tables = new Map<Chain['tip'], Map<string, TxView>>();

  /** Blocks whose transactions are held. */
  get size(): number {
    return this.#tables.size;
  }

  /**
   * Looks in the last blocks; what was in a block that a job competes with is asked for again.
   * @returns those found, by key of the wtxid
   */
  async find(chain: Chain, wtxids: readonly Uint8Array[]): Promise<Map<string, TxView>> {
    const found = new Map<string, TxView>();
    const late: Chain['tip'][] = [];
    for (let node: Chain['tip'] | null = chain.tip; node !== null && node.height > 0 && late.length < RECENT_BLOCKS; node = node.prev)
      late.push(node);
    for (const node of this.#tables.keys()) if (!late.includes(node)) this.#tables.delete(node);
    for (const node of late) {
      if (found.size === wtxids.length || !chain.hasBlock(node)) break;
      const table = this.#tables.get(node) ?? tableOf(await chain.readBlock(node));
      // The chain may have moved on meanwhile: then the next call lets it go.
      if (this.#tables.has(node) || this.#tables.size < RECENT_BLOCKS) this.#tables.set(node, table);
      for (const wtxid of wtxids) {
        const tx = table.get(hashKey(wtxid));
        if (tx !== undefined) found.set(hashKey(wtxid), tx);
      }
    }
    return found;
  }
}

function tableOf(block: BlockView): Map<string, TxView> {
  return new Map(block.txs.slice(1).map((tx) => [hashKey(tx.wtxid), tx]));
}

const tables = new BlockTables();

/**
 * Transactions by wtxid from everywhere they may be, and from those that the caller brought; undefined where there is
 * none.
 */
export async function knownTransactions(
  ctx: NodeContext,
  wtxids: readonly Uint8Array[],
  given: ReadonlyMap<string, TxView> = new Map(),
): Promise<(TxView | undefined)[]> {
  const extra = ctx.network.extraTransactions();
  const found = wtxids.map((wtxid) => {
    const key = hashKey(wtxid);
    return ctx.mempool.byWtxid(wtxid) ?? ctx.jobs.get(wtxid) ?? extra.get(key) ?? given.get(key);
  });
  const missing = wtxids.filter((_, i) => found[i] === undefined);
  if (missing.length === 0) return found;
  const older = await tables.find(ctx.chain, missing);
  return found.map((tx, i) => tx ?? older.get(hashKey(wtxids[i])));
}
