// Past blocks that a wallet has yet to look through, as it and its database keep them: those that the scan under way has
// not come to, and those that wait for a scan of their own.
import { WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';

const RESCAN_KEY = walletKey(WALLET_PREFIX.rescan);

/** Blocks that are to be looked through: what a wallet goes on with when it is loaded again. */
export interface OpenScan {
  readonly nextHeight: number;
  /** Height of the last one, null: the tip. */
  readonly stopHeight: number | null;
}

/** What of a wallet says which. */
interface Scanned {
  readonly scan: { open: OpenScan | null } | null;
  unseen: OpenScan | null;
}

/** All blocks of two scans, and those between them. */
function both(a: OpenScan | null, b: OpenScan | null): OpenScan | null {
  if (a === null || b === null) return a ?? b;
  const stopHeight = a.stopHeight === null || b.stopHeight === null ? null : Math.max(a.stopHeight, b.stopHeight);
  return { nextHeight: Math.min(a.nextHeight, b.nextHeight), stopHeight };
}

function write({ scan, unseen }: Scanned, batch: WalletBatch): void {
  const open = both(scan?.open ?? null, unseen);
  if (open === null) batch.del(RESCAN_KEY);
  else batch.put(RESCAN_KEY, packRow([open.nextHeight, open.stopHeight]));
}
/** Writes down where the scan under way goes on. @param open null: it is over */
export function markScan(wallet: Scanned, open: OpenScan | null, batch: WalletBatch): void {
  wallet.scan!.open = open;
  write(wallet, batch);
}
/** Writes down that a scan of blocks is due, beside what is due already. */
export function markUnseen(wallet: Scanned, open: OpenScan, batch: WalletBatch): void {
  wallet.unseen = both(wallet.unseen, open);
  write(wallet, batch);
}
/** What a wallet's database says. @param store of the wallet */
export async function readUnseen(store: { get(key: Uint8Array): Promise<Uint8Array | undefined> }): Promise<OpenScan | null> {
  const row = await store.get(RESCAN_KEY);
  if (row === undefined) return null;
  const [next, stop] = unpackRow(row);
  return { nextHeight: Number(next), stopHeight: stop === null || stop === undefined ? null : Number(stop) };
}
