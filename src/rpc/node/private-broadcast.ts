// Shared by methods that use private broadcast.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { PrivateBroadcastAccess } from '../context/network.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import { bytesHex, hashHex } from '../render/hex.js';

export function broadcastOf({ network }: NodeContext): PrivateBroadcastAccess {
  return (
    network.privately() ??
    fail(RPC_CODE.METHOD_NOT_FOUND, "Private broadcast is not enabled. Ensure you're running Bitcoin Core with -privatebroadcast=1.")
  );
}

export const membersOf = (tx: TxView) => ({ txid: hashHex(tx.txid), wtxid: hashHex(tx.wtxid), hex: bytesHex(tx.bytes) });

/** Broadcasts a checked transaction privately. @throws RpcError if the queue is full */
export function sendPrivately(broadcast: PrivateBroadcastAccess, tx: TxView): void {
  if (!broadcast.add(tx)) fail(RPC_CODE.LIMIT_EXCEEDED, 'Private broadcast queue is full');
}

/** Throws if Tor cannot be reached. Called before the transaction is checked. */
export function checkReachable(broadcast: PrivateBroadcastAccess): void {
  if (broadcast.reachable) return;
  fail(
    RPC_CODE.MISC_ERROR,
    "-privatebroadcast is enabled, but none of the Tor or I2P networks is reachable. Maybe the location of the Tor proxy couldn't be retrieved from the Tor daemon at startup. Check whether the Tor daemon is running and that -torcontrol, -torpassword and -i2psam are configured properly.",
  );
}
