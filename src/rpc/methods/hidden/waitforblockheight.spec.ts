import { hex, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const waitforblockheight: MethodSpec = {
  name: 'waitforblockheight',
  category: 'hidden',
  moved: { since: 30, category: 'blockchain' },
  runs: 'node',
  repeatable: true,
  description: 'Waits until the tip has at least a height. After the timeout it tells about the tip of that moment.',
  args: [num('height', 'The height to wait for.'), num('timeout', 'Milliseconds to wait. 0 is for ever.', { default: '0' })],
  results: [obj([hex('hash', 'The block hash'), num('height', 'Its height')])],
  examples: [{ cli: '100 1000', rpc: '100, 1000' }],
  waits: true,
};
