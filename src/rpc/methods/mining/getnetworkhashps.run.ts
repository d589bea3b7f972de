import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { networkHashes } from '../../node/mining-info.js';
import { Double } from '../../wire/values.js';
import type { getnetworkhashps as spec } from './getnetworkhashps.spec.js';

export const getnetworkhashps: NodeRun<typeof spec> = ({ nblocks: lookback, height }, ctx) => {
  if (follows(ctx.compat, 26)) {
    if (lookback < -1 || lookback === 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid nblocks. Must be a positive number or -1.');
    if (height < -1 || height > ctx.chain.tip.height) fail(RPC_CODE.INVALID_PARAMETER, 'Block does not exist at specified height');
  }
  return new Double(networkHashes(ctx.chain, lookback, height));
};
