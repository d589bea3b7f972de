// Searches stored coins for marked scripts. Coins stay encoded.
import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import { readVarint, readVarintBig } from '../storage/codec/varint.js';
import type { ScriptMarks } from './script-marks.js';

/** Number of special script forms of coins, which represent a script without its bytes. */
const SPECIAL_FORMS = 6;

/**
 * Returns whether the script of a coin may be marked. About one in some hundred million other coins is also reported,
 * and each coin that cannot be decoded, so that the caller decodes it and sees the error.
 * @param coin encoded (storage/codec/coin.ts)
 */
export function coinMayMatch(marks: ScriptMarks, coin: Uint8Array): boolean {
  const reader = new ByteReader(coin);
  try {
    readVarint(reader);
    readVarintBig(reader);
    const form = readVarint(reader);
    if (form < SPECIAL_FORMS) return marks.hasForm(form, coin, reader.skip(form < 2 ? 20 : 32));
    return marks.hasScript(coin, reader.skip(form - SPECIAL_FORMS), reader.offset);
  } catch (error) {
    if (error instanceof DecodeError) return true;
    throw error;
  }
}
