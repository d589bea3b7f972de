import { declare } from '../../declare/parameters.js';
import { hex, num, obj, str } from '../../declare/parts.js';

export const loadtxoutset = declare({
  name: 'loadtxoutset',
  category: 'blockchain',
  runs: 'node',
  since: 26,
  description:
    'Loads the unspent outputs of a block from a file and continues from that block at once. The node downloads and\nvalidates the earlier blocks in the background, and then compares their unspent outputs with those of the\nfile. It accepts only files whose hash this release contains.' +
    'validated in the background; in the end their outputs are compared with those of the file. Only files are taken whose hash this\n' +
    'release knows.',
  args: [str('path', 'The file. A relative path is relative to the network folder')],
  results: [
    obj([
      num('coins_loaded', 'Unspent outputs in the file'),
      hex('tip_hash', 'Hash of the block of the snapshot'),
      num('base_height', 'Its height'),
      str('path', 'Absolute path of the file'),
    ]),
  ],
  examples: [{ cli: 'utxo.dat' }],
  waits: true,
});
