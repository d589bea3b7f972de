// Lock times: when a block may contain a transaction, by absolute lock time (BIP-0113 decides which time counts) and
// relative locks (BIP-0068).

import type { HeaderContext } from '../header-context.js';
import { LOCKTIME_THRESHOLD } from '../limits.js';
import type { TxView } from '../tx/tx-view.js';

/** Sequence of an input that disables the lock time. */
export const SEQUENCE_FINAL = 0xffffffff;
/** If this bit is set, the sequence is not a relative lock. */
export const SEQUENCE_DISABLE_FLAG = 0x80000000;
/** If this bit is set, the relative lock counts time, otherwise blocks. */
export const SEQUENCE_TYPE_FLAG = 0x00400000;
/** Mask of the lock's value. */
export const SEQUENCE_MASK = 0xffff;
/** Relative locks by time count units of 2^9 seconds. */
export const SEQUENCE_GRANULARITY = 9;

/**
 * Returns whether the lock time allows the transaction in a block at `height`.
 * @param time seconds: the parent's median time if BIP-0113 is active, otherwise the block's own time
 */
export function isFinalTx(tx: TxView, height: number, time: number): boolean {
  const locktime = tx.locktime;
  if (locktime === 0 || locktime < (locktime < LOCKTIME_THRESHOLD ? height : time)) return true;
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) !== SEQUENCE_FINAL) return false;
  return true;
}

/** Last height and last median time at which the relative locks are not met yet; -1 for none. */
export interface SequenceLocks {
  minHeight: number;
  minTime: number;
}

/** Returns whether an input has a relative lock, even one of zero. */
export function hasRelativeLock(tx: TxView): boolean {
  // The version is compared as an unsigned number, so negative versions count as high.
  if (tx.version >>> 0 < 2) return false;
  for (let i = 0; i < tx.inputCount; i++) if ((tx.sequence(i) & SEQUENCE_DISABLE_FLAG) === 0) return true;
  return false;
}

/**
 * Computes the relative locks of a transaction in a child of `prev`. Must be called only if BIP-0068 is active.
 * @param coinHeights height of the block with the coin of each input; prev.height + 1 for a coin of the same block or
 *   of the mempool
 */
export function sequenceLocks(tx: TxView, coinHeights: ArrayLike<number>, prev: HeaderContext): SequenceLocks {
  const locks: SequenceLocks = { minHeight: -1, minTime: -1 };
  // The version is compared as an unsigned number, so negative versions count as high.
  if (tx.version >>> 0 < 2) return locks;
  for (let i = 0; i < tx.inputCount; i++) {
    const sequence = tx.sequence(i);
    if ((sequence & SEQUENCE_DISABLE_FLAG) !== 0) continue;
    const value = sequence & SEQUENCE_MASK;
    if ((sequence & SEQUENCE_TYPE_FLAG) !== 0) {
      // The lock's time starts at the median time of the block before the coin's block.
      const before = prev.ancestor(Math.max(coinHeights[i] - 1, 0));
      if (before === null) throw new RangeError('the coin is above its spending block');
      locks.minTime = Math.max(locks.minTime, before.medianTimePast() + value * 2 ** SEQUENCE_GRANULARITY - 1);
    } else {
      locks.minHeight = Math.max(locks.minHeight, coinHeights[i] + value - 1);
    }
  }
  return locks;
}

/** Returns whether these locks are met in a child of `prev`. */
export function sequenceLocksMet(locks: SequenceLocks, prev: HeaderContext): boolean {
  return locks.minHeight < prev.height + 1 && (locks.minTime < 0 || locks.minTime < prev.medianTimePast());
}
