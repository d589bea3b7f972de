import { declare } from '../../declare/parameters.js';
import { num, obj } from '../../declare/parts.js';

export const rescanblockchain = declare({
  name: 'rescanblockchain',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Scans blocks for transactions of the wallet.',
  args: [num('start_height', 'First block', { default: '0' }), num('stop_height', 'Last block', { default: 'the tip' })],
  results: [obj([num('start_height', 'First block'), num('stop_height', 'Last block scanned')])],
  examples: [{ cli: '100000 120000', rpc: '100000, 120000' }],
  waits: true,
});
