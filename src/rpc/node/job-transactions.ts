// What job declaration asks of a node: transactions by wtxid from everywhere they may still be, and the facts of the
// next block without a template.
import type { BlockView } from '../../consensus/block/block-view.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { coinbaseLock } from '../../consensus/rules/cleanup/coinbase-lock.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { targetHex } from '../../template/render-template.js';
import { asArray, asHash, asInt64, asObject, asString } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hex, hex32 } from '../render/hex.js';
import type { JsonResult } from '../wire/values.js';
import type { NodeContext } from './context.js';

/** Wtxids of one call. */
const MOST_WTXIDS = 1_000;
/** Bytes of transactions in one reply: as many as a block has. */
const MOST_BYTES = 4_000_000;
const RECENT_BLOCKS = 3;
const DEFAULT_PIN_SECONDS = 600;
const MOST_PIN_SECONDS = 3_600;
const MOST_NAME = 64;

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

interface PinOptions {
  readonly job: string;
  readonly seconds: number;
}

function pinOptions(given: Parameters<typeof asObject>[0]): PinOptions | null {
  if ((given ?? null) === null) return null;
  const options = asObject(given);
  const job = asString(options.get('job'));
  if (job === '' || job.length > MOST_NAME) fail(RPC_CODE.INVALID_PARAMETER, `job must be a name of 1 to ${MOST_NAME} characters`);
  const wanted = options.get('seconds') ?? null;
  const seconds = wanted === null ? BigInt(DEFAULT_PIN_SECONDS) : asInt64(wanted);
  if (seconds < 1 || seconds > MOST_PIN_SECONDS) fail(RPC_CODE.INVALID_PARAMETER, `seconds must be between 1 and ${MOST_PIN_SECONDS}`);
  return { job, seconds: Number(seconds) };
}

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

export const getrawtransactions: Run<NodeContext> = async (ctx, args) => {
  const listed = asArray(args[0]);
  if (listed.length > MOST_WTXIDS) fail(RPC_CODE.INVALID_PARAMETER, `wtxids lists more than ${MOST_WTXIDS} transactions`);
  const wtxids = listed.map((wtxid) => asHash(wtxid, 'wtxid'));
  const pin = pinOptions(args[1]);
  const found = await knownTransactions(ctx, wtxids);
  const held: TxView[] = [];
  const transactions: (string | null)[] = [];
  let bytes = 0;
  for (const tx of found) {
    bytes += tx?.totalSize ?? 0;
    if (tx !== undefined && bytes > MOST_BYTES) fail(RPC_CODE.INVALID_PARAMETER, `The transactions have more than ${MOST_BYTES} bytes`);
    if (tx !== undefined) held.push(tx);
    transactions.push(tx === undefined ? null : hex(tx.bytes));
  }
  const reply: Record<string, JsonResult> = { transactions };
  if (pin !== null) {
    const { seconds } = pin;
    reply.pinned = ctx.jobs.pin(pin.job, held, { now: ctx.clock.nowSeconds(), seconds, height: ctx.chain.tip.height });
  }
  return reply;
};

export const gettemplateinfo: Run<NodeContext> = (ctx) => {
  const { facts, curtime, bits } = ctx.templates.next();
  const { locktime, sequence } = coinbaseLock(facts.height);
  return {
    previousblockhash: facts.prevHashHex,
    height: facts.height,
    version: facts.version,
    mintime: facts.minTime,
    curtime,
    bits: hex32(bits),
    target: targetHex(bits),
    subsidy: facts.subsidy,
    sigoplimit: facts.sigopLimit,
    weightlimit: facts.weightLimit ?? undefined,
    coinbaselocktime: locktime,
    coinbasesequence: sequence,
  };
};
