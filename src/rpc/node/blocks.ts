// getblockhash, getblockheader, getblock: blocks as headers, hex and objects. Whole transactions are rendered in slices from
// the block's bytes, which nothing changes.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { asBool, asHash, asInt } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { headerHead, headerTail } from '../render/header.js';
import { hashHex, hex } from '../render/hex.js';
import { txHex, txMembersSliced } from '../render/tx.js';
import { encodeJson } from '../wire/json-write.js';
import { Pieces } from '../wire/pieces.js';
import { JsonNumber, type JsonResult, type JsonValue, RawJson } from '../wire/values.js';
import type { HeaderInfo, NodeContext } from './context.js';
import { confirmationsOf, notFound, readBlock, renderContext } from './lookup.js';
import { mapSliced, Slicer } from './slices.js';

type NodeRun = Run<NodeContext>;

export const getblockhash: NodeRun = (ctx, args) => {
  const height = asInt(args[0]);
  const node = height < 0 ? undefined : ctx.chain.atHeight(height);
  return node?.hashHex ?? fail(RPC_CODE.INVALID_PARAMETER, 'Block height out of range');
};

export const getblockheader: NodeRun = (ctx, args) => {
  const hash = asHash(args[0], 'hash');
  const verbose = (args[1] ?? null) === null || asBool(args[1]);
  const node = ctx.chain.node(hash) ?? notFound();
  if (!verbose) return hex(node.headerBytes);
  return {
    hash: node.hashHex,
    confirmations: confirmationsOf(ctx, node),
    ...headerHead(node),
    ...headerTail(node, ctx.chain.next(node)),
  };
};

/** A number, or true for 1 and false for 0. */
function verbosityOf(value: JsonValue): number {
  if (value === null) return 1;
  if (value instanceof JsonNumber) return asInt(value);
  return asBool(value) ? 1 : 0;
}

/** All transactions as objects, as JSON text. */
async function wholeTransactions(ctx: NodeContext, txs: readonly TxView[], breathe?: () => unknown): Promise<RawJson> {
  const render = renderContext(ctx);
  const slicer = new Slicer(breathe);
  const pieces = new Pieces(',');
  for (const tx of txs) {
    pieces.add(encodeJson({ ...(await txMembersSliced(tx, render, slicer)), hex: txHex(tx) }));
    if (slicer.due) await slicer.pause();
  }
  return new RawJson(`[${pieces.text()}]`);
}

export const getblock: NodeRun = (ctx, args, call) => {
  const hash = asHash(args[0], 'blockhash');
  const verbosity = verbosityOf(args[1] ?? null);
  const node = ctx.chain.node(hash) ?? notFound();
  return ctx.heavy.pass(call.signal, () => wholeBlock(ctx, node, verbosity, call.breathe));
};

/** What the coinbase says besides its outputs. */
function coinbaseMembers(tx: TxView): Record<string, JsonResult> {
  const [witness] = tx.witness(0);
  return {
    version: tx.version >>> 0,
    locktime: tx.locktime,
    sequence: tx.sequence(0),
    coinbase: hex(tx.scriptSig(0)),
    ...(witness === undefined ? {} : { witness: hex(witness) }),
  };
}

async function wholeBlock(ctx: NodeContext, node: HeaderInfo, verbosity: number, breathe?: () => unknown): Promise<JsonResult> {
  const block = await readBlock(ctx, node);
  if (verbosity <= 0) return hex(block.bytes);
  const tx =
    verbosity === 1 ? await mapSliced(block.txs, (one) => hashHex(one.txid), breathe) : await wholeTransactions(ctx, block.txs, breathe);
  return {
    hash: node.hashHex,
    confirmations: confirmationsOf(ctx, node),
    strippedsize: block.strippedSize,
    size: block.totalSize,
    weight: block.weight,
    ...headerHead(node),
    coinbase_tx: coinbaseMembers(block.txs[0]),
    tx,
    ...headerTail(node, ctx.chain.next(node)),
  };
}
