import { declare } from '../../declare/parameters.js';
import { amount, arr, num, obj, str } from '../../declare/parts.js';

export const estimatesmartfee = declare({
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
