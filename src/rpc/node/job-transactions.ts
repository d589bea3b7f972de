// Finds transactions of declared jobs by wtxid, wherever they may be.
import type { BlockView } from '../../consensus/block/block-view.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NodeContext } from '../context/node.js';

const RECENT_BLOCKS = 3;

type Tip = NodeContext['chain']['tip'];

/**
 * Transactions of the last blocks by wtxid. The keys are nodes of the header tree, which exist for ever, so tables of
 * older blocks are removed.
 */
export class BlockTables {
  readonly #tables = new Map<Tip, Map<string, TxView>>();

  /** Number of blocks whose transactions are held. */
  get size(): number {
    return this.#tables.size;
  }

  /**
   * Searches the last blocks, because clients ask again for transactions of a block that competes with their job.
   * @returns the transactions that were found, by key of the wtxid
   */
  async find({ blocks, chain }: Pick<NodeContext, 'blocks' | 'chain'>, wtxids: readonly Uint8Array[]): Promise<Map<string, TxView>> {
    const found = new Map<string, TxView>();
    const late: Tip[] = [];
    for (let node: Tip | null = chain.tip; node !== null && node.height > 0 && late.length < RECENT_BLOCKS; node = node.prev)
      late.push(node);
    for (const node of this.#tables.keys()) if (!late.includes(node)) this.#tables.delete(node);
    for (const node of late) {
      if (found.size === wtxids.length || !blocks.hasBlock(node)) break;
      const table = this.#tables.get(node) ?? tableOf(await blocks.readBlock(node));
      // If the tip changed while the block was read, the table may be too old. The next call removes it then.
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
 * Returns transactions by wtxid from the mempool, declared jobs, extra transactions, `given`, and the last blocks;
 * undefined where none is found.
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
  const older = await tables.find(ctx, missing);
  return found.map((tx, i) => tx ?? older.get(hashKey(wtxids[i])));
}
