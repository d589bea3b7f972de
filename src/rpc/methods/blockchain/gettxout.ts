// Returns an unspent output, with or without considering the mempool.

import { follows } from '../../../policy/compat.js';
import { asInt, asUint32 } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { SCRIPT_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, bool, hex, none, num, obj, str } from '../../declare/parts.js';
import { outpointOf, renderContext } from '../../node/lookup.js';
import { scriptMembers } from '../../render/script.js';
import { Amount, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'gettxout',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns an unspent output, or null if there is none.',
  args: [
    str('txid', 'The transaction id', { as: 'hash' }),
    num('n', 'Number of the output', { as: 'json' }),
    bool('include_mempool', 'Whether to consider the mempool. Outputs that a transaction in the mempool spends are then not returned', {
      default: 'true',
    }),
  ],
  results: [
    none({ when: 'if there is no such output' }),
    obj({ when: 'otherwise' }, [
      hex('bestblock', 'Hash of the tip'),
      num('confirmations', 'Confirmations'),
      amount('value', 'Amount in BTC'),
      obj('scriptPubKey', '', SCRIPT_MEMBERS),
      bool('coinbase', 'Whether the output belongs to a coinbase'),
    ]),
  ],
  examples: [{ cli: '"txid" 1', rpc: '"txid", 1' }],
});

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
