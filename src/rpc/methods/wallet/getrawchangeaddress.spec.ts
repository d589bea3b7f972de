import { ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';

export const getrawchangeaddress = declare({
  name: 'getrawchangeaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Returns a new address for change, for raw transactions.',
  args: [str('address_type', ADDRESS_TYPES_HELP, { default: 'set by -addresstype' })],
  results: [str('The address')],
  examples: [{ cli: '', rpc: '' }],
});
