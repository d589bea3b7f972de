import { SCRIPT_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { ResultSpec } from '../../declare/types.js';

const PLACE: readonly ResultSpec[] = [
  hex('blockhash?', 'Hash of the block of the transaction. Absent for a transaction in the mempool'),
  num('height?', 'Height of that block'),
];

export const getdescriptoractivity = declare({
  name: 'getdescriptoractivity',
  category: 'blockchain',
  runs: 'node',
  since: 29,
  description:
    'Returns the outputs that pay to descriptors, and the inputs that spend such outputs, in the given blocks and\nin the mempool. scanblocks finds suitable blocks.',
  args: [
    arr('blockhashes', 'Blocks of the best chain, in any order', [hex('blockhash?', 'A block hash')]),
    arr('scanobjects', 'The descriptors to search for', { oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
    bool('include_mempool', 'Whether to search the mempool too', { default: 'true' }),
  ],
  results: [
    obj([
      arr('activity', 'In the order of the blocks, then of the mempool', [
        obj('An output was spent', [
          str('type', '"spend"'),
          amount('amount', 'Amount that was spent, in BTC'),
          ...PLACE,
          hex('spend_txid', 'Id of the spending transaction'),
          num('spend_vin', 'Index of the spending input'),
          hex('prevout_txid', 'The transaction whose output is spent'),
          num('prevout_vout', 'Index of that output'),
          obj('prevout_spk', '', SCRIPT_MEMBERS),
        ]),
        obj('An output was received', [
          str('type', '"receive"'),
          amount('amount', 'Amount that was received, in BTC'),
          ...PLACE,
          hex('txid', 'The transaction'),
          num('vout', 'Index of the output'),
          obj('output_spk', '', SCRIPT_MEMBERS),
        ]),
      ]),
    ]),
  ],
  examples: [
    {
      cli: `'["000000000000000000001347062c12fded7c528943c8ce133987e2e2f5a840ee"]' '["addr(bc1qzl6nsgqzu89a66l50cvwapnkw5shh23zarqkw9)"]'`,
    },
  ],
  waits: true,
});
