import { declare } from '../../declare/parameters.js';
import { hash, hex, obj, str } from '../../declare/parts.js';

export const getblockfilter = declare({
  name: 'getblockfilter',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Returns the filter of a block (BIP157, BIP158). Requires -blockfilterindex.',
  args: [hash('blockhash', 'The block'), str('filtertype', 'The type of filter', { default: 'basic' })],
  results: [obj([hex('filter', 'The filter'), hex('header', 'The filter header')])],
  examples: [{ cli: '"blockhash" "basic"', rpc: '"blockhash", "basic"' }],
});
