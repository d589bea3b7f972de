// Runs the PSBT vectors of the BIPs and of Core: what is to be read and what is to be refused, and for what was read, that writing and
// reading it again says the same.
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { encodePsbt } from '../../src/psbt/encode-psbt.js';
import { PsbtError } from '../../src/psbt/psbt-reader.js';
import { readPsbt } from '../../src/psbt/read-psbt.js';
import { hex, vectorSuite } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();

interface ParseRow {
  readonly psbt: string;
  readonly valid: boolean;
  readonly comment?: string;
  readonly coreError?: string;
}

vectorSuite<ParseRow>('psbt/parse_valid_invalid.json', 'reading', ({ psbt, valid, comment = '', coreError }) => {
  const bytes = new Uint8Array(Buffer.from(psbt, 'base64'));
  try {
    const read = readPsbt(bytes, crypto);
    if (!valid) return `was read: ${comment} ${coreError ?? ''}`;
    const written = encodePsbt(read, crypto);
    const again = encodePsbt(readPsbt(written, crypto), crypto);
    return hex(again) === hex(written) ? null : `is written differently the second time: ${comment}`;
  } catch (error) {
    if (!(error instanceof PsbtError)) throw error;
    if (valid) return `${error.message}: ${comment}`;
    return coreError === undefined || error.message.startsWith(coreError) ? null : `says ${error.message} where Core says ${coreError}`;
  }
});
