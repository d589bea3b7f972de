// Declares getdescriptoractivity.
import { SCRIPT_MEMBERS } from '../../declare/members.js';
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const PLACE: readonly ResultSpec[] = [
  { type: 'hex', key: 'blockhash', optional: true, help: 'Its block, unless it is in the pool' },
  { type: 'num', key: 'height', optional: true, help: 'The height of that' },
];

export const getdescriptoractivity: MethodSpec = {
  name: 'getdescriptoractivity',
  category: 'blockchain',
  runs: 'node',
  since: 29,
  description:
    'What descriptors were paid and what was spent from them, in given blocks and in the pool. The blocks may be those\nthat scanblocks named.',
  args: [
    {
      name: 'blockhashes',
      type: 'arr',
      help: 'Blocks of the best chain, in any order',
      inner: [{ name: 'blockhash', type: 'hex', optional: true, help: 'A block hash' }],
    },
    {
      name: 'scanobjects',
      type: 'arr',
      help: 'What to look for',
      oneline: '[scanobjects,...]',
      inner: SCAN_OBJECTS,
    },
    { name: 'include_mempool', type: 'bool', default: 'true', help: 'Whether the pool is looked through too' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'arr',
          key: 'activity',
          help: 'In the order of the blocks, then of the pool',
          inner: [
            {
              type: 'obj',
              help: 'Something was spent',
              inner: [
                { type: 'str', key: 'type', help: '"spend"' },
                { type: 'amount', key: 'amount', help: 'What was spent, in BTC' },
                ...PLACE,
                { type: 'hex', key: 'spend_txid', help: 'The transaction that spends' },
                { type: 'num', key: 'spend_vin', help: 'Its input' },
                { type: 'hex', key: 'prevout_txid', help: 'The transaction whose output is spent' },
                { type: 'num', key: 'prevout_vout', help: 'That output' },
                { type: 'obj', key: 'prevout_spk', help: '', inner: SCRIPT_MEMBERS },
              ],
            },
            {
              type: 'obj',
              help: 'Something was paid',
              inner: [
                { type: 'str', key: 'type', help: '"receive"' },
                { type: 'amount', key: 'amount', help: 'What was paid, in BTC' },
                ...PLACE,
                { type: 'hex', key: 'txid', help: 'The transaction' },
                { type: 'num', key: 'vout', help: 'Its output' },
                { type: 'obj', key: 'output_spk', help: '', inner: SCRIPT_MEMBERS },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [
    {
      cli: `'["000000000000000000001347062c12fded7c528943c8ce133987e2e2f5a840ee"]' '["addr(bc1qzl6nsgqzu89a66l50cvwapnkw5shh23zarqkw9)"]'`,
    },
  ],
  waits: true,
};
