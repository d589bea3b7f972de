import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj, str, time } from '../../declare/parts.js';
import { broadcastOf, membersOf } from '../../node/private-broadcast.js';

export const spec = declare({
  name: 'getprivatebroadcastinfo',
  since: 31,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Returns the transactions that the node is sending privately. Requires -privatebroadcast.',
  args: [],
  results: [
    obj([
      arr('transactions', '', [
        obj([
          hex('txid', 'The transaction id'),
          hex('wtxid', 'The transaction hash, which includes the witness'),
          hex('hex', 'The transaction'),
          time('time_added', 'Time of the submission', { since: 32 }),
          num('attempts_remaining', 'Number of times that it may still be sent. 0 means not before it is submitted again', { since: 32 }),
          arr('peers', '', [
            obj([
              str('address', 'A peer to which the transaction was sent'),
              time('sent', 'Time at which it was sent'),
              time('received?', 'Time at which the peer confirmed it'),
            ]),
          ]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

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
