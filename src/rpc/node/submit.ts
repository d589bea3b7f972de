// Shared by methods that submit blocks and headers; results are in BIP-0022's words.
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { hashToHex } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { follows, only } from '../../policy/compat.js';
import { hexBytes } from '../args.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { verdictWord } from './declared-block.js';

/** Decodes hex, or returns the bytes that the front has decoded. */
export function bytesOf(text: string, call?: CallInfo): Uint8Array {
  if (call?.block?.token === text) return call.block.bytes;
  return hexBytes(text) ?? fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block decode failed');
}

export function blockFromBytes(ctx: NodeContext, bytes: Uint8Array): BlockView {
  try {
    return parseBlock(bytes, ctx.crypto);
  } catch (error) {
    if (error instanceof DecodeError) return fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block decode failed');
    throw error;
  }
}

/**
 * Submits a block to the chain, and reports the outcome to the log and the metrics.
 * @param client name of the client that submitted the block, for the log
 * @returns the reject reason in BIP-0022's words; null if the block was accepted
 */
export async function submit(ctx: NodeContext, block: BlockView, client: string): Promise<string | null> {
  const reason = await judge(ctx, block, client);
  ctx.templates.blockSubmitted(client, hashToHex(block.hash), reason ?? 'accepted');
  return reason;
}

async function judge(ctx: NodeContext, block: BlockView, client: string): Promise<string | null> {
  // In releases since 30, the validation of the block reports a missing coinbase.
  const paid = block.txs[0]?.isCoinbase === true;
  if (!paid && !follows(ctx.compat, 30)) fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block does not start with a coinbase');
  // Releases since 29 validate a block again even if its hash is known, which costs as much as a new block. So they report
  // an error in the submitted copy instead of `duplicate`.
  const known = only(ctx.compat, 29) ? 'unknown' : ctx.chain.known(block.hash);
  if (known === 'duplicate' || known === 'duplicate-invalid') return known;
  const parent = ctx.chain.node(block.header.prevHash);
  if (parent && paid) ctx.templates.coinbaseSubmitted(client, block.txs[0], parent.height + 1);
  const outcome = await ctx.commands.submitBlock(ctx.chain.withWitnessReserved(block), { force: true });
  await ctx.mempool.settled();
  switch (outcome.kind) {
    case 'accepted':
      return null;
    case 'invalid':
      return outcome.reject?.category === 'cached' ? 'duplicate-invalid' : (verdictWord(outcome.reject) ?? 'rejected');
    default:
      return outcome.kind;
  }
}
