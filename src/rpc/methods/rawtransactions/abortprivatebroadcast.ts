import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hash, hex, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { broadcastOf, membersOf } from '../../node/private-broadcast.js';

export const spec = declare({
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

export const abortprivatebroadcast: NodeRun<typeof spec> = (params, ctx) => {
  const broadcast = broadcastOf(ctx);
  const removed = broadcast.abort(params.id);
  if (removed.length === 0) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in private broadcast queue. Check getprivatebroadcastinfo.');
  }
  return { removed_transactions: removed.map(membersOf) };
};
