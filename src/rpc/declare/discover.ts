// Declares rpc.discover, the OpenRPC specification's name for asking a server what it can do; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const discover: MethodSpec = {
  name: 'rpc.discover',
  category: 'hidden',
  runs: 'front',
  description: 'The OpenRPC document: every method with its arguments, results and examples, as data.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'openrpc', help: 'Version of the specification' },
        {
          type: 'obj',
          key: 'info',
          help: 'About the document',
          inner: [
            { type: 'str', key: 'title', help: 'Its title' },
            { type: 'str', key: 'version', help: 'The release of Bitcoin Core whose calls these are' },
            { type: 'str', key: 'description', help: 'A sentence about them' },
          ],
        },
        { type: 'arr', key: 'methods', help: 'The methods', inner: [{ type: 'obj', help: 'A method object of the specification' }] },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
