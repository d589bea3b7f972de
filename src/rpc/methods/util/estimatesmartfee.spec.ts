// Declares estimatesmartfee.
import type { MethodSpec } from '../../declare/types.js';

export const estimatesmartfee: MethodSpec = {
  name: 'estimatesmartfee',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description:
    'What a transaction should pay per kB to confirm within conf_target blocks, as far as past blocks tell.\nSizes are virtual (BIP141): witness data counts a quarter.',
  args: [
    { name: 'conf_target', type: 'num', help: 'Blocks (1 - 1008)' },
    {
      name: 'estimate_mode',
      type: 'str',
      default: 'conservative',
      help: 'conservative looks further back and answers with more when fees have just fallen; economical follows at once.\nOne of "unset", "economical", "conservative".',
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'amount', key: 'feerate', optional: true, help: 'Fee rate in BTC/kB (absent with errors)' },
        { type: 'arr', key: 'errors', optional: true, help: '', inner: [{ type: 'str', help: 'Why there is no answer' }] },
        {
          type: 'num',
          key: 'blocks',
          help: 'The target this answers: the one asked for, or the longest that there is data for, at least 2',
        },
      ],
    },
  ],
  examples: [{ cli: '6' }],
};
