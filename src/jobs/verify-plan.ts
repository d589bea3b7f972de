// Cuts a verification batch into jobs of a few milliseconds. The time is estimated from sizes alone, because parsing
// scripts on the node thread would cost as much as is saved.

/** One signature check with its hashing and script, on a slow core, without the native library. */
const CHECK_US = 60;
/** The smallest common input, p2wpkh, has 148 bytes. Each further signature with its key adds at least this. */
const BYTES_PER_SIGNATURE = 100;
/** Outputs have 31 (p2wpkh) to 43 bytes. They are subtracted so that a payout transaction does not count as many signatures. */
const BYTES_PER_OUTPUT = 32;
/** A legacy signature hash covers the whole transaction, once per signature: SHA-256 at about 300 MB/s. */
const LEGACY_HASH_US_PER_BYTE = 0.0035;

/** Figures on which the estimate depends. */
export interface PlannedTx {
  readonly tx: {
    readonly totalSize: number;
    readonly strippedSize: number;
    readonly inputCount: number;
    readonly outputCount: number;
    readonly hasWitness: boolean;
  };
  readonly onlyInput?: number;
}

/** Checks first..end-1 of a batch, in the numbering of jobs/slab.ts. */
export interface CheckRange {
  readonly first: number;
  readonly end: number;
}

/** Returns the estimated time for all inputs of a transaction in microseconds, rather too high than too low. */
export function estimateTxUs({ tx }: PlannedTx): number {
  const inputBytes = tx.totalSize - tx.outputCount * BYTES_PER_OUTPUT;
  const signatures = Math.max(tx.inputCount, Math.floor(inputBytes / BYTES_PER_SIGNATURE));
  const hashUs = tx.hasWitness ? 0 : signatures * tx.strippedSize * LEGACY_HASH_US_PER_BYTE;
  return signatures * CHECK_US + hashUs;
}

/**
 * Returns ranges that cover every check once and in order. Transactions stay whole unless one exceeds the budget; its
 * inputs are then distributed evenly.
 */
export function planRanges(txs: readonly PlannedTx[], budgetUs: number): CheckRange[] {
  const ranges: CheckRange[] = [];
  let first = 0;
  let end = 0;
  let filledUs = 0;
  const close = (): void => {
    if (end > first) ranges.push({ first, end });
    first = end;
    filledUs = 0;
  };
  for (const job of txs) {
    const checks = job.onlyInput === undefined ? job.tx.inputCount : 1;
    const costUs = (estimateTxUs(job) * checks) / Math.max(1, job.tx.inputCount);
    if (filledUs + costUs > budgetUs) close();
    if (costUs <= budgetUs) {
      end += checks;
      filledUs += costUs;
      continue;
    }
    const pieces = Math.min(checks, Math.ceil(costUs / budgetUs));
    const start = end;
    for (let piece = 1; piece <= pieces; piece++) {
      end = start + Math.floor((checks * piece) / pieces);
      close();
    }
  }
  close();
  return ranges;
}

/**
 * Returns the time budget of a job: small enough that all threads end at about the same time, not above the limit that
 * protects jobs of higher classes, and not so small that posting a job costs more than running it.
 */
export function jobBudgetUs(txs: readonly PlannedTx[], threads: number): number {
  let totalUs = 0;
  for (const job of txs) totalUs += estimateTxUs(job);
  return Math.min(MAX_JOB_US, Math.max(MIN_JOB_US, totalUs / (threads * JOBS_PER_THREAD)));
}

/** Two jobs are queued per thread, so a job of a higher class waits at most 5 ms. */
export const MAX_JOB_US = 5_000;
/**
 * Limit for one message of a block's batch. No class is higher, so only a stop has to wait, and threads check for it
 * between any two checks.
 */
export const MAX_SHARE_US = 100_000;
/** Taking a range and reporting it costs a thread and the node thread some microseconds. */
const MIN_JOB_US = 600;
/** Number of messages for a batch, and the most ranges that each may take: enough for all ranges, and one per thread. */
export interface Shares {
  readonly count: number;
  readonly most: number;
}

/** @param budgetUs time of a range @param limitUs time of a share */
export function planShares(ranges: number, budgetUs: number, limitUs: number, threads: number): Shares {
  const most = Math.max(1, Math.floor(limitUs / budgetUs));
  return { count: Math.min(ranges, Math.max(threads, Math.ceil(ranges / most))), most };
}

/** Number of jobs per thread into which a batch is cut. Threads idle for half a job on average at the end of a batch. */
const JOBS_PER_THREAD = 16;
