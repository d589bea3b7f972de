import type { NodeRun } from '../../context/node.js';
import { hashHex } from '../../render/hex.js';
import type { getprioritisedtransactions as spec } from './getprioritisedtransactions.spec.js';

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
