import { bool, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const dumptxoutset: MethodSpec = {
  name: 'dumptxoutset',
  category: 'hidden',
  moved: { since: 26, category: 'blockchain' },
  runs: 'node',
  description: 'Writes all unspent outputs to a file, as they stand at the tip when the call begins. The file must not exist.',
  args: [
    str('path', "The file. A relative path starts at the network's data folder."),
    str('type', '"latest": the coins at the tip', { since: 29, default: '""' }),
    obj('options?', '', { since: 29, namedMembers: true }, [
      num('rollback?', 'The block to write the coins of; only the tip is taken', { anyType: true, typeWords: 'string or numeric' }),
      bool('in_memory', 'Taken and without effect', { since: 32, default: 'false' }),
    ]),
  ],
  results: [
    obj([
      num('coins_written', 'Unspent outputs in the file'),
      hex('base_hash', 'Hash of the block they stand at'),
      num('base_height', 'Its height'),
      str('path', 'The file with its full path'),
      hex('txoutset_hash', 'Hash of the coins', { since: 23 }),
      num('nchaintx', 'Transactions of the chain up to that block', { since: 23 }),
    ]),
  ],
  examples: [{ cli: 'utxo.dat latest' }],
  waits: true,
};
