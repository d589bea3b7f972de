import { ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';

export const getnewaddress = declare({
  name: 'getnewaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Returns a new address to receive payments.',
  args: [str('label', 'The label', { default: '""' }), str('address_type', ADDRESS_TYPES_HELP, { default: 'set by -addresstype' })],
  results: [str('The address')],
  examples: [{ cli: '', rpc: '' }],
});
