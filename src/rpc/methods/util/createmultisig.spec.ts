// Declares createmultisig.

import { SCRIPT_ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { MULTISIG_RESULTS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const createmultisig: MethodSpec = {
  name: 'createmultisig',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Makes an address that needs some of several keys to spend. No wallet learns of it.',
  args: [
    { name: 'nrequired', type: 'num', help: 'How many of the keys must sign' },
    {
      name: 'keys',
      type: 'arr',
      help: 'The public keys',
      inner: [{ name: 'key', type: 'hex', help: 'A public key' }],
    },
    { name: 'address_type', type: 'str', default: 'legacy', help: `Kind of address: ${SCRIPT_ADDRESS_TYPES_HELP}` },
  ],
  results: MULTISIG_RESULTS,
  examples: [
    {
      title: 'Two keys, both needed',
      cli: '2 "[\\"03789ed0bb717d88f7d321a368d905e7430207ebbd82bd342cf11ae157a7ace5fd\\",\\"03dbc6764b8884a92e871274b87583e6d5c2a58819473e17e107ef3f6aa5a61626\\"]"',
      rpc: '2, ["03789ed0bb717d88f7d321a368d905e7430207ebbd82bd342cf11ae157a7ace5fd","03dbc6764b8884a92e871274b87583e6d5c2a58819473e17e107ef3f6aa5a61626"]',
    },
  ],
};
