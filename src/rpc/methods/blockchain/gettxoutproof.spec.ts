import { declare } from '../../declare/parameters.js';
import { arr, hash, hex, str } from '../../declare/parts.js';

export const gettxoutproof = declare({
  name: 'gettxoutproof',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description:
    'Returns a proof, as hex, that transactions are in a block. Without a block hash at least one of the\ntransactions must have an unspent output.',
  args: [
    arr('txids', 'The transactions', { as: 'json' }, [hex('txid?', 'A transaction id')]),
    hash('blockhash?', 'Hash of the block that contains the transaction'),
  ],
  results: [str('The proof')],
  examples: [{ cli: `'["mytxid",...]'`, rpc: '["mytxid",...]' }],
});
