import type { StoredCoin } from './coin.js';
/** Core's CBlockUndo. @param spent per transaction but the coinbase, the coins its inputs spent, in order */
export function encodeUndo(spent: readonly (readonly StoredCoin[])[]): Uint8Array { throw new Error(`later ${spent}`); }
/** Throws StoreError STORE_CORRUPTION. */
export function decodeUndo(bytes: Uint8Array): StoredCoin[][] { throw new Error(`later ${bytes}`); }
