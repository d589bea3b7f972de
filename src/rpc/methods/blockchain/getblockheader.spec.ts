// Declares getblockheader.
import { HEADER_MEMBERS, HEADER_TAIL } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getblockheader: MethodSpec = {
  name: 'getblockheader',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'A block header: as an object, or as hex when verbose is false.',
  args: [
    { name: 'blockhash', type: 'hex', help: 'The block hash' },
    { name: 'verbose', type: 'bool', default: 'true', help: 'true for an object, false for hex' },
  ],
  results: [
    {
      type: 'obj',
      when: 'for verbose = true',
      help: '',
      inner: [
        { type: 'hex', key: 'hash', help: 'The block hash' },
        { type: 'num', key: 'confirmations', help: 'Confirmations, -1 off the best chain' },
        ...HEADER_MEMBERS,
        ...HEADER_TAIL,
      ],
    },
    { type: 'hex', when: 'for verbose = false', help: 'The header' },
  ],
  examples: [
    {
      cli: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
      rpc: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
    },
  ],
};
