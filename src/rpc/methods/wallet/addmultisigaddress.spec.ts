// Declares addmultisigaddress.

import { SCRIPT_ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { MULTISIG_RESULTS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const addmultisigaddress: MethodSpec = {
  name: 'addmultisigaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Makes an address that needs some of several keys to spend, and keeps its script.',
  args: [
    { name: 'nrequired', type: 'num', help: 'How many of the keys must sign' },
    {
      name: 'keys',
      type: 'arr',
      help: 'The public keys, or addresses of the wallet',
      inner: [{ name: 'key', type: 'str', help: 'A public key in hex, or an address' }],
    },
    { name: 'label', type: 'str', optional: true, help: 'A label for the address' },
    { name: 'address_type', type: 'str', default: 'set by -addresstype', help: SCRIPT_ADDRESS_TYPES_HELP },
  ],
  results: MULTISIG_RESULTS,
  examples: [
    {
      cli: '2 "[\\"16sSauSf5pF2UkUwvKGq4qjNRzBZYqgEL5\\",\\"171sgjn4YtPu27adkKGrdDwzRTxnRkBfKV\\"]"',
      rpc: '2, ["16sSauSf5pF2UkUwvKGq4qjNRzBZYqgEL5","171sgjn4YtPu27adkKGrdDwzRTxnRkBfKV"]',
    },
  ],
};
