// Declares waitforblock.
import type { MethodSpec } from '../../declare/types.js';

export const waitforblock: MethodSpec = {
  name: 'waitforblock',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  description: 'Waits until a certain block is the tip. After the timeout it tells about the tip of that moment.',
  args: [
    { name: 'blockhash', type: 'hex', help: 'The block to wait for.' },
    { name: 'timeout', type: 'num', default: '0', help: 'Milliseconds to wait. 0 is for ever.' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'hash', help: 'The block hash' },
        { type: 'num', key: 'height', help: 'Its height' },
      ],
    },
  ],
  examples: [
    {
      cli: '"0000000000079f8ef3d2c688c244eb7a4570b24c9ed7b4a8c619eb02596f8862" 1000',
      rpc: '"0000000000079f8ef3d2c688c244eb7a4570b24c9ed7b4a8c619eb02596f8862", 1000',
    },
  ],
  waits: true,
};
