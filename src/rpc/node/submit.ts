// submitblock, submitheader and getblocktemplate's proposal mode: foreign blocks in, verdicts in BIP-0022's words out.

import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { buildBlock } from '../../consensus/block/build-block.js';
import { HEADER_SIZE, parseHeader } from '../../consensus/block/header-view.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { only } from '../../policy/compat.js';
import { asString, hexBytes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { parseTemplateRequest } from '../front/template-request.js';
import { hashHex } from '../render/hex.js';
import { JsonObject, type JsonValue } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { propose, verdictWord } from './declared-block.js';

type NodeRun = Run<NodeContext>;

/** A block from hex; bytes after it do not matter. */
function decodeBlock(ctx: NodeContext, text: string): BlockView {
  return blockFromBytes(ctx, bytesOf(text));
}

/** The bytes of hex, or those that the front has read from it. */
function bytesOf(text: string, call?: CallInfo): Uint8Array {
  if (call?.block?.token === text) return call.block.bytes;
  return hexBytes(text) ?? fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block decode failed');
}

function blockFromBytes(ctx: NodeContext, bytes: Uint8Array): BlockView {
  try {
    return parseBlock(bytes, ctx.crypto);
  } catch (error) {
    if (error instanceof DecodeError) return fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block decode failed');
    throw error;
  }
}

/**
 * A block that arrived as bytes, for links that carry no hex: the same as submitblock.
 * @param client who brought it, for the log
 */
export async function submitBlockBytes(ctx: NodeContext, bytes: Uint8Array, client: string): Promise<string | null> {
  return submit(ctx, blockFromBytes(ctx, bytes), client);
}

async function submit(ctx: NodeContext, block: BlockView, client: string): Promise<string | null> {
  // Newer releases leave that to the check of the block.
  const paid = block.txs[0]?.isCoinbase === true;
  if (!paid && !only(ctx.compat, 30)) fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block does not start with a coinbase');
  const known = ctx.chain.known(block.hash);
  if (known === 'duplicate' || known === 'duplicate-invalid') return known;
  const parent = ctx.chain.node(block.header.prevHash);
  if (parent && paid) ctx.templates.coinbaseSubmitted(client, block.txs[0], parent.height + 1);
  const outcome = await ctx.chain.submitBlock(ctx.chain.withWitnessReserved(block), { force: true });
  await ctx.mempool.settled();
  switch (outcome.kind) {
    case 'accepted':
      return null;
    case 'invalid':
      return verdictWord(outcome.reject) ?? 'rejected';
    default:
      return outcome.kind;
  }
}

/** How the log names who calls. */
const userName = (user: string): string => `RPC user ${JSON.stringify(user)}`;

/** BIP-0022's second argument; BFGMiner sends one without a workid, others text. */
function workIdOf(parameters: JsonValue | undefined): string | null {
  const workId = parameters instanceof JsonObject ? parameters.get('workid') : null;
  return typeof workId === 'string' ? workId : null;
}

/**
 * The transaction after a header that fills the rest of the bytes; null when they hold something else, a whole block
 * for one.
 */
function coinbaseAfterHeader(ctx: NodeContext, bytes: Uint8Array): TxView | null {
  try {
    const coinbase = parseTx(bytes.subarray(HEADER_SIZE), ctx.crypto, { exact: true });
    return coinbase.isCoinbase ? coinbase : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

/** A block on a light template: header and coinbase, to which the template's transactions are added. */
function submitWork(ctx: NodeContext, bytes: Uint8Array, workId: string, client: string): Promise<string | null> | string {
  const coinbase = bytes.length > HEADER_SIZE ? coinbaseAfterHeader(ctx, bytes) : null;
  if (coinbase === null) return submit(ctx, blockFromBytes(ctx, bytes), client);
  const txs = ctx.templates.pinned(workId);
  if (txs === null) return 'stale-work';
  const block = buildBlock(bytes.subarray(0, HEADER_SIZE), [coinbase.bytes, ...txs.map((tx) => tx.bytes)]);
  return submit(ctx, blockFromBytes(ctx, block), client);
}

export const submitblock: NodeRun = (ctx, args, call) => {
  const bytes = bytesOf(asString(args[0]), call);
  const workId = workIdOf(args[1]);
  const client = userName(call.user);
  return workId === null ? submit(ctx, blockFromBytes(ctx, bytes), client) : submitWork(ctx, bytes, workId, client);
};

export const submitheader: NodeRun = async (ctx, args) => {
  const bytes = hexBytes(asString(args[0]));
  if (!bytes || bytes.length < HEADER_SIZE) return fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block header decode failed');
  const header = parseHeader(bytes, ctx.crypto);
  if (!ctx.chain.node(header.prevHash)) {
    fail(RPC_CODE.VERIFY_ERROR, `Must submit previous header (${hashHex(header.prevHash)}) first`);
  }
  const verdict = await ctx.chain.submitHeader(header.bytes);
  if (verdict === null) return null;
  const again = verdict.category === 'cached' && only(ctx.compat, 30) ? 'duplicate-invalid' : verdict.reason;
  return fail(RPC_CODE.VERIFY_ERROR, again);
};

/** On the node thread: proposals always, templates when they come inside a batch. */
export const getblocktemplate: NodeRun = (ctx, args, call) => {
  const request = parseTemplateRequest(args);
  return request.mode === 'proposal' ? propose(ctx, decodeBlock(ctx, request.data)) : ctx.templates.getBlockTemplate(request, call.signal);
};
