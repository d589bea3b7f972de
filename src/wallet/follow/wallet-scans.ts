// Scans of past blocks: the running one, and blocks that wait for a scan of their own. A row of the database lists the
// blocks of both, so that the next load continues.
import type { BlockFacts } from '../node-client.js';
import { WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';

const RESCAN_KEY = walletKey(WALLET_PREFIX.rescan);

/** Range of blocks to scan. */
export interface OpenScan {
  readonly nextHeight: number;
  /** Height of the last block; null: the tip. */
  readonly stopHeight: number | null;
}

/** Returns the union of two ranges, including the blocks between them. */
function both(a: OpenScan | null, b: OpenScan | null): OpenScan | null {
  if (a === null || b === null) return a ?? b;
  const stopHeight = a.stopHeight === null || b.stopHeight === null ? null : Math.max(a.stopHeight, b.stopHeight);
  return { nextHeight: Math.min(a.nextHeight, b.nextHeight), stopHeight };
}

/** The scan that has a wallet. */
export class RunningScan {
  #height: number;
  #progress = 0;
  #isAborted = false;

  constructor(
    readonly startedMs: number,
    /** Blocks that this scan has still to read, as last written to the database. */
    public open: OpenScan | null,
  ) {
    this.#height = open?.nextHeight ?? Number.POSITIVE_INFINITY;
  }

  /** Height of the block that is being scanned. The node must not prune this block or later ones. */
  get height(): number {
    return this.#height;
  }
  /** Share of the blocks that was scanned, from 0 to 1. */
  get progress(): number {
    return this.#progress;
  }
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Starts at a block. Like Core, forgets an abortrescan that came before. */
  start(height: number): void {
    this.#isAborted = false;
    this.#height = height;
  }
  advance(height: number): void {
    this.#height = height;
  }
  setProgress(progress: number): void {
    this.#progress = progress;
  }
  abort(): void {
    this.#isAborted = true;
  }
}

export class WalletScans {
  #running: RunningScan | null = null;
  #unseen: OpenScan | null = null;

  /** The running scan; null if there is none. */
  get running(): RunningScan | null {
    return this.#running;
  }
  /** Past blocks that still need a scan, because their events had no bytes or because an earlier scan was cut off. */
  get unseen(): OpenScan | null {
    return this.#unseen;
  }

  /** Height from which the running scan, and one that waits for its end, still read blocks; infinite for none. */
  get neededFrom(): number {
    return this.#running === null
      ? Number.POSITIVE_INFINITY
      : Math.min(this.#running.height, this.#unseen?.nextHeight ?? Number.POSITIVE_INFINITY);
  }

  /** Reserves the wallet for a scan, until end(). @returns false if another scan has the wallet */
  reserve(nowMs: number): boolean {
    if (this.#running !== null) return false;
    this.#running = new RunningScan(nowMs, null);
    return true;
  }
  /** Reserves the wallet for a scan that includes the unseen blocks. @param open range of the scan */
  reserveForUnseen(nowMs: number, open: OpenScan): boolean {
    if (this.#running !== null) return false;
    this.#running = new RunningScan(nowMs, open);
    this.#unseen = null;
    return true;
  }
  end(): void {
    this.#running = null;
  }
  /** Aborts the running scan. @returns false if none is running, or it was aborted already */
  abort(): boolean {
    if (this.#running === null || this.#running.isAborted) return false;
    this.#running.abort();
    return true;
  }

  /** Saves how much of the running scan is left. @param open blocks left; null: the scan is over */
  markRunning(open: OpenScan | null, batch: WalletBatch): void {
    this.#running!.open = open;
    this.#write(batch);
  }
  /**
   * Saves the scan that follows an import in the same batch as the import, so that a crash after the import does not
   * lose the scan. The caller has reserved the wallet.
   * @param start result of scanStart(); null: no scan is needed
   */
  planRescan(tip: BlockFacts | null, start: BlockFacts | null, batch: WalletBatch): void {
    if (start !== null && tip !== null && start.height <= tip.height) {
      this.markRunning({ nextHeight: start.height, stopHeight: null }, batch);
    }
  }
  /** Adds a range of blocks to those that wait for a scan. */
  markUnseen(open: OpenScan, batch: WalletBatch): void {
    this.#unseen = both(this.#unseen, open);
    this.#write(batch);
  }
  /** Reads from the database which blocks still need a scan. @param store database of the wallet */
  async load(store: { get(key: Uint8Array): Promise<Uint8Array | undefined> }): Promise<void> {
    const row = await store.get(RESCAN_KEY);
    if (row === undefined) return;
    const [next, stop] = unpackRow(row);
    this.#unseen = { nextHeight: Number(next), stopHeight: stop === null || stop === undefined ? null : Number(stop) };
  }

  #write(batch: WalletBatch): void {
    const open = both(this.#running?.open ?? null, this.#unseen);
    if (open === null) batch.del(RESCAN_KEY);
    else batch.put(RESCAN_KEY, packRow([open.nextHeight, open.stopHeight]));
  }
}
