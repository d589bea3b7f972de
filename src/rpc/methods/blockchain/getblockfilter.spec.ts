// Declares getblockfilter.
import type { MethodSpec } from '../../declare/types.js';

export const getblockfilter: MethodSpec = {
  name: 'getblockfilter',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'The filter of a block (BIP157, BIP158); with -blockfilterindex.',
  args: [
    { name: 'blockhash', type: 'hex', help: 'The block' },
    { name: 'filtertype', type: 'str', default: 'basic', help: 'The type of filter' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'filter', help: 'The filter' },
        { type: 'hex', key: 'header', help: 'The filter header' },
      ],
    },
  ],
  examples: [{ cli: '"blockhash" "basic"', rpc: '"blockhash", "basic"' }],
};
