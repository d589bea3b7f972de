// Finding blocks by the hash a caller gave, and reading them, with the errors of Core 0.21.
import type { BlockView } from '../../consensus/block/block-view.js';
import { asHash, asInt } from '../args.js';
import { fail, RPC_CODE } from '../errors.js';
import type { RenderContext } from '../render/script.js';
import { JsonNumber, type JsonValue } from '../wire/values.js';
import type { HeaderInfo, NodeContext } from './context.js';

/** -5 `Block not found`. */
export const notFound = (): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Block not found');

/** What rendering scripts and transactions needs. */
export const renderContext = (ctx: NodeContext): RenderContext => ({ params: ctx.params, hashes: ctx.crypto });

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

/** The block's bytes, or -1 when only its header is here or its bytes can't be read. */
export async function readBlock(ctx: NodeContext, node: HeaderInfo): Promise<BlockView> {
  if (!ctx.chain.hasBlock(node)) fail(RPC_CODE.MISC_ERROR, 'Block not found on disk');
  return ctx.chain.readBlock(node).catch((error: NodeJS.ErrnoException) => {
    // A file that was damaged: nothing else depends on this block now, so the caller alone is told, and the log.
    if (error.code !== 'STORE_CORRUPTION' && error.code !== 'STORE_NOT_FOUND') throw error;
    ctx.log.info(`ERROR: ${error.message}. Start with -reindex to make everything again from the blocks that can be read.`);
    return fail(RPC_CODE.MISC_ERROR, 'Block not found on disk');
  });
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
