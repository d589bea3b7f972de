// Declares getrawchangeaddress.
import { ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getrawchangeaddress: MethodSpec = {
  name: 'getrawchangeaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
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
