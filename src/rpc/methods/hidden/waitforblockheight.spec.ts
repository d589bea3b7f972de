// Declares waitforblockheight.
import type { MethodSpec } from '../../declare/types.js';

export const waitforblockheight: MethodSpec = {
  name: 'waitforblockheight',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  description: 'Waits until the tip has at least a height. After the timeout it tells about the tip of that moment.',
  args: [
    { name: 'height', type: 'num', help: 'The height to wait for.' },
    { name: 'timeout', type: 'num', default: '0', help: 'Milliseconds to wait. 0 is for ever.' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'hash', help: 'The block hash' },
        { type: 'num', key: 'height', help: 'Its height' },
      ],
    },
  ],
  examples: [{ cli: '100 1000', rpc: '100, 1000' }],
  waits: true,
};
