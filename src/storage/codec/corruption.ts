// Converts a DecodeError for stored bytes to a StoreError for corruption.

import { DecodeError } from '../../consensus/bytes/reader.js';
import { StoreError } from '../store-error.js';

/**
 * Runs a decoder over bytes that adit wrote. A DecodeError becomes StoreError STORE_CORRUPTION.
 * @param what kind of data for the message, for example "coin"
 */
export function decodeStored<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) throw new StoreError('STORE_CORRUPTION', `Stored ${what} is damaged: ${error.message}`, error);
    throw error;
  }
}
