import type { NodeRun } from '../../context/node.js';
import { broadcastOf, membersOf } from '../../node/private-broadcast.js';
import type { getprivatebroadcastinfo as spec } from './getprivatebroadcastinfo.spec.js';

export const getprivatebroadcastinfo: NodeRun<typeof spec> = (_, ctx) => ({
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
