// Row about the two sets of coins: active set, 1 byte (0: the first) | state of the other set, 1 byte | base, 32, if
// the state is 'history'. Without this row the active set is the first one and the other set is empty.

import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { COIN_SETS_KEY, type CoinSpace, FIRST_COINS, SECOND_COINS } from '../layout.js';
import type { BatchOp } from '../store.js';
import { decodeStored } from './corruption.js';

/** Which set the chain uses, and the state of the other one. */
export type CoinSets =
  /** 'rubbish': leftovers of a failed load or a finished validation, to be deleted. */
  | { readonly active: CoinSpace; readonly other: 'empty' | 'rubbish' }
  /**
   * 'history': the active set comes from a snapshot of the block `base` (internal order); the other set is being made
   * from the blocks.
   */
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

/** Returns the write of this row. */
export function coinSetsOp(sets: CoinSets): BatchOp {
  if (sets.active === FIRST_COINS && sets.other === 'empty') return { type: 'del', key: COIN_SETS_KEY };
  const head = [sets.active === FIRST_COINS ? 0 : 1, STATES.indexOf(sets.other)];
  return { type: 'put', key: COIN_SETS_KEY, value: Uint8Array.from(sets.other === 'history' ? [...head, ...sets.base] : head) };
}
