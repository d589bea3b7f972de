// Finds blocks, with the errors of Core 0.21.
import { follows } from '../../policy/compat.js';
import { asBool, asHash, asInt } from '../args.js';
import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import type { RenderContext } from '../render/script.js';
import { JsonNumber, type JsonValue } from '../wire/values.js';

/** Throws -5 `Block not found`. */
export const notFound = (): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Block not found');

/** Returns the context for rendering scripts and transactions. */
export const renderContext = (ctx: Pick<NodeContext, 'compat' | 'descriptors' | 'params' | 'crypto'>): RenderContext => ({
  compat: ctx.compat,
  descriptors: ctx.descriptors,
  params: ctx.params,
  hashes: ctx.crypto,
});

/**
 * Reads a verbosity: a number, or true for 1 and false for 0. Since release 29 the error for other types says that a
 * number is expected.
 * @param byDefault value if the argument is null
 */
export function verbosityOf({ compat }: NodeContext, value: JsonValue, byDefault: number): number {
  if (value === null) return byDefault;
  if (value instanceof JsonNumber || (typeof value !== 'boolean' && follows(compat, 29))) return asInt(value);
  return asBool(value) ? 1 : 0;
}

/** Returns the header with a hash. @throws RpcError with -5 `Block not found` */
export const blockOf = (ctx: NodeContext, hash: Uint8Array): HeaderInfo => ctx.chain.node(hash) ?? notFound();

/** Returns the header that an argument names: a height in the active chain, or a hash. */
export function blockAt(ctx: NodeContext, value: JsonValue): HeaderInfo {
  const { chain } = ctx;
  if (!(value instanceof JsonNumber)) return blockOf(ctx, asHash(value, 'hash_or_height'));
  const height = asInt(value);
  if (height < 0) fail(RPC_CODE.INVALID_PARAMETER, `Target block height ${height} is negative`);
  return chain.atHeight(height) ?? fail(RPC_CODE.INVALID_PARAMETER, `Target block height ${height} after current tip ${chain.tip.height}`);
}

const PRUNED_BLOCK = 'Block not available (pruned data)';
/** Error text for a missing block since release 28, and in all releases while blocks below a snapshot are downloaded. */
const NOT_DOWNLOADED = 'Block not available (not fully downloaded)';

/** Throws -1 if the block was pruned or only its header is known. */
export function assertStored({ blocks, chain, compat }: NodeContext, node: HeaderInfo): void {
  if (blocks.isPruned(node)) fail(RPC_CODE.MISC_ERROR, PRUNED_BLOCK);
  if (blocks.hasBlock(node)) return;
  fail(RPC_CODE.MISC_ERROR, follows(compat, 28) || chain.history !== null ? NOT_DOWNLOADED : 'Block not found on disk');
}

/** Returns the confirmations of a block: 1 for the tip, -1 outside the active chain. */
export function confirmationsOf(ctx: NodeContext, node: HeaderInfo): number {
  return ctx.chain.contains(node) ? ctx.chain.tip.height - node.height + 1 : -1;
}

/** Returns an outpoint: txid in internal order, then the index as 32 bits little-endian. */
export function outpointOf(txid: Uint8Array, index: number): Uint8Array {
  const out = new Uint8Array(36);
  out.set(txid);
  new DataView(out.buffer).setUint32(32, index >>> 0, true);
  return out;
}
