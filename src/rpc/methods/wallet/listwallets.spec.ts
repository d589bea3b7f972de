import { declare } from '../../declare/parameters.js';
import { arr, str } from '../../declare/parts.js';

export const listwallets = declare({
  name: 'listwallets',
  category: 'wallet',
  runs: 'wallet',
  repeatable: true,
  description: 'Returns the loaded wallets.',
  args: [],
  results: [arr([str('Name of a wallet')])],
  examples: [{ cli: '', rpc: '' }],
});
