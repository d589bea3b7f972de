// getprivatebroadcastinfo, abortprivatebroadcast, and what sendrawtransaction does with -privatebroadcast
// (net/relay/private-sender.ts).
import type { TxView } from '../../consensus/tx/tx-view.js';
import { asHash } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex, hex } from '../render/hex.js';
import type { NodeContext, PrivateBroadcastAccess } from './context.js';

function broadcastOf({ network }: NodeContext): PrivateBroadcastAccess {
  return (
    network.privately() ??
    fail(RPC_CODE.METHOD_NOT_FOUND, "Private broadcast is not enabled. Ensure you're running Bitcoin Core with -privatebroadcast=1.")
  );
}

const membersOf = (tx: TxView) => ({ txid: hashHex(tx.txid), wtxid: hashHex(tx.wtxid), hex: hex(tx.bytes) });

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

export const abortprivatebroadcast: Run<NodeContext> = (ctx, args) => {
  const broadcast = broadcastOf(ctx);
  const removed = broadcast.abort(asHash(args[0], 'id'));
  if (removed.length === 0) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not in private broadcast queue. Check getprivatebroadcastinfo.');
  }
  return { removed_transactions: removed.map(membersOf) };
};

/** Hands one over that has been judged. */
export function sendPrivately(broadcast: PrivateBroadcastAccess, tx: TxView): void {
  if (!broadcast.add(tx)) fail(RPC_CODE.LIMIT_EXCEEDED, 'Private broadcast queue is full');
}

/** Before anything is judged. */
export function checkReachable(broadcast: PrivateBroadcastAccess): void {
  if (broadcast.reachable) return;
  fail(
    RPC_CODE.MISC_ERROR,
    "-privatebroadcast is enabled, but none of the Tor or I2P networks is reachable. Maybe the location of the Tor proxy couldn't be retrieved from the Tor daemon at startup. Check whether the Tor daemon is running and that -torcontrol, -torpassword and -i2psam are configured properly.",
  );
}
