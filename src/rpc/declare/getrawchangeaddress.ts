// Declares getrawchangeaddress; types.ts says what a declaration is for.
import { ADDRESS_TYPES_HELP } from './address-parts.js';
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
      help: ADDRESS_TYPES_HELP,
    },
  ],
  results: [{ type: 'str', help: 'The address' }],
  examples: [{ cli: '', rpc: '' }],
};
