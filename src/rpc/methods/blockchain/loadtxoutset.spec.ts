import { hex, num, obj, str } from '../../declare/parts.js';
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
  args: [str('path', "The file. A relative path starts at the network's data folder.")],
  results: [
    obj([
      num('coins_loaded', 'Unspent outputs in the file'),
      hex('tip_hash', 'Hash of the block they stand at'),
      num('base_height', 'Its height'),
      str('path', 'The file with its full path'),
    ]),
  ],
  examples: [{ cli: 'utxo.dat' }],
  waits: true,
};
