// Scans past blocks for a wallet's transactions, block by block between other work, with progress and abort. Core 0.21's
// ScanForWalletTransactions and RescanFromTime.
import type { WalletBlock, WalletChain } from '../source.js';
import { WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { scanBlock, TIMESTAMP_WINDOW } from './catch-up.js';

export type ScanStatus = 'success' | 'failure' | 'aborted';

export interface ScanResult {
  readonly status: ScanStatus;
  /** The last block scanned, null when none was. */
  readonly lastScanned: WalletBlock | null;
  /** The last block that could not be read. */
  readonly lastFailed: WalletBlock | null;
}

export interface RescanDeps {
  readonly chain: WalletChain;
  readonly log: { info(line: string): void };
  readonly nowMs: () => number;
  /** Works off the wallet's events. */
  readonly drain: () => void;
}

const LOG_EVERY_MS = 60_000;
const yieldToLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Milliseconds between turns of the event loop. */
const TURN_MS = 8;

/** The first block of the best chain whose own or any earlier block's time reaches a moment. */
export function firstBlockSince(chain: WalletChain, seconds: number): WalletBlock | null {
  // Running maxima only rise, so the first block that reaches it by itself is the first whose maximum does.
  for (let height = 0; ; height++) {
    const node = chain.atHeight(height);
    if (node === undefined) return null;
    if (node.time >= seconds) return node;
  }
}

/** The largest block time up to and with a block. */
export function maxTimeUpTo(node: WalletBlock): number {
  let max = 0;
  for (let at: WalletBlock | null = node; at !== null; at = at.prev) max = Math.max(max, at.time);
  return max;
}

const RESCAN_KEY = walletKey(WALLET_PREFIX.rescan);
/** Blocks after which a scan's position is written. */
const MARK_EVERY = 500;

/** A scan that is not over: what a wallet goes on with when it is loaded again. */
export interface OpenScan {
  readonly nextHeight: number;
  readonly stopHeight: number | null;
}

function markScan(next: number, stop: number | null, batch: WalletBatch): void {
  batch.put(RESCAN_KEY, packRow([next, stop]));
}
export function decodeOpenScan(row: Uint8Array): OpenScan {
  const [next, stop] = unpackRow(row);
  return { nextHeight: Number(next), stopHeight: stop === null || stop === undefined ? null : Number(stop) };
}

/** Writes down, with what was imported, that a scan from a time is due: a crash right after the import does not lose it. */
export function planRescan(wallet: Wallet, seconds: number, chain: WalletChain, batch: WalletBatch): void {
  const start = firstBlockSince(chain, seconds - TIMESTAMP_WINDOW);
  if (start !== null && wallet.tip !== null && start.height <= wallet.tip.height) markScan(start.height, null, batch);
}

/** Scans from a block to the tip, or to a height. The caller holds wallet.scan. */
export async function scanBlocks(
  wallet: Wallet,
  start: WalletBlock,
  stopHeight: number | null,
  update: boolean,
  deps: RescanDeps,
): Promise<ScanResult> {
  const { chain, log, nowMs } = deps;
  const scan = wallet.scan!;
  const started = nowMs();
  log.info(`Rescan started from block ${start.hashHex}...`);
  scan.abort = false;
  let lastScanned: WalletBlock | null = null;
  let lastFailed: WalletBlock | null = null;
  let logged = started;
  let turn = nowMs();
  const first = chain.verificationProgress(start);
  let node: WalletBlock | undefined = start;
  while (node && !scan.abort && !wallet.closed) {
    const end: WalletBlock | undefined = stopHeight === null ? (wallet.tip ?? undefined) : chain.atHeight(stopHeight);
    const span = end ? chain.verificationProgress(end) - first : 0;
    scan.progress = span > 0 ? Math.max(0, Math.min(1, (chain.verificationProgress(node) - first) / span)) : 0;
    if (nowMs() - logged > LOG_EVERY_MS) {
      logged = nowMs();
      const leftSeconds = scan.progress > 0 ? Math.round(((logged - started) / 1000) * (1 / scan.progress - 1)) : 0;
      log.info(`Still rescanning. At block ${node.height}. Progress=${scan.progress.toFixed(6)}, about ${leftSeconds} s left`);
    }
    const block = await chain.readBlock(node).catch(() => null);
    if (wallet.closed) break;
    if (block === null) lastFailed = node;
    else {
      if (!chain.contains(node)) {
        lastFailed = node;
        break;
      }
      deps.drain();
      const batch = scanBlock(wallet, node, block.txs, update);
      if (batch.ops.length > 0 || node.height % MARK_EVERY === 0) markScan(node.height + 1, stopHeight, batch);
      await wallet.commit(batch);
      lastScanned = node;
    }
    if (stopHeight !== null && node.height >= stopHeight) break;
    // The tip may have moved meanwhile: what came after it is followed the usual way.
    if (wallet.tip !== null && node.height >= wallet.tip.height) break;
    node = chain.atHeight(node.height + 1);
    if (nowMs() - turn > TURN_MS) {
      await yieldToLoop();
      turn = nowMs();
    }
  }
  // A wallet that was closed meanwhile goes on when it is loaded again.
  if (!wallet.closed) await wallet.change((batch) => batch.del(RESCAN_KEY));
  if (scan.abort && node) {
    log.info(`Rescan aborted at block ${node.height}. Progress=${scan.progress.toFixed(6)}`);
    return { status: 'aborted', lastScanned, lastFailed };
  }
  log.info(`Rescan completed in ${String(Math.round(nowMs() - started)).padStart(15)}ms`);
  return { status: lastFailed ? 'failure' : 'success', lastScanned, lastFailed };
}

/** Scans from a time, two hours earlier at that. @returns from when on everything was seen: `seconds` when all of it was */
export async function rescanFrom(wallet: Wallet, seconds: number, update: boolean, deps: RescanDeps): Promise<number> {
  const start = firstBlockSince(deps.chain, seconds - TIMESTAMP_WINDOW);
  if (start === null || (wallet.tip && start.height > wallet.tip.height)) return seconds;
  const result = await scanBlocks(wallet, start, null, update, deps);
  if (result.status === 'failure' && result.lastFailed) return maxTimeUpTo(result.lastFailed) + TIMESTAMP_WINDOW + 1;
  return seconds;
}

/** Takes the wallet for a scan. @returns false when another one holds it */
export function reserve(wallet: Wallet, nowMs: number): boolean {
  if (wallet.scan !== null) return false;
  wallet.scan = { startedMs: nowMs, progress: 0, abort: false };
  return true;
}
