import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { broadcastOf, membersOf } from '../../node/private-broadcast.js';

export const getprivatebroadcastinfo: Run<NodeContext> = (ctx) => ({
  transactions: broadcastOf(ctx)
    .list()
    .map(({ tx, addedAt, attemptsLeft, sends }) => ({
      ...membersOf(tx),
      time_added: addedAt,
      attempts_remaining: attemptsLeft,
      peers: sends.map(({ address, sentAt, confirmedAt }) => ({
        address,
        sent: sentAt,
        ...(confirmedAt === null ? {} : { received: confirmedAt }),
      })),
    })),
});
