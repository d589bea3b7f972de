// Returns an unspent output, with or without considering the mempool.
import { follows } from '../../../policy/compat.js';
import { asInt, asUint32 } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { outpointOf, renderContext } from '../../node/lookup.js';
import { scriptMembers } from '../../render/script.js';
import { Amount, type JsonResult } from '../../wire/values.js';
import type { gettxout as spec } from './gettxout.spec.js';

/** Describes an output. */
function shown(ctx: NodeContext, out: { value: number; script: Uint8Array; coinbase: boolean; confirmations: number }): JsonResult {
  return {
    bestblock: ctx.chain.tip.hashHex,
    confirmations: out.confirmations,
    value: new Amount(out.value),
    scriptPubKey: scriptMembers(out.script, renderContext(ctx), true),
    coinbase: out.coinbase,
  };
}

export const gettxout: NodeRun<typeof spec> = async (params, ctx) => {
  const { txid } = params;
  const index = follows(ctx.compat, 31) ? asUint32(params.n) : asInt(params.n) >>> 0;
  const { include_mempool: withPool } = params;
  const outpoint = outpointOf(txid, index);
  if (withPool) {
    await ctx.mempool.settled();
    if (ctx.mempool.spender(outpoint)) return null;
    const tx = ctx.mempool.get(txid)?.tx;
    if (tx) {
      if (index >= tx.outputCount) return null;
      return shown(ctx, { value: tx.outputValue(index), script: tx.outputScript(index), coinbase: false, confirmations: 0 });
    }
  }
  const coin = await ctx.coins.coin(outpoint);
  return coin ? shown(ctx, { ...coin, confirmations: ctx.chain.tip.height - coin.height + 1 }) : null;
};
