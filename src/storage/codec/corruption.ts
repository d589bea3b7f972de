// Turns a parser's "this is not what it claims to be" into the store's "the disk gave back something else".

import { DecodeError } from '../../consensus/bytes/reader.js';
import { StoreError } from '../store-error.js';

/** Runs a decoder over bytes that we wrote. @param what e.g. "coin" */
export function decodeStored<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) throw new StoreError('STORE_CORRUPTION', `Stored ${what} is damaged: ${error.message}`, error);
    throw error;
  }
}
