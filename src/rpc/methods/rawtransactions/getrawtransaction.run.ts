import { equalBytes } from '../../../consensus/bytes/hex.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { follows, shows } from '../../../policy/compat.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { type Found, searchTransaction } from '../../node/getrawtransaction.js';
import { heavyCall } from '../../node/heavy-call.js';
import { readBlock, readUndo, renderContext, verbosityOf } from '../../node/lookup.js';
import { Slicer } from '../../node/slices.js';
import { hashHex } from '../../render/hex.js';
import { type SpentOutputs, txHex, txMembersSliced } from '../../render/tx.js';
import type { JsonResult } from '../../wire/values.js';
import type { getrawtransaction as spec } from './getrawtransaction.spec.js';

const missing = (what: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `${what}. Use gettransaction for wallet transactions.`);

async function inBlock(ctx: NodeContext, txid: string, node: HeaderInfo, signal: AbortSignal | undefined): Promise<Found> {
  if (!ctx.blocks.hasBlock(node)) fail(RPC_CODE.MISC_ERROR, 'Block not available');
  const block = await heavyCall(ctx.heavy, signal, () => readBlock(ctx, node));
  const tx = block.txs.find((one) => hashHex(one.txid) === txid);
  return tx ? { tx, blockHash: node.hash } : missing('No such transaction found in the provided block');
}

async function anywhere(ctx: NodeContext, txid: Uint8Array): Promise<Found> {
  const { found, synced } = await searchTransaction(ctx, txid);
  if (found) return found;
  if (!ctx.txIndex) {
    return missing('No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries');
  }
  if (!synced) return missing('No such mempool transaction. Blockchain transactions are still in the process of being indexed');
  return missing('No such mempool or blockchain transaction');
}

/** Returns the members about the block of a transaction: hash, confirmations, and time. */
function place(ctx: NodeContext, blockHash: Uint8Array): Record<string, JsonResult> {
  const out: Record<string, JsonResult> = { blockhash: hashHex(blockHash) };
  const node = ctx.chain.node(blockHash);
  if (!node) return out;
  if (!ctx.chain.contains(node)) return { ...out, confirmations: 0 };
  return { ...out, confirmations: 1 + ctx.chain.tip.height - node.height, time: node.time, blocktime: node.time };
}

/** Returns the outputs that a confirmed transaction spent; null for a coinbase, or if they are unknown. */
async function spentBy(ctx: NodeContext, tx: TxView, blockHash: Uint8Array, signal: AbortSignal | undefined): Promise<SpentOutputs | null> {
  const node = ctx.chain.node(blockHash);
  if (tx.isCoinbase || !node || !ctx.blocks.hasBlock(node) || !ctx.blocks.hasUndo(node)) return null;
  const [block, undo] = await heavyCall(ctx.heavy, signal, () => Promise.all([readBlock(ctx, node), readUndo(ctx, node)]));
  const at = block.txs.findIndex((one) => equalBytes(one.txid, tx.txid));
  return at < 1 ? null : { coins: undo[at - 1], shown: true };
}

export const getrawtransaction: NodeRun<typeof spec> = async (params, ctx, call) => {
  const { txid } = params;
  if (hashHex(txid) === hashHex(ctx.chain.genesis.merkleRoot)) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved');
  }
  const verbosity = verbosityOf(ctx, params.verbose, 0);
  let node: HeaderInfo | null = null;
  if (params.blockhash !== undefined) {
    node = ctx.chain.node(params.blockhash) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Block hash not found');
  }
  const { tx, blockHash, pooledSize } = node ? await inBlock(ctx, hashHex(txid), node, call.signal) : await anywhere(ctx, txid);
  if (verbosity === 0 || (verbosity < 0 && follows(ctx.compat, 25))) return txHex(tx);
  const spent = verbosity > 1 && blockHash && shows(ctx.compat, { since: 25 }) ? await spentBy(ctx, tx, blockHash, call.signal) : null;
  return {
    in_active_chain: node ? ctx.chain.contains(node) : undefined,
    vsize_adjusted: shows(ctx.compat, { since: 32 }) ? pooledSize : undefined,
    ...(await txMembersSliced(tx, renderContext(ctx), new Slicer(call.yieldToUrgent), spent)),
    hex: txHex(tx),
    ...(blockHash ? place(ctx, blockHash) : {}),
  };
};
