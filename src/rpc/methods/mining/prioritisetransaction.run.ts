import { MOST_DELTA } from '../../../mempool/options.js';
import { follows } from '../../../policy/compat.js';
import { asDouble, asInt64Within } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { prioritisetransaction as spec } from './prioritisetransaction.spec.js';

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
