// Scans past blocks for a wallet's transactions, with progress and abort. Pool threads read the blocks
// (scan-pipeline.ts). This file records the results, in order and between other work. Core 0.21:
// ScanForWalletTransactions, RescanFromTime.
import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import { type Answer, type BlockFacts, type NodeClient, type NodeQueries, TIMESTAMP_WINDOW } from '../node-client.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { scannedPlace } from '../wallet-state.js';
import { recordBlock, withKeys } from './record-block.js';
import { parsed, type ScanDeps, type ScannedBlock, scanInPipeline } from './scan-pipeline.js';
import type { RunningScan } from './wallet-scans.js';

export type ScanStatus = 'success' | 'failure' | 'aborted';

export interface ScanResult {
  readonly status: ScanStatus;
  /** Last block that was scanned; null if none was. */
  readonly lastScanned: BlockFacts | null;
  /** Last block that could not be read; null if all could. */
  readonly lastFailed: BlockFacts | null;
}

export interface RescanDeps extends ScanDeps {
  readonly log: { info(line: string): void };
  readonly nowMs: () => number;
  /** Called after each scanned block, so that the node may prune blocks up to it. */
  readonly onProgress: () => void;
}

const LOG_EVERY_MS = 10_000;

/** A scan writes its position to the database every time it has scanned this many blocks. */
const MARK_EVERY = 500;

/**
 * Returns the first block to scan for payments since a time. Subtracts two hours, because block times are imprecise.
 * Null if no block is that young.
 */
export const scanStart = (client: NodeQueries, seconds: number): Answer<BlockFacts | null> =>
  client.firstBlockSince(seconds - TIMESTAMP_WINDOW);

/** Reports the progress of a scan, in the wallet and in the log. */
class ScanReport {
  readonly #started: number;
  #logged: number;
  readonly #first: number;
  readonly #scan: RunningScan;
  readonly #deps: RescanDeps;

