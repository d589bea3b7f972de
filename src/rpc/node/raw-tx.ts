// Parses raw transactions in hex.
import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTxLenient } from '../../consensus/tx/parse-lenient.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { hexBytes } from '../args.js';

/**
 * Parses a raw transaction in the extended format, or with `tryNoWitness` also in the legacy one.
 * @returns null if the text is not a transaction
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
