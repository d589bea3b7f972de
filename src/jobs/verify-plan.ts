// Cuts a verification batch into jobs of a few milliseconds, by an estimate made from sizes alone (looking into the
// scripts would cost the node thread what it wants to save).

/** One signature check with its hashing and script, on a slow core without the system's library. */
const CHECK_US = 60;
/** The smallest common input, p2wpkh, takes 148 bytes; every further signature with its key takes at least this. */
const BYTES_PER_SIGNATURE = 100;
/** Outputs take 31 (p2wpkh) to 43 bytes; subtracted so that a payout transaction doesn't count as many signatures. */
const BYTES_PER_OUTPUT = 32;
/** Legacy signature hashes run over the whole transaction once per signature: SHA-256 at about 300 MB/s. */
const LEGACY_HASH_US_PER_BYTE = 0.0035;

/** What the estimate looks at. */
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

/** Estimated time for all inputs of a transaction, in microseconds: too much rather than too little. */
export function estimateTxUs({ tx }: PlannedTx): number {
  const inputBytes = tx.totalSize - tx.outputCount * BYTES_PER_OUTPUT;
  const signatures = Math.max(tx.inputCount, Math.floor(inputBytes / BYTES_PER_SIGNATURE));
  const hashUs = tx.hasWitness ? 0 : signatures * tx.strippedSize * LEGACY_HASH_US_PER_BYTE;
  return signatures * CHECK_US + hashUs;
}

/**
 * Ranges that cover every check once and in order. Transactions stay whole unless one alone exceeds the budget; then
 * its inputs are spread evenly.
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
 * Budget per job for a batch: small enough that all threads end together, never above the limit that keeps other
 * classes from waiting, never so small that posting the job costs more than running it.
 */
export function jobBudgetUs(txs: readonly PlannedTx[], threads: number): number {
  let totalUs = 0;
  for (const job of txs) totalUs += estimateTxUs(job);
  return Math.min(MAX_JOB_US, Math.max(MIN_JOB_US, totalUs / (threads * JOBS_PER_THREAD)));
}

/** Two jobs are on their way to each thread: 5 ms is what a job of a higher class may wait. */
export const MAX_JOB_US = 5_000;
/**
 * What a thread takes of a block's batch in one message: no class is higher, so nothing waits for it but its own stop,
 * which it sees between two checks.
 */
export const MAX_SHARE_US = 100_000;
/** Taking a range and telling of it costs a thread and the node thread some microseconds. */
const MIN_JOB_US = 600;
/** Messages for a batch, and how many of its ranges each may take: enough for all of them, and one for each thread. */
export interface Shares {
  readonly count: number;
  readonly most: number;
}

/** @param budgetUs of a range @param limitUs of a share */
export function planShares(ranges: number, budgetUs: number, limitUs: number, threads: number): Shares {
  const most = Math.max(1, Math.floor(limitUs / budgetUs));
  return { count: Math.min(ranges, Math.max(threads, Math.ceil(ranges / most))), most };
}

/** The last jobs of a batch end at different times, on average half a job apart. */
const JOBS_PER_THREAD = 16;
