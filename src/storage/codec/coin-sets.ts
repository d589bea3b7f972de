// What is said about the two sets of coins: active, 1 byte (0: the first) | what the other is, 1 byte | base, 32, when
// the other is a history. No row: the first set, and nothing in the other.

import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { COIN_SETS_KEY, type CoinSpace, FIRST_COINS, SECOND_COINS } from '../layout.js';
import type { BatchOp } from '../store.js';
import { decodeStored } from './corruption.js';

/** Which set the chain stands on, and what the other is. */
export type CoinSets =
  /** Rubbish: what a load that failed or a validation that ended left there, to be removed. */
  | { readonly active: CoinSpace; readonly other: 'empty' | 'rubbish' }
  /** The active set comes from a snapshot of the block `base` (internal order); the other is made from the blocks. */
  | { readonly active: CoinSpace; readonly other: 'history'; readonly base: Uint8Array };

const STATES = ['empty', 'rubbish', 'history'] as const;

/** @throws StoreError STORE_CORRUPTION */
export function decodeCoinSets(row: Uint8Array | undefined): CoinSets {
  if (row === undefined) return { active: FIRST_COINS, other: 'empty' };
  return decodeStored('note on the sets of coins', () => {
    const reader = new ByteReader(row);
    const active = reader.u8() === 0 ? FIRST_COINS : SECOND_COINS;
    const other = STATES[reader.u8()];
    if (other === undefined) throw new DecodeError('unknown state');
    return other === 'history' ? { active, other, base: reader.bytes(32).slice() } : { active, other };
  });
}

/** The write that says so. */
export function coinSetsOp(sets: CoinSets): BatchOp {
  if (sets.active === FIRST_COINS && sets.other === 'empty') return { type: 'del', key: COIN_SETS_KEY };
  const head = [sets.active === FIRST_COINS ? 0 : 1, STATES.indexOf(sets.other)];
  return { type: 'put', key: COIN_SETS_KEY, value: Uint8Array.from(sets.other === 'history' ? [...head, ...sets.base] : head) };
}
