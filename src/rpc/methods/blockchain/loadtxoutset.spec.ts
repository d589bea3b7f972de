// Declares loadtxoutset.
import type { MethodSpec } from '../../declare/types.js';

export const loadtxoutset: MethodSpec = {
  name: 'loadtxoutset',
  category: 'blockchain',
  runs: 'node',
  since: 26,
  description:
    'Loads the unspent outputs of a block from a file, and goes on from that block at once. The blocks before it are downloaded and\n' +
    'validated in the background; in the end their outputs are compared with those of the file. Only files are taken whose hash this\n' +
    'release knows.',
  args: [{ name: 'path', type: 'str', help: "The file. A relative path starts at the network's data folder." }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'coins_loaded', help: 'Unspent outputs in the file' },
        { type: 'hex', key: 'tip_hash', help: 'Hash of the block they stand at' },
        { type: 'num', key: 'base_height', help: 'Its height' },
        { type: 'str', key: 'path', help: 'The file with its full path' },
      ],
    },
  ],
  examples: [{ cli: 'utxo.dat' }],
  waits: true,
};
