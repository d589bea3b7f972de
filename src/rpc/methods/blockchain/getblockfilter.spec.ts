import { declare } from '../../declare/parameters.js';
import { hash, hex, obj } from '../../declare/parts.js';
import { FILTER_TYPE_ARG } from '../../declare/scan-parts.js';

export const getblockfilter = declare({
  name: 'getblockfilter',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Returns the filter of a block (BIP157, BIP158). Requires -blockfilterindex.',
  args: [hash('blockhash', 'The block'), FILTER_TYPE_ARG],
  results: [obj([hex('filter', 'The filter'), hex('header', 'The filter header')])],
  examples: [{ cli: '"blockhash" "basic"', rpc: '"blockhash", "basic"' }],
});
