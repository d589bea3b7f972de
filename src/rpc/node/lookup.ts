// Finding blocks by the hash a caller gave, and reading them, with the errors of Core 0.21.
import type { BlockView } from '../../consensus/block/block-view.js';
import type { Coin } from '../../consensus/coin.js';
import { follows } from '../../policy/compat.js';
import { asBool, asHash, asInt } from '../args.js';
import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import type { RenderContext } from '../render/script.js';
import { JsonNumber, type JsonValue } from '../wire/values.js';

/** -5 `Block not found`. */
export const notFound = (): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Block not found');

/** What rendering scripts and transactions needs. */
export const renderContext = (ctx: Pick<NodeContext, 'compat' | 'descriptors' | 'params' | 'crypto'>): RenderContext => ({
  compat: ctx.compat,
  descriptors: ctx.descriptors,
  params: ctx.params,
  hashes: ctx.crypto,
});

/**
 * A number, or true for 1 and false for 0. What is neither is refused for being no number, as since release 29.
 * @param byDefault when nothing was said
 */
export function verbosityOf({ compat }: NodeContext, value: JsonValue, byDefault: number): number {
  if (value === null) return byDefault;
  if (value instanceof JsonNumber || (typeof value !== 'boolean' && follows(compat, 29))) return asInt(value);
  return asBool(value) ? 1 : 0;
}

/** The header of a hash argument, or -5 `Block not found`. */
export function blockOf(ctx: NodeContext, value: JsonValue | undefined, name = 'blockhash'): HeaderInfo {
  return ctx.chain.node(asHash(value, name)) ?? notFound();
}

/** The header that a height in the best chain or a hash names. */
export function blockAt(ctx: NodeContext, value: JsonValue | undefined): HeaderInfo {
  const { chain } = ctx;
  if (!(value instanceof JsonNumber)) return blockOf(ctx, value, 'hash_or_height');
  const height = asInt(value);
  if (height < 0) fail(RPC_CODE.INVALID_PARAMETER, `Target block height ${height} is negative`);
  return chain.atHeight(height) ?? fail(RPC_CODE.INVALID_PARAMETER, `Target block height ${height} after current tip ${chain.tip.height}`);
}

const PRUNED_BLOCK = 'Block not available (pruned data)';
/** Since release 28, and while a snapshot's history is being downloaded. */
const NOT_DOWNLOADED = 'Block not available (not fully downloaded)';
const PRUNED_UNDO = 'Undo data not available (pruned data)';

/** Throws -1 when the block was pruned or only its header is here. */
export function assertStored({ chain, compat }: NodeContext, node: HeaderInfo): void {
  if (chain.isPruned(node)) fail(RPC_CODE.MISC_ERROR, PRUNED_BLOCK);
  if (chain.hasBlock(node)) return;
  fail(RPC_CODE.MISC_ERROR, follows(compat, 28) || chain.history !== null ? NOT_DOWNLOADED : 'Block not found on disk');
}

/** The block's bytes, or -1 when they were pruned, only its header is here, or they can't be read. */
export async function readBlock(ctx: NodeContext, node: HeaderInfo): Promise<BlockView> {
  assertStored(ctx, node);
  return ctx.chain.readBlock(node).catch((error: unknown) => unreadable(ctx, node, error, PRUNED_BLOCK, 'Block not found on disk'));
}

/** Coins that a block spent, or -1 when they were pruned or can't be read. */
export async function readUndo(ctx: NodeContext, node: HeaderInfo): Promise<Coin[][]> {
  if (ctx.chain.isPruned(node)) fail(RPC_CODE.MISC_ERROR, PRUNED_UNDO);
  return ctx.chain.readUndo(node).catch((error: unknown) => unreadable(ctx, node, error, PRUNED_UNDO, "Can't read undo data from disk"));
}

/** What the caller is told of a read that failed; it may have been pruned meanwhile. */
function unreadable(ctx: NodeContext, node: HeaderInfo, error: unknown, pruned: string, missing: string): never {
  const { code, message } = error as NodeJS.ErrnoException;
  // A file that was damaged: nothing else depends on this block now, so the caller alone is told, and the log.
  if (code !== 'STORE_CORRUPTION' && code !== 'STORE_NOT_FOUND') throw error;
  if (ctx.chain.isPruned(node)) return fail(RPC_CODE.MISC_ERROR, pruned);
  ctx.log.info(`ERROR: ${message}. Start with -reindex to make everything again from the blocks that can be read.`);
  return fail(RPC_CODE.MISC_ERROR, missing);
}

/** A block's depth: 1 for the tip, -1 off the best chain. */
export function confirmationsOf(ctx: NodeContext, node: HeaderInfo): number {
  return ctx.chain.contains(node) ? ctx.chain.tip.height - node.height + 1 : -1;
}

/** A transaction output's key: txid in internal order, then the index as 32 bits little-endian. */
export function outpointOf(txid: Uint8Array, index: number): Uint8Array {
  const out = new Uint8Array(36);
  out.set(txid);
  new DataView(out.buffer).setUint32(32, index >>> 0, true);
  return out;
}
