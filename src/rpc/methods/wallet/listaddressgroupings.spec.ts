import { declare } from '../../declare/parameters.js';
import { amount, arr, fixed, str } from '../../declare/parts.js';

export const listaddressgroupings = declare({
  name: 'listaddressgroupings',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description:
    'Returns groups of addresses that were spent together or are the change of one another. Anyone who reads the\nchain may assume that a group has one owner.',
  args: [],
  results: [
    arr([
      arr('A group', [
        fixed('An address', [str('The address'), amount('Balance of the address in BTC'), str('The label', { optional: true })]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