  constructor(scan: RunningScan, first: BlockFacts, deps: RescanDeps) {
    this.#scan = scan;
    this.#deps = deps;
    this.#started = deps.nowMs();
    this.#logged = this.#started;
    this.#first = first.progress;
  }
  get tookMs(): number {
    return Math.round(this.#deps.nowMs() - this.#started);
  }
  /** @param end expected last block, if known */
  reportBlock(node: BlockFacts, end: BlockFacts | null): void {
    const scan = this.#scan;
    const deps = this.#deps;
    const span = end ? end.progress - this.#first : 0;
    scan.setProgress(span > 0 ? Math.max(0, Math.min(1, (node.progress - this.#first) / span)) : 0);
    const now = deps.nowMs();
    if (now - this.#logged <= LOG_EVERY_MS) return;
    this.#logged = now;
    const leftSeconds = scan.progress > 0 ? Math.round(((now - this.#started) / 1000) * (1 / scan.progress - 1)) : 0;
    const percent = (scan.progress * 100).toFixed(1);
    deps.log.info(
      `Still rescanning. At block ${node.height}. Progress=${scan.progress.toFixed(6)}, ${percent} %, about ${leftSeconds} s left`,
    );
  }
}

/**
 * Outcome of scanning a block. 'failed': the block could not be read. 'gone': the block was disconnected meanwhile, and
 * events bring the blocks that replace it. 'closed': the wallet was closed meanwhile.
 */
type BlockOutcome = 'scanned' | 'failed' | 'gone' | 'closed';

/**
 * Records the transactions of a scanned block. Each pass over the block is one change, as Core takes cs_wallet once per
 * block.
 */
async function applyBlock(
  wallet: Wallet,
  { node, candidates, again }: ScannedBlock,
  mark: ((batch: WalletBatch) => void) | null,
  update: boolean,
  client: NodeClient,
): Promise<BlockOutcome> {
  const { crypto, options } = wallet.parts;
  for (let found = candidates; found !== null; ) {
    const transactions = found;
    let more: ReturnType<typeof again>;
    await wallet.events.applyPending();
    if (wallet.closed) return 'closed';
    const isHere = await wallet.change((batch) => {
      if (!client.contains(node)) return false;
      const isDone = withKeys(wallet, () => {
        recordBlock(wallet, node, parsed(transactions, crypto), batch, scannedPlace(options), update && transactions === candidates);
      });
      more = isDone ? again() : yieldToLoop().then(() => transactions);
      // This promise is awaited below, after the change was written. A rejection before that must not be unhandled.
      more?.catch(() => {});
      if (more === undefined) mark?.(batch);
      return true;
      // Do not sync this write to disk. The last write of the scan is synced, and a scan that was cut off continues
      // from the last position on disk.
    }, false);
    if (!isHere) return 'gone';
    if (more === undefined) return 'scanned';
    found = await more;
  }
  return 'failed';
}

/** Scans from a block to the tip, or to a height. The caller has reserved the wallet (WalletScans). */
export async function scanBlocks(
  wallet: Wallet,
  start: BlockFacts,
  stopHeight: number | null,
  update: boolean,
  deps: RescanDeps,
): Promise<ScanResult> {
  const { client, log } = deps;
  const scan = wallet.scans.running!;
  log.info(`Rescan started from block ${start.hashHex}...`);
  scan.start(start.height);
  const report = new ScanReport(scan, start, deps);
  const slice = new TimeSlice();
  const stop = stopHeight === null ? null : ((await client.blocks(stopHeight, 1))[0] ?? null);
  let lastScanned: BlockFacts | null = null;
  let lastFailed: BlockFacts | null = null;
  let at: BlockFacts = start;
  let marked = 0;
  // The tip may change meanwhile. Events deliver later blocks.
  const lastHeight = (): number => Math.min(stopHeight ?? Number.POSITIVE_INFINITY, wallet.tip!.height);
  for await (const block of scanInPipeline(wallet, start, lastHeight, deps)) {
    const { node, candidates } = block;
    if (scan.isAborted || wallet.closed) break;
    at = node;
    scan.advance(node.height);
    deps.onProgress();
    report.reportBlock(node, stop ?? wallet.tip);
    if (candidates === null) {
      lastFailed = node;
      continue;
    }
    const writesMark = candidates.length > 0 || node.height - marked >= MARK_EVERY;
    if (writesMark) marked = node.height;
    const mark = writesMark ? (batch: WalletBatch) => wallet.scans.markRunning({ nextHeight: node.height + 1, stopHeight }, batch) : null;
    const outcome = await applyBlock(wallet, block, mark, update, client).catch((error: unknown) => {
      if (wallet.closed) return 'closed';
      throw error;
    });
    if (outcome === 'closed') break;
    if (outcome === 'scanned') lastScanned = node;
    else if (outcome === 'failed') lastFailed = node;
    if (slice.over) await slice.next();
  }
  if (stopHeight === null && !scan.isAborted && !wallet.closed && wallet.parts.options.laterRecords) {
    await client.readMempool((event) => wallet.events.push(event));
    await wallet.events.applyPending();
  }
  await wallet.reassessor.whenIdle();
  // If the wallet was closed meanwhile, leave the open range in the database: the next load continues the scan.
  if (!wallet.closed) await wallet.change((batch) => wallet.scans.markRunning(null, batch));
  if (scan.isAborted) {
    log.info(`Rescan aborted at block ${at.height}. Progress=${scan.progress.toFixed(6)}`);
    return { status: 'aborted', lastScanned, lastFailed };
  }
  log.info(`Rescan completed in ${String(report.tookMs).padStart(15)}ms`);
  return { status: lastFailed ? 'failure' : 'success', lastScanned, lastFailed };
}

/**
 * Scans all blocks since a time.
 * @returns the time since which every block was scanned: `seconds`, or a later time if a block could not be read
 */
export async function rescanFrom(wallet: Wallet, seconds: number, update: boolean, deps: RescanDeps): Promise<number> {
  const start = await scanStart(deps.client, seconds);
  if (start === null || (wallet.tip && start.height > wallet.tip.height)) return seconds;
  const result = await scanBlocks(wallet, start, null, update, deps);
  if (result.status === 'failure' && result.lastFailed) return result.lastFailed.maxTime + TIMESTAMP_WINDOW + 1;
  return seconds;
}
