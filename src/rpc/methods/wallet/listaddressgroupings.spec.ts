import { amount, arr, fixed, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listaddressgroupings: MethodSpec = {
  name: 'listaddressgroupings',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description:
    "Groups addresses that were spent together or are the change of one another: anyone who reads the chain may take them for one owner's.",
  args: [],
  results: [
    arr([arr('A group', [fixed('An address', [str('The address'), amount('Its balance in BTC'), str('Its label', { optional: true })])])]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
