// Declares utxoupdatepsbt.
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const utxoupdatepsbt: MethodSpec = {
  name: 'utxoupdatepsbt',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description: 'Adds segwit outputs that a PSBT spends, from the chain and the pool, and what descriptors tell about its scripts and keys.',
  args: [
    PSBT_ARG,
    {
      name: 'descriptors',
      type: 'arr',
      optional: true,
      help: 'Descriptors',
      inner: [
        { name: '', type: 'str', holds: 'descriptor', optional: true, help: 'A descriptor' },
        {
          name: '',
          type: 'obj',
          optional: true,
          help: 'A descriptor with a range',
          inner: [
            { name: 'desc', type: 'str', holds: 'descriptor', help: 'A descriptor' },
            { name: 'range', type: 'range', default: '1000', help: 'Up to what index, or [begin,end]' },
          ],
        },
      ],
    },
  ],
  results: [{ type: 'str', help: 'The PSBT in Base64' }],
  examples: [{ cli: '"psbt"' }],
};
