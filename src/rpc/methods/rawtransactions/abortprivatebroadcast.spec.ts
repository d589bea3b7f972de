import { arr, hex, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const abortprivatebroadcast: MethodSpec = {
  name: 'abortprivatebroadcast',
  since: 31,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Sends a transaction no further, with -privatebroadcast.',
  args: [hex('id', 'Its txid or wtxid; several transactions may have one txid')],
  results: [
    obj([
      arr('removed_transactions', '', [
        obj([hex('txid', 'The transaction id'), hex('wtxid', 'The same with its witness'), hex('hex', 'The transaction')]),
      ]),
    ]),
  ],
  examples: [{ cli: '"id"', rpc: '"id"' }],
};
