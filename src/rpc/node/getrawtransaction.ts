// getrawtransaction: from the pool, from a named block, or through the transaction index. And decoderawtransaction for bodies that are too
// large for a front.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { asBool, asHash, asInt } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { txToDecode } from '../front/decode.js';
import { hashHex } from '../render/hex.js';
import { txHex, txMembersSliced } from '../render/tx.js';
import { JsonNumber, type JsonResult } from '../wire/values.js';
import type { HeaderInfo, NodeContext } from './context.js';
import { readBlock, renderContext } from './lookup.js';
import { Slicer } from './slices.js';

interface Found {
  readonly tx: TxView;
  /** Internal order; null in the pool. */
  readonly blockHash: Uint8Array | null;
}

const missing = (what: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `${what}. Use gettransaction for wallet transactions.`);

async function inBlock(ctx: NodeContext, txid: string, node: HeaderInfo, signal: AbortSignal | undefined): Promise<Found> {
  if (!ctx.chain.hasBlock(node)) fail(RPC_CODE.MISC_ERROR, 'Block not available');
  const block = await ctx.heavy.pass(signal, () => readBlock(ctx, node));
  const tx = block.txs.find((one) => hashHex(one.txid) === txid);
  return tx ? { tx, blockHash: node.hash } : missing('No such transaction found in the provided block');
}

async function anywhere(ctx: NodeContext, txid: Uint8Array): Promise<Found> {
  await ctx.mempool.settled();
  const pooled = ctx.mempool.get(txid);
  if (pooled) return { tx: pooled.tx, blockHash: null };
  const index = ctx.txIndex;
  if (!index) {
    return missing('No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries');
  }
  const synced = await index.synced();
  const found = await index.find(txid);
  if (found) return found;
  if (!synced) return missing('No such mempool transaction. Blockchain transactions are still in the process of being indexed');
  return missing('No such mempool or blockchain transaction');
}

/** Hash and depth of the block a transaction is in. */
function place(ctx: NodeContext, blockHash: Uint8Array): Record<string, JsonResult> {
  const out: Record<string, JsonResult> = { blockhash: hashHex(blockHash) };
  const node = ctx.chain.node(blockHash);
  if (!node) return out;
  if (!ctx.chain.contains(node)) return { ...out, confirmations: 0 };
  return { ...out, confirmations: 1 + ctx.chain.tip.height - node.height, time: node.time, blocktime: node.time };
}

export const getrawtransaction: Run<NodeContext> = async (ctx, args, call) => {
  const [id, flag = null, blockhash = null] = args;
  const txid = asHash(id, 'parameter 1');
  if (hashHex(txid) === hashHex(ctx.chain.genesis.merkleRoot)) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved');
  }
  const verbose = flag !== null && (flag instanceof JsonNumber ? asInt(flag) !== 0 : asBool(flag));
  let node: HeaderInfo | null = null;
  if (blockhash !== null) {
    node = ctx.chain.node(asHash(blockhash, 'parameter 3')) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Block hash not found');
  }
  const { tx, blockHash } = node ? await inBlock(ctx, hashHex(txid), node, call.signal) : await anywhere(ctx, txid);
  if (!verbose) return txHex(tx);
  return {
    in_active_chain: node ? ctx.chain.contains(node) : undefined,
    ...(await txMembersSliced(tx, renderContext(ctx), new Slicer(call.breathe))),
    hex: txHex(tx),
    ...(blockHash ? place(ctx, blockHash) : {}),
  };
};

export const decoderawtransaction: Run<NodeContext> = (ctx, args, call) =>
  txMembersSliced(txToDecode(args, ctx.crypto), renderContext(ctx), new Slicer(call.breathe));
