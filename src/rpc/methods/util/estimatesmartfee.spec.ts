import { amount, arr, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const estimatesmartfee: MethodSpec = {
  name: 'estimatesmartfee',
  category: 'util',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  checks: 'types',
  description:
    'What a transaction should pay per kB to confirm within conf_target blocks, as far as past blocks tell.\nSizes are virtual (BIP141): witness data counts a quarter.',
  args: [
    num('conf_target', 'Blocks (1 - 1008)'),
    str(
      'estimate_mode',
      'conservative looks further back and answers with more when fees have just fallen; economical follows at once.\nOne of "unset", "economical", "conservative".',
      { default: 'economical, before release 28 conservative' },
    ),
    obj('options?', '', { since: 32 }, [
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
      arr('errors?', '', [str('Why there is no answer')]),
      str('estimator?', 'Estimator that was used; absent if the options name one', { since: 32 }),
      num('blocks', 'The target this answers: the one asked for, or the longest that there is data for, at least 2'),
    ]),
  ],
  examples: [{ cli: '6' }],
};
