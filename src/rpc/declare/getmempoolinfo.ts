// Declares getmempoolinfo; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getmempoolinfo: MethodSpec = {
  name: 'getmempoolinfo',
  category: 'blockchain',
  runs: 'node',
  description: 'State of the pool.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'bool', key: 'loaded', help: 'Whether the saved pool is loaded' },
        { type: 'num', key: 'size', help: 'Transactions' },
        { type: 'num', key: 'bytes', help: 'Sum of virtual sizes (BIP141)' },
        { type: 'num', key: 'usage', help: 'Memory in use' },
        { type: 'num', key: 'maxmempool', help: 'Most memory to be used' },
        { type: 'amount', key: 'mempoolminfee', help: 'Lowest feerate accepted, BTC/kB' },
        { type: 'amount', key: 'minrelaytxfee', help: 'Lowest feerate relayed' },
        { type: 'num', key: 'unbroadcastcount', help: 'Transactions that no peer asked for yet' },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
