// BIP-0054: the lock time of a coinbase contains its height, so a coinbase never repeats an earlier one, and BIP-0030
// becomes unnecessary.
import type { Verdict } from '../../state.js';
import type { TxView } from '../../tx/tx-view.js';
import { SEQUENCE_FINAL } from '../locks.js';
import { reject } from '../reject.js';

/** Fields of a coinbase that lock it. */
export interface CoinbaseLock {
  /** nLockTime. */
  readonly locktime: number;
  /** nSequence of the only input. */
  readonly sequence: number;
}

/**
 * Returns the fields of a coinbase at this height that complies with the rule. Other sequences comply too, if they are
 * not final.
 */
export function coinbaseLock(height: number): CoinbaseLock {
  return { locktime: height - 1, sequence: SEQUENCE_FINAL - 1 };
}

/**
 * Checks the lock of a coinbase.
 * @param height height of its block
 */
export function checkCoinbaseLock(coinbase: TxView, height: number): Verdict {
  if (coinbase.locktime !== height - 1)
    return reject('consensus', 'bad-cb-locktime', 'coinbase is not locked to the height before its own');
  if (coinbase.sequence(0) === SEQUENCE_FINAL) return reject('consensus', 'bad-cb-sequence', 'coinbase input is final');
  return null;
}
