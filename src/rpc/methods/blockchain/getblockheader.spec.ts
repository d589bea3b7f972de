import { HEADER_MEMBERS, HEADER_TAIL } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, hash, hex, num, obj } from '../../declare/parts.js';

export const getblockheader = declare({
  name: 'getblockheader',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns a block header as an object, or as hex if verbose is false.',
  args: [
    hash('blockhash', 'The block hash', { errorName: 'hash' }),
    bool('verbose', 'true for an object, false for hex', { default: 'true' }),
  ],
  results: [
    obj({ when: 'for verbose = true' }, [
      hex('hash', 'The block hash'),
      num('confirmations', 'Confirmations, -1 off the best chain'),
      ...HEADER_MEMBERS,
      ...HEADER_TAIL,
    ]),
    hex('The header', { when: 'for verbose = false' }),
  ],
  examples: [
    {
      cli: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
      rpc: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
    },
  ],
});
