// Declares getnewaddress.
import { ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getnewaddress: MethodSpec = {
  name: 'getnewaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
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
