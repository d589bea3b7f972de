// Limits of the mempool, with Core 0.21's defaults. Rules for single transactions are in policy/options.ts.
import type { Compat } from '../policy/compat.js';
import { DEFAULT_POLICY, type PolicyOptions } from '../policy/options.js';

/**
 * Largest fee delta of a transaction in satoshis, positive or negative. It exceeds the amount of all bitcoin, and sums
 * of fees and deltas are still exact as numbers.
 */
export const MOST_DELTA = 2 ** 52;

export interface MempoolOptions {
  readonly policy: PolicyOptions;
  /** -maxmempool in bytes of estimated memory. */
  readonly maxUsageBytes: number;
  /** -mempoolexpiry in seconds. */
  readonly expirySeconds: number;
  /** -limitancestorcount; the transaction counts itself. */
  readonly limitAncestorCount: number;
  /** -limitancestorsize in virtual bytes. */
  readonly limitAncestorSize: number;
  /** -limitdescendantcount */
  readonly limitDescendantCount: number;
  /** -limitdescendantsize in virtual bytes. */
  readonly limitDescendantSize: number;
  /**
   * True: a full mempool evicts the chunk that would be mined last. False in mode core with -compat=0.21.1: it evicts in
   * Core 0.21's order.
   */
  readonly evictChunks: boolean;
  /**
   * True: a replacement must improve the fee-rate diagram, as in newer Bitcoin Core. False in mode core with
   * -compat=0.21.1: BIP-0125 decides.
   */
  readonly replaceByDiagram: boolean;
  /** -limitclustercount, including the transaction itself; infinite unless given. */
  readonly limitClusterCount: number;
  /** -limitclustersize in virtual bytes; infinite unless given. */
  readonly limitClusterSize: number;
  /** Apply BIP-0054's limit on signature operations of inputs, even if the next block need not obey BIP-0054. */
  readonly limitLegacySigops: boolean;
  /** Size in bytes of a piece of memory for transactions. */
  readonly segmentBytes: number;
}

export const DEFAULT_MEMPOOL: MempoolOptions = {
  policy: DEFAULT_POLICY,
  maxUsageBytes: 300_000_000,
  expirySeconds: 336 * 60 * 60,
  limitAncestorCount: 25,
  limitAncestorSize: 101_000,
  limitDescendantCount: 25,
  limitDescendantSize: 101_000,
  evictChunks: false,
  replaceByDiagram: false,
  limitClusterCount: Number.POSITIVE_INFINITY,
  limitClusterSize: Number.POSITIVE_INFINITY,
  limitLegacySigops: true,
  segmentBytes: 1 << 20,
};

/** Options for operators, by the names above. Sizes are given in kvB and MB, times in hours. */
export const MEMPOOL_ROWS = {
  maxUsageBytes: [
    'maxmempool',
    'int',
    'Keep the mempool below this many megabytes (default: {default}, with -blocksonly 5)',
    DEFAULT_MEMPOOL.maxUsageBytes,
    { unit: 1_000_000 },
  ],
  expirySeconds: [
    'mempoolexpiry',
    'int',
    'Remove transactions from the mempool after this many hours',
    DEFAULT_MEMPOOL.expirySeconds,
    { unit: 3_600 },
  ],
  limitAncestorCount: [
    'limitancestorcount',
    'int',
    'Maximum number of unconfirmed ancestors, including the transaction. Only with -compat=0.21.1',
    DEFAULT_MEMPOOL.limitAncestorCount,
  ],
  limitAncestorSize: [
    'limitancestorsize',
    'int',
    'Maximum size of unconfirmed ancestors, in kvB. Only with -compat=0.21.1',
    DEFAULT_MEMPOOL.limitAncestorSize,
    { unit: 1_000 },
  ],
  limitDescendantCount: [
    'limitdescendantcount',
    'int',
    'Maximum number of unconfirmed descendants. Only with -compat=0.21.1',
    DEFAULT_MEMPOOL.limitDescendantCount,
  ],
  limitDescendantSize: [
    'limitdescendantsize',
    'int',
    'Maximum size of unconfirmed descendants, in kvB. Only with -compat=0.21.1',
    DEFAULT_MEMPOOL.limitDescendantSize,
    { unit: 1_000 },
  ],
  limitClusterCount: [
    'limitclustercount',
    'int',
    'Maximum number of transactions in a cluster of the mempool (default and maximum: {default}; with -compat=0.21.1 {0.21.1}, no limit)',
    ({ policy }: Compat) => policy.clusterCount,
  ],
  limitClusterSize: [
    'limitclustersize',
    'int',
    'Maximum size of a cluster of the mempool, in kvB (default: {default}; with -compat=0.21.1 {0.21.1}, no limit)',
    ({ policy }: Compat) => policy.clusterKvb * 1_000,
    { unit: 1_000 },
  ],
} as const;
