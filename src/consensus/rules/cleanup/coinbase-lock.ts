// BIP-0054: a coinbase is locked to its height, so it can never repeat an earlier one, and BIP-0030 becomes
// unnecessary.
import type { Verdict } from '../../state.js';
import type { TxView } from '../../tx/tx-view.js';
import { SEQUENCE_FINAL } from '../locks.js';
import { reject } from '../reject.js';

/** Two fields of a coinbase. */
export interface CoinbaseLock {
  /** nLockTime. */
  readonly locktime: number;
  /** nSequence of the only input. */
  readonly sequence: number;
}

/** Returns the fields of a complying coinbase of this height. Other sequences also comply if they are not final. */
export function coinbaseLock(height: number): CoinbaseLock {
  return { locktime: height - 1, sequence: SEQUENCE_FINAL - 1 };
}

/**
 * Checks the lock of a coinbase.
 * @param height of its block
 */
export function checkCoinbaseLock(coinbase: TxView, height: number): Verdict {
  if (coinbase.locktime !== height - 1)
    return reject('consensus', 'bad-cb-locktime', 'coinbase is not locked to the height before its own');
  if (coinbase.sequence(0) === SEQUENCE_FINAL) return reject('consensus', 'bad-cb-sequence', 'coinbase input is final');
  return null;
}
