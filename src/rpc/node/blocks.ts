// getblockhash, getblockheader, getblock: blocks as headers, hex and objects. Whole transactions are rendered in slices from
// the block's bytes, which nothing changes.
import { asBool, asHash, asInt } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { headerHead, headerTail } from '../render/header.js';
import { hashHex, hex } from '../render/hex.js';
import { txHex, txMembers } from '../render/tx.js';
import { encodeJson } from '../wire/json-write.js';
import { JsonNumber, type JsonResult, type JsonValue, RawJson } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { confirmationsOf, notFound, readBlock, renderContext } from './lookup.js';
import { mapSliced } from './slices.js';

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

export const getblock: NodeRun = async (ctx, args) => {
  const hash = asHash(args[0], 'blockhash');
  const verbosity = verbosityOf(args[1] ?? null);
  const node = ctx.chain.node(hash) ?? notFound();
  const block = await readBlock(ctx, node);
  if (verbosity <= 0) return hex(block.bytes);
  const render = renderContext(ctx);
  const tx: JsonResult =
    verbosity === 1
      ? await mapSliced(block.txs, (one) => hashHex(one.txid))
      : new RawJson(`[${(await mapSliced(block.txs, (one) => encodeJson({ ...txMembers(one, render), hex: txHex(one) }))).join(',')}]`);
  return {
    hash: node.hashHex,
    confirmations: confirmationsOf(ctx, node),
    strippedsize: block.strippedSize,
    size: block.totalSize,
    weight: block.weight,
    ...headerHead(node),
    tx,
    ...headerTail(node, ctx.chain.next(node)),
  };
};
