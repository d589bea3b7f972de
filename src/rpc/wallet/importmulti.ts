// importmulti: many addresses, scripts, keys and descriptors at once, each for itself, then one scan. Core 0.21's order
// of checks, writes and warnings.
import { destinationOf } from '../../wallet/keys/destination.js';
import { OWNERSHIP } from '../../wallet/keys/ownership.js';
import type { WalletBatch } from '../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { WalletContext } from '../context/wallet.js';
import { legacyOf } from './select.js';

/** Marks an output script as ours to watch where it is not ours already, and labels it. */
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
