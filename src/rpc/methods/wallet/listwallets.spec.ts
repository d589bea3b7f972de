import { arr, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listwallets: MethodSpec = {
  name: 'listwallets',
  category: 'wallet',
  runs: 'wallet',
  repeatable: true,
  description: 'Returns the loaded wallets.',
  args: [],
  results: [arr([str('Name of a wallet')])],
  examples: [{ cli: '', rpc: '' }],
};
