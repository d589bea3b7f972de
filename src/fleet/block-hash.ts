// The header that a submission begins with, without parsing the rest of it. Used by both ends.
import { createHash } from 'node:crypto';

const HEADER_BYTES = 80;
/** The block's hex begins in the first bytes of a body, if it is there. */
const SCANNED_BYTES = 4096;

/** A call that may have a block in it. */
export interface Submission {
  readonly body: Uint8Array;
  /** What was taken out of the body. */
  readonly block: { readonly bytes: Uint8Array } | null;
}

/** Hash of the block that a submission begins with, display order; null when it begins with no header. */
export function submittedHash({ body, block }: Submission): string | null {
  const header = headerOf({ body, block });
  return header && Buffer.from(sha256d(header)).reverse().toString('hex');
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
/** As Bitcoin hashes headers. */
export const sha256d = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));

/** The block's header, from the block or from the first long run of hex digits; null when there is none. */
export function headerOf({ body, block }: Submission): Uint8Array | null {
  if (block) return block.bytes.length < HEADER_BYTES ? null : block.bytes.subarray(0, HEADER_BYTES);
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, SCANNED_BYTES)).toString('latin1');
  const found = /"([0-9a-fA-F]{160})/.exec(text);
  return found ? new Uint8Array(Buffer.from(found[1] as string, 'hex')) : null;
}
