// Declares dumptxoutset.
import type { MethodSpec } from '../../declare/types.js';

export const dumptxoutset: MethodSpec = {
  name: 'dumptxoutset',
  category: 'hidden',
  runs: 'node',
  description: 'Writes all unspent outputs to a file, as they stand at the tip when the call begins. The file must not exist.',
  args: [
    { name: 'path', type: 'str', help: "The file. A relative path starts at the network's data folder." },
    { name: 'type', since: 29, type: 'str', default: '""', help: '"latest": the coins at the tip' },
    {
      name: 'options',
      since: 29,
      type: 'obj',
      optional: true,
      namedMembers: true,
      help: '',
      inner: [
        {
          name: 'rollback',
          type: 'num',
          optional: true,
          anyType: true,
          typeWords: 'string or numeric',
          help: 'The block to write the coins of; only the tip is taken',
        },
        { name: 'in_memory', since: 32, type: 'bool', default: 'false', help: 'Taken and without effect' },
      ],
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'coins_written', help: 'Unspent outputs in the file' },
        { type: 'hex', key: 'base_hash', help: 'Hash of the block they stand at' },
        { type: 'num', key: 'base_height', help: 'Its height' },
        { type: 'str', key: 'path', help: 'The file with its full path' },
        { type: 'hex', key: 'txoutset_hash', since: 23, help: 'Hash of the coins' },
        { type: 'num', key: 'nchaintx', since: 23, help: 'Transactions of the chain up to that block' },
      ],
    },
  ],
  examples: [{ cli: 'utxo.dat latest' }],
  waits: true,
};
