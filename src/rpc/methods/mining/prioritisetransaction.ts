import { MOST_DELTA } from '../../../mempool/options.js';
import { follows } from '../../../policy/compat.js';
import { asDouble, asInt64Within } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, hash, num } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'prioritisetransaction',
  category: 'mining',
  runs: 'node',
  description:
    'Changes the fee that adit assumes for a transaction when it selects transactions for blocks. The fee that the\ntransaction pays does not change.',
  args: [
    hash('txid', 'The transaction'),
    num('dummy?', 'Old priority, must be 0 or null', { as: 'json' }),
    num('fee_delta', 'Satoshis to add (negative: to subtract), at most 2^52. Several calls add up', { as: 'json' }),
  ],
  results: [bool('Always true')],
  examples: [{ cli: '"txid" 0.0 10000', rpc: '"txid", 0.0, 10000' }],
});

export const prioritisetransaction: NodeRun<typeof spec> = ({ txid, dummy, fee_delta }, ctx) => {
  const number = (): number => (dummy === null ? 0 : asDouble(dummy));
  if (follows(ctx.compat, 28)) number();
  const delta = asInt64Within(fee_delta, MOST_DELTA);
  if (number() !== 0) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Priority is no longer supported, dummy argument to prioritisetransaction must be 0.');
  }
  if (ctx.mempool.hasFixedFee(txid)) fail(RPC_CODE.INVALID_PARAMETER, 'Priority is not supported for transactions with dust outputs.');
  ctx.mempool.prioritise(txid, delta);
  return true;
};
