// Declares waitfornewblock.
import type { MethodSpec } from '../../declare/types.js';

export const waitfornewblock: MethodSpec = {
  name: 'waitfornewblock',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  description: 'Waits for a new tip and tells about it. After the timeout it tells about the tip of that moment.',
  args: [
    { name: 'timeout', type: 'num', default: '0', help: 'Milliseconds to wait. 0 is for ever.' },
    {
      name: 'current_tip',
      since: 30,
      type: 'hex',
      optional: true,
      help: 'The tip that the caller knows (default: the tip of this moment). When there is another one already, it is told at once.',
    },
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
  examples: [{ cli: '1000', rpc: '1000' }],
  waits: true,
};
