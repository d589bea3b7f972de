// Raw transactions as callers type them, in hex. Used by the methods that offer transactions or build blocks of them.
import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTxLenient } from '../../consensus/tx/parse-lenient.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { hexBytes } from '../args.js';

/**
 * One raw transaction in the extended format (or else in the legacy one, if wished), null when the text is not that.
 */
export function decodeTx(ctx: { readonly crypto: Hashes }, text: string, tryNoWitness = false): TxView | null {
  const bytes = hexBytes(text);
  if (!bytes) return null;
  try {
    return parseTxLenient(bytes, ctx.crypto, { tryNoWitness });
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}
