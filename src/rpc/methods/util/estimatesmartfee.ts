// Core: rpc/fees.cpp.

import { follows, shows } from '../../../policy/compat.js';
import { asInt, asObject, asString, checkMembers } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { confirmTarget, feeEstimates } from '../../node/estimate-fee.js';
import { Amount, type JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'estimatesmartfee',
  category: 'util',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  checks: 'types',
  description:
    'Estimates the fee rate per kvB with which a transaction confirms within conf_target blocks, from past blocks.\nSizes are virtual (BIP141): witness data counts a quarter.',
  args: [
    num('conf_target', 'Blocks (1 - 1008)'),
    str(
      'estimate_mode',
      'The mode of the estimate: "unset", "economical" or "conservative".\nconservative considers a longer history and returns higher rates shortly after fees have fallen. economical follows at once',
      { default: 'economical, before release 28 conservative' },
    ),
    obj('options?', '', { as: 'json', since: 32 }, [
      str('fee_rate_estimator', 'none or block_policy: estimate from past blocks. adit has no estimator that uses the mempool.', {
        default: 'none',
      }),
      num('verbosity', 'Accepted without effect: verbosity 2 concerns the estimator that uses the mempool', {
        default: '1',
      }),
    ]),
  ],
  results: [
    obj([
      amount('feerate?', 'Fee rate in BTC/kB (absent with errors)'),
      arr('errors?', '', [str('Reasons why there is no estimate')]),
      str('estimator?', 'Estimator that was used; absent if the options name one', { since: 32 }),
      num('blocks', 'The target of the estimate: the requested one, or the longest one with data, at least 2'),
    ]),
  ],
  examples: [{ cli: '6' }],
});

const MODES = ['UNSET', 'ECONOMICAL', 'CONSERVATIVE'];

/**
 * Core's names of two estimators: the one that uses past blocks (adit's only one), and the one that uses the mempool.
 */
const ESTIMATOR = 'block_policy';
const MEMPOOL_ESTIMATOR = 'mempool_policy';

/** Returns the estimator in the options; `none` lets the node choose. */
function estimatorOf(value: JsonValue | undefined): string {
  if ((value ?? null) === null) return 'none';
  const options = asObject(value);
  checkMembers(options, { fee_rate_estimator: 'string', verbosity: 'number' }, { allowNull: true, strict: true });
  const name = options.get('fee_rate_estimator') ?? null;
  const verbosity = options.get('verbosity') ?? null;
  // The number has no effect, but must be one of 32 bits.
  if (verbosity !== null) asInt(verbosity);
  return name === null ? 'none' : asString(name).toLowerCase();
}

export const estimatesmartfee: NodeRun<typeof spec> = (params, ctx) => {
  const fees = feeEstimates(ctx);
  const target = confirmTarget(fees.highestTarget('long'), params.conf_target);
  const preset = follows(ctx.compat, 28) ? 'ECONOMICAL' : 'CONSERVATIVE';
  const mode = params.estimate_mode === undefined ? preset : params.estimate_mode.toUpperCase();
  if (!MODES.includes(mode)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Invalid estimate_mode parameter, must be one of: "unset", "economical", "conservative"');
  }
  const estimator = estimatorOf(params.options);
  if (estimator === MEMPOOL_ESTIMATOR)
    return { errors: ['adit has no estimator that uses the mempool. Use block_policy or none.'], blocks: 0 };
  // Since release 28, the default mode is economical.
  const isConservative = mode === 'CONSERVATIVE' || (mode === 'UNSET' && preset === 'CONSERVATIVE');
  const { feeRate, blocks } = fees.smart(target, isConservative);
  if (feeRate === 0) return { errors: ['Insufficient data or no feerate found'], blocks };
  const { minFeeRate, minRelayFeeRate } = ctx.mempool.stats();
  const paid = follows(ctx.compat, 23) ? Math.max(feeRate, minFeeRate, minRelayFeeRate) : feeRate;
  const named = estimator !== ESTIMATOR && shows(ctx.compat, { since: 32 }) ? { estimator: ESTIMATOR } : {};
  return { feerate: new Amount(paid), ...named, blocks };
};
