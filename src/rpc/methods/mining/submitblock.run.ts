// Runs submitblock.
import { buildBlock } from '../../../consensus/block/build-block.js';
import { HEADER_SIZE } from '../../../consensus/block/header-view.js';
import { DecodeError } from '../../../consensus/bytes/reader.js';
import { parseTx, type TxView } from '../../../consensus/tx/tx-view.js';
import { asString } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { blockFromBytes, bytesOf, submit } from '../../node/submit.js';
import { JsonObject, type JsonValue } from '../../wire/values.js';

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
