// Declares rescanblockchain.
import type { MethodSpec } from '../../declare/types.js';

export const rescanblockchain: MethodSpec = {
  name: 'rescanblockchain',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Scans blocks for transactions of the wallet.',
  args: [
    { name: 'start_height', type: 'num', default: '0', help: 'First block' },
    { name: 'stop_height', type: 'num', default: 'the tip', help: 'Last block' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'start_height', help: 'First block' },
        { type: 'num', key: 'stop_height', help: 'Last block scanned' },
      ],
    },
  ],
  examples: [{ cli: '100000 120000', rpc: '100000, 120000' }],
  waits: true,
};
