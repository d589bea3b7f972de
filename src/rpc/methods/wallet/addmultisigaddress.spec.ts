import { SCRIPT_ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { MULTISIG_RESULTS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { arr, num, str } from '../../declare/parts.js';

export const addmultisigaddress = declare({
  name: 'addmultisigaddress',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'wallet',
  description: 'Creates a multisig address that requires some of several keys to spend, and stores its script in the wallet.',
  args: [
    num('nrequired', 'Number of required signatures'),
    arr('keys', 'The public keys, or addresses of the wallet', [str('key', 'A public key in hex, or an address')]),
    str('label?', 'A label for the address'),
    str('address_type', SCRIPT_ADDRESS_TYPES_HELP, { default: 'set by -addresstype' }),
  ],
  results: MULTISIG_RESULTS,
  examples: [
    {
      cli: '2 "[\\"16sSauSf5pF2UkUwvKGq4qjNRzBZYqgEL5\\",\\"171sgjn4YtPu27adkKGrdDwzRTxnRkBfKV\\"]"',
      rpc: '2, ["16sSauSf5pF2UkUwvKGq4qjNRzBZYqgEL5","171sgjn4YtPu27adkKGrdDwzRTxnRkBfKV"]',
    },
  ],
});
