import { arr, hex, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const gettxoutproof: MethodSpec = {
  name: 'gettxoutproof',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'A proof, as hex, that transactions are in a block. Without a block hash at least one of them must\nhave an unspent output.',
  args: [arr('txids', 'The transactions', [hex('txid?', 'A transaction id')]), hex('blockhash?', 'The block to look in')],
  results: [str('The proof')],
  examples: [{ cli: `'["mytxid",...]'`, rpc: '["mytxid",...]' }],
};
