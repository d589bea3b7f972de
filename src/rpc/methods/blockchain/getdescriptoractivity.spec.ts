import { SCRIPT_MEMBERS } from '../../declare/members.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const PLACE: readonly ResultSpec[] = [hex('blockhash?', 'Its block, unless it is in the pool'), num('height?', 'The height of that')];

export const getdescriptoractivity: MethodSpec = {
  name: 'getdescriptoractivity',
  category: 'blockchain',
  runs: 'node',
  since: 29,
  description:
    'What descriptors were paid and what was spent from them, in given blocks and in the pool. The blocks may be those\nthat scanblocks named.',
  args: [
    arr('blockhashes', 'Blocks of the best chain, in any order', [hex('blockhash?', 'A block hash')]),
    arr('scanobjects', 'What to look for', { oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
    bool('include_mempool', 'Whether the pool is looked through too', { default: 'true' }),
  ],
  results: [
    obj([
      arr('activity', 'In the order of the blocks, then of the pool', [
        obj('Something was spent', [
          str('type', '"spend"'),
          amount('amount', 'What was spent, in BTC'),
          ...PLACE,
          hex('spend_txid', 'The transaction that spends'),
          num('spend_vin', 'Its input'),
          hex('prevout_txid', 'The transaction whose output is spent'),
          num('prevout_vout', 'That output'),
          obj('prevout_spk', '', SCRIPT_MEMBERS),
        ]),
        obj('Something was paid', [
          str('type', '"receive"'),
          amount('amount', 'What was paid, in BTC'),
          ...PLACE,
          hex('txid', 'The transaction'),
          num('vout', 'Its output'),
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
};
