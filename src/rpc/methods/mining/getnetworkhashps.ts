import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { networkHashes } from '../../node/mining-info.js';
import { Double } from '../../wire/values.js';

export const spec = declare({
  name: 'getnetworkhashps',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description:
    "Returns an estimate of the network's hashes per second over the last blocks before a height.\nWith nblocks of zero or less the estimate begins at the last change of difficulty.",
  args: [
    num('nblocks', 'Number of blocks to consider', { default: '120' }),
    num('height', 'Height for which to estimate. -1 means the tip', { default: '-1' }),
  ],
  results: [num('Hashes per second')],
  examples: [{ cli: '', rpc: '' }],
});

export const getnetworkhashps: NodeRun<typeof spec> = ({ nblocks: lookback, height }, ctx) => {
  if (follows(ctx.compat, 26)) {
    if (lookback < -1 || lookback === 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid nblocks. Must be a positive number or -1.');
    if (height < -1 || height > ctx.chain.tip.height) fail(RPC_CODE.INVALID_PARAMETER, 'Block does not exist at specified height');
  }
  return new Double(networkHashes(ctx.chain, lookback, height));
};
