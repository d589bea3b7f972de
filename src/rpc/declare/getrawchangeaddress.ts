// Declares getrawchangeaddress; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getrawchangeaddress: MethodSpec = {
  name: 'getrawchangeaddress',
  category: 'wallet',
  runs: 'node',
  description: 'Gives a new address for change, for raw transactions.',
  args: [
    {
      name: 'address_type',
      type: 'str',
      default: 'set by -addresstype',
      help: 'legacy, p2sh-segwit or bech32; bech32m of descriptor wallets with tr(), not on regtest',
    },
  ],
  results: [{ type: 'str', help: 'The address' }],
  examples: [{ cli: '', rpc: '' }],
};
