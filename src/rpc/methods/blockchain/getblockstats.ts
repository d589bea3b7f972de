import { follows } from '../../../policy/compat.js';
import { asString } from '../../args.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, fixed, hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { blockAt } from '../../node/lookup.js';
import { blockFacts, storedBlock, storedUndo } from '../../node/read-facts.js';
import { PendingRead } from '../../reads/read-job.js';
import type { JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'getblockstats',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns statistics of one block of the best chain. Amounts are in satoshis.',
  args: [
    num('hash_or_height', 'Hash or height of the block', { anyType: true, shortForm: 'hash_or_height', typeWords: 'string or numeric' }),
    arr('stats', 'Values to return', { default: 'all values', oneline: 'stats' }, [
      str('height?', 'One value'),
      str('time?', 'Another value'),
    ]),
  ],
  results: [
    obj([
      num('avgfee', 'Average fee'),
      num('avgfeerate', 'Average feerate, satoshis per virtual byte'),
      num('avgtxsize', 'Average transaction size'),
      hex('blockhash', 'The block hash'),
      fixed('feerate_percentiles', 'Feerates at five percentiles of the weight', [
        num('10th'),
        num('25th'),
        num('50th'),
        num('75th'),
        num('90th'),
      ]),
      num('height', 'Height of the block'),
      num('ins', 'Inputs without the coinbase'),
      num('maxfee', 'Highest fee'),
      num('maxfeerate', 'Highest feerate'),
      num('maxtxsize', 'Largest transaction size'),
      num('medianfee', 'Median (truncated) fee'),
      num('mediantime', 'Median time past'),
      num('mediantxsize', 'Median (truncated) transaction size'),
      num('minfee', 'Lowest fee'),
      num('minfeerate', 'Lowest feerate'),
      num('mintxsize', 'Smallest transaction size'),
      num('outs', 'Outputs'),
      num('subsidy', 'The subsidy'),
      num('swtotal_size', 'Size of all segwit transactions'),
      num('swtotal_weight', 'Weight of all segwit transactions'),
      num('swtxs', 'Segwit transactions'),
      num('time', 'Block time'),
      num('total_out', 'Amount of all outputs without the coinbase'),
      num('total_size', 'Size of all transactions without the coinbase'),
      num('total_weight', 'Weight of all transactions without the coinbase'),
      num('totalfee', 'All fees'),
      num('txs', 'Transactions with the coinbase'),
      num('utxo_increase', 'Growth of the number of unspent outputs'),
      num('utxo_size_inc', 'Growth of the size of the unspent set'),
      num('utxo_increase_actual', 'Growth of the number of unspent outputs, without unspendable outputs', { since: 25 }),
      num('utxo_size_inc_actual', 'Growth of the size, without unspendable outputs', { since: 25 }),
    ]),
  ],
  examples: [{ cli: `1000 '["minfeerate","avgfeerate"]'`, rpc: '1000, ["minfeerate","avgfeerate"]' }],
});

function target(ctx: NodeContext, value: JsonValue): HeaderInfo {
  const { chain } = ctx;
  const node = blockAt(ctx, value);
  // Since release 22, Core accepts any block whose undo data is stored.
  if (!chain.contains(node) && !follows(ctx.compat, 22)) fail(RPC_CODE.INVALID_PARAMETER, `Block is not in chain ${chain.params.name}`);
  return node;
}

export const getblockstats: NodeRun<typeof spec> = (params, ctx) => {
  const node = target(ctx, params.hash_or_height);
  const wanted = params.stats === undefined ? [] : params.stats.map(asString);
  const { height, mediantime } = blockFacts(ctx, node);
  const undo = storedUndo(ctx, node);
  return new PendingRead({ kind: 'stats', block: storedBlock(ctx, node), facts: { height, mediantime }, undo, wanted });
};
