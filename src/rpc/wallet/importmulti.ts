// Shared by importmulti, importaddress, and importpubkey.
import { destinationOf } from '../../wallet/keys/destination.js';
import { OWNERSHIP } from '../../wallet/keys/ownership.js';
import type { WalletBatch } from '../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { WalletContext } from '../context/wallet.js';
import { legacyOf } from './select.js';

/** Watches an output script unless it belongs to the wallet already, and labels its address. */
export function importTarget(
  ctx: WalletContext,
  wallet: Wallet,
  script: Uint8Array,
  how: { hasSolvingData: boolean; label: string | null; time: number },
  batch: WalletBatch,
): void {
  if (!how.hasSolvingData || wallet.isMine(script) === OWNERSHIP.NO) legacyOf(wallet).watchScript(script, how.time, batch);
  const destination = how.label === null ? null : destinationOf(script, ctx.crypto);
  if (destination) wallet.book.set(destination, how.label!, 'receive', batch);
}
