import { declare } from '../../declare/parameters.js';
import { arr, hash, hex, obj } from '../../declare/parts.js';

export const abortprivatebroadcast = declare({
  name: 'abortprivatebroadcast',
  since: 31,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Stops the private broadcast of a transaction. Requires -privatebroadcast.',
  args: [hash('id', 'The txid or wtxid. Several transactions may have the same txid')],
  results: [
    obj([
      arr('removed_transactions', '', [
        obj([
          hex('txid', 'The transaction id'),
          hex('wtxid', 'The transaction hash, which includes the witness'),
          hex('hex', 'The transaction'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '"id"', rpc: '"id"' }],
});
