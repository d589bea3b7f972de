import { SCRIPT_ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { MULTISIG_RESULTS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, str } from '../../declare/parts.js';

export const createmultisig = declare({
  name: 'createmultisig',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Creates a multisig address that requires some of several keys to spend. It does not add the address to a\nwallet.',
  args: [
    num('nrequired', 'Number of required signatures'),
    arr('keys', 'The public keys', [hex('key', 'A public key')]),
    str('address_type', `The address type: ${SCRIPT_ADDRESS_TYPES_HELP}`, { default: 'legacy' }),
  ],
  results: MULTISIG_RESULTS,
  examples: [
    {
      title: 'Two keys, both required',
      cli: '2 "[\\"03789ed0bb717d88f7d321a368d905e7430207ebbd82bd342cf11ae157a7ace5fd\\",\\"03dbc6764b8884a92e871274b87583e6d5c2a58819473e17e107ef3f6aa5a61626\\"]"',
      rpc: '2, ["03789ed0bb717d88f7d321a368d905e7430207ebbd82bd342cf11ae157a7ace5fd","03dbc6764b8884a92e871274b87583e6d5c2a58819473e17e107ef3f6aa5a61626"]',
    },
  ],
});
