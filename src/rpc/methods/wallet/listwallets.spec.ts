// Declares listwallets.
import type { MethodSpec } from '../../declare/types.js';

export const listwallets: MethodSpec = {
  name: 'listwallets',
  category: 'wallet',
  runs: 'wallet',
  repeatable: true,
  description: 'Lists the wallets that are loaded.',
  args: [],
  results: [{ type: 'arr', help: '', inner: [{ type: 'str', help: 'Name of a wallet' }] }],
  examples: [{ cli: '', rpc: '' }],
};
