// Declares getpeerinfo; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getpeerinfo: MethodSpec = {
  name: 'getpeerinfo',
  category: 'network',
  runs: 'node',
  description: 'The connected peers.',
  args: [],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'num', key: 'id', help: 'Number of the peer' },
            { type: 'str', key: 'addr', help: 'Its address and port' },
            { type: 'elision', help: 'more facts' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
