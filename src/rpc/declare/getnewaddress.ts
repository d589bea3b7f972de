// Declares getnewaddress; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getnewaddress: MethodSpec = {
  name: 'getnewaddress',
  category: 'wallet',
  runs: 'node',
  description: 'Gives a new address to be paid at.',
  args: [
    { name: 'label', type: 'str', default: '""', help: 'Its label' },
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
