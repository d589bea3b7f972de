// Declares getnewaddress; types.ts says what a declaration is for.
import { ADDRESS_TYPES_HELP } from './address-parts.js';
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
      help: ADDRESS_TYPES_HELP,
    },
  ],
  results: [{ type: 'str', help: 'The address' }],
  examples: [{ cli: '', rpc: '' }],
};
