import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { broadcastOf, membersOf } from '../../node/private-broadcast.js';
import type { abortprivatebroadcast as spec } from './abortprivatebroadcast.spec.js';

export const abortprivatebroadcast: NodeRun<typeof spec> = (params, ctx) => {
  const broadcast = broadcastOf(ctx);
  const removed = broadcast.abort(params.id);
  if (removed.length === 0) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in private broadcast queue. Check getprivatebroadcastinfo.');
  }
  return { removed_transactions: removed.map(membersOf) };
};
