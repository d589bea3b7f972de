// Declares getmininginfo; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getmininginfo: MethodSpec = {
  name: 'getmininginfo',
  category: 'mining',
  runs: 'node',
  description: 'Figures about mining on this chain.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'blocks', help: 'Height of the tip' },
        { type: 'num', key: 'currentblockweight', optional: true, help: 'Weight of the last block assembled, once there was one' },
        { type: 'num', key: 'currentblocktx', optional: true, help: 'Its transactions without the coinbase' },
        { type: 'num', key: 'difficulty', help: 'Difficulty of the tip' },
        { type: 'num', key: 'networkhashps', help: 'Estimated hashes per second of the network' },
        { type: 'num', key: 'pooledtx', help: 'Transactions in the pool' },
        { type: 'str', key: 'chain', help: 'Name of the chain' },
        { type: 'str', key: 'warnings', help: 'Warnings about the node or the network' },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
