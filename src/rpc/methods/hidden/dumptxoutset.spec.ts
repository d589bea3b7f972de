import { declare } from '../../declare/parameters.js';
import { bool, hex, num, obj, str } from '../../declare/parts.js';

export const dumptxoutset = declare({
  name: 'dumptxoutset',
  category: 'hidden',
  moved: { since: 26, category: 'blockchain' },
  runs: 'node',
  description: 'Writes all unspent outputs to a file, as they are at the tip when the call begins. The file must not exist.',
  args: [
    str('path', 'The file. A relative path is relative to the network folder'),
    str('type', '"latest": the coins at the tip', { as: 'json', since: 29, default: '""' }),
    obj('options?', '', { as: 'json', since: 29, namedMembers: true }, [
      num('rollback?', 'The block whose coins to write. Only the tip is possible', { anyType: true, typeWords: 'string or numeric' }),
      bool('in_memory', 'Accepted without effect', { since: 32, default: 'false' }),
    ]),
  ],
  results: [
    obj([
      num('coins_written', 'Unspent outputs in the file'),
      hex('base_hash', 'Hash of the block of the snapshot'),
      num('base_height', 'Its height'),
      str('path', 'Absolute path of the file'),
      hex('txoutset_hash', 'Hash of the coins', { since: 23 }),
      num('nchaintx', 'Number of transactions in the chain up to that block', { since: 23 }),
    ]),
  ],
  examples: [{ cli: 'utxo.dat latest' }],
  waits: true,
});
