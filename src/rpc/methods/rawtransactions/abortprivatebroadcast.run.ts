import { asHash } from '../../args.js';
import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { broadcastOf, membersOf } from '../../node/private-broadcast.js';

export const abortprivatebroadcast: Run<NodeContext> = (ctx, args) => {
  const broadcast = broadcastOf(ctx);
  const removed = broadcast.abort(asHash(args[0], 'id'));
  if (removed.length === 0) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in private broadcast queue. Check getprivatebroadcastinfo.');
  }
  return { removed_transactions: removed.map(membersOf) };
};
