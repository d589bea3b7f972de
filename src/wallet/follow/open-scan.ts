// A scan of past blocks that is not over, as a wallet's database keeps it.
import type { Store as WalletStore } from '../../storage/store.js';
import { WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';

/** Where it stands. */
export const RESCAN_KEY = walletKey(WALLET_PREFIX.rescan);

/** A scan that is not over: what a wallet goes on with when it is loaded again. */
export interface OpenScan {
  readonly nextHeight: number;
  readonly stopHeight: number | null;
}

/**
 * Writes down where a scan goes on.
 * @param next height of the first block it has not looked at
 * @param stop of the last one, null: the tip
 */
export function markScan(next: number, stop: number | null, batch: WalletBatch): void {
  batch.put(RESCAN_KEY, packRow([next, stop]));
}
/** What a wallet's database says of a scan that is not over. */
export async function openScanOf({ store }: { readonly store: Pick<WalletStore, 'get'> }): Promise<OpenScan | null> {
  const row = await store.get(RESCAN_KEY);
  return row === undefined ? null : decodeOpenScan(row);
}
export function decodeOpenScan(row: Uint8Array): OpenScan {
  const [next, stop] = unpackRow(row);
  return { nextHeight: Number(next), stopHeight: stop === null || stop === undefined ? null : Number(stop) };
}
