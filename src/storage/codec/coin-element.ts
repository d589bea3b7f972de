// A coin as an element of the set for MuHash (Core's TxOutSer): outpoint, 36 | height * 2 + coinbase, LE32 | value,
// LE64 | script with its length. Also Core's measure of a coin's size.

import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import { heightCode } from './coin.js';

/** Bytes of Core's bogosize besides the script: txid, vout, height and coinbase, value, script length. */
const BOGO_FIXED = 32 + 4 + 4 + 8 + 2;

/**
 * Returns the encoding of a coin as a set element.
 * @param outpoint 36 bytes, vout little-endian
 */
export function coinElement(outpoint: Uint8Array, coin: Coin): Uint8Array {
  return new ByteWriter(64 + coin.script.length).bytes(outpoint).u32(heightCode(coin)).u64(coin.value).varBytes(coin.script).finish();
}

/** Returns Core's bogosize of a coin, which does not depend on the database. */
export const bogoSizeOf = (script: Uint8Array): number => BOGO_FIXED + script.length;
