// Past blocks that a wallet still has to scan, in memory and in its database: the rest of the running scan, and blocks
// that wait for a scan of their own.
import { WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';

const RESCAN_KEY = walletKey(WALLET_PREFIX.rescan);

/** Range of blocks to scan. A wallet continues with it when it is loaded again. */
export interface OpenScan {
  readonly nextHeight: number;
  /** Height of the last block; null: the tip. */
  readonly stopHeight: number | null;
}

/** Members of a wallet that describe its unfinished scans. */
interface Scanned {
  readonly scan: { open: OpenScan | null } | null;
  unseen: OpenScan | null;
}

/** Returns the union of two ranges, including the blocks between them. */
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
/** Saves how much of the running scan is left. @param open blocks left; null: the scan is over */
export function markScan(wallet: Scanned, open: OpenScan | null, batch: WalletBatch): void {
  wallet.scan!.open = open;
  write(wallet, batch);
}
/** Adds a range of blocks to those that wait for a scan. */
export function markUnseen(wallet: Scanned, open: OpenScan, batch: WalletBatch): void {
  wallet.unseen = both(wallet.unseen, open);
  write(wallet, batch);
}
/** Reads from the database which blocks a wallet still has to scan. @param store database of the wallet */
export async function readUnseen(store: { get(key: Uint8Array): Promise<Uint8Array | undefined> }): Promise<OpenScan | null> {
  const row = await store.get(RESCAN_KEY);
  if (row === undefined) return null;
  const [next, stop] = unpackRow(row);
  return { nextHeight: Number(next), stopHeight: stop === null || stop === undefined ? null : Number(stop) };
}
