import type { BlockView } from '../../../consensus/block/block-view.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { shows } from '../../../policy/compat.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { heavyCall } from '../../node/heavy-call.js';
import { confirmationsOf, notFound, readBlock, readUndo, renderContext, verbosityOf } from '../../node/lookup.js';
import { mapSliced, Slicer } from '../../node/slices.js';
import { headerHead, headerTail } from '../../render/header.js';
import { hashHex, hex } from '../../render/hex.js';
import { txHex, txMembersSliced } from '../../render/tx.js';
import { encodeJson } from '../../wire/json-write.js';
import { Pieces } from '../../wire/pieces.js';
import { type JsonResult, RawJson } from '../../wire/values.js';
import type { getblock as spec } from './getblock.spec.js';

/**
 * Returns all transactions of a block as JSON objects. Fees are included if the outputs that the block spent are known.
 */
async function wholeTransactions(
  ctx: NodeContext,
  node: HeaderInfo,
  { txs }: BlockView,
  prevouts: boolean,
  yieldToUrgent?: () => unknown,
): Promise<RawJson> {
  const render = renderContext(ctx);
  const undo = shows(ctx.compat, { since: 22 }) && ctx.blocks.hasUndo(node) ? await readUndo(ctx, node) : null;
  const shown = prevouts && shows(ctx.compat, { since: 23 });
  const slicer = new Slicer(yieldToUrgent);
  const pieces = new Pieces(',');
  for (const [i, tx] of txs.entries()) {
    const spent = undo === null || i === 0 ? null : { coins: undo[i - 1], shown };
    pieces.add(encodeJson({ ...(await txMembersSliced(tx, render, slicer, spent)), hex: txHex(tx) }));
    if (slicer.due) await slicer.pause();
  }
  return new RawJson(`[${pieces.text()}]`);
}

export const getblock: NodeRun<typeof spec> = (params, ctx, call) => {
  const { blockhash: hash } = params;
  const verbosity = verbosityOf(ctx, params.verbosity, 1);
  const node = ctx.chain.node(hash) ?? notFound();
  return heavyCall(ctx.heavy, call.signal, () => wholeBlock(ctx, node, verbosity, call.yieldToUrgent));
};

/** Returns the members about the input of a coinbase. */
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

async function wholeBlock(ctx: NodeContext, node: HeaderInfo, verbosity: number, yieldToUrgent?: () => unknown): Promise<JsonResult> {
  const block = await readBlock(ctx, node);
  if (verbosity <= 0) return hex(block.bytes);
  const tx =
    verbosity === 1
      ? await mapSliced(block.txs, (one) => hashHex(one.txid), yieldToUrgent)
      : await wholeTransactions(ctx, node, block, verbosity > 2, yieldToUrgent);
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
