import { ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getnewaddress: MethodSpec = {
  name: 'getnewaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Returns a new address to receive payments.',
  args: [str('label', 'The label', { default: '""' }), str('address_type', ADDRESS_TYPES_HELP, { default: 'set by -addresstype' })],
  results: [str('The address')],
  examples: [{ cli: '', rpc: '' }],
};
