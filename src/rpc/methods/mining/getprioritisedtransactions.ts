import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, dyn, num, obj } from '../../declare/parts.js';
import { hashHex } from '../../render/hex.js';

export const spec = declare({
  name: 'getprioritisedtransactions',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns all fee deltas other than zero that prioritisetransaction has set, also of transactions that are not\nin the mempool.',
  args: [],
  results: [
    dyn('Transaction ids', [
      obj('transactionid', '', [
        num('fee_delta', 'The delta in satoshis'),
        bool('in_mempool', 'Whether the transaction is in the mempool'),
        num('modified_fee?', 'Fee with delta in satoshis. Absent if the transaction is not in the mempool'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const getprioritisedtransactions: NodeRun<typeof spec> = (_, ctx) =>
  Object.fromEntries(
    ctx.mempool.prioritised().map(({ txid, delta, entry }) => [
      hashHex(txid),
      {
        fee_delta: delta,
        in_mempool: entry !== undefined,
        modified_fee: entry?.modifiedFee,
      },
    ]),
  );
