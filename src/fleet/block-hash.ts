// Reads the block header at the beginning of a submission without parsing the rest.
import { createHash } from 'node:crypto';

const HEADER_BYTES = 80;
/** Length of the prefix of a body in which the block's hex must begin. */
const SCANNED_BYTES = 4096;

/** A call that may contain a block. */
export interface Submission {
  readonly body: Uint8Array;
  /** The block, if the front took it out of the body as bytes. */
  readonly block: { readonly bytes: Uint8Array } | null;
}

/** Returns the hash of the submitted block, in display order; null if the submission does not begin with a header. */
export function submittedHash({ body, block }: Submission): string | null {
  const header = headerOf({ body, block });
  return header && Buffer.from(sha256d(header)).reverse().toString('hex');
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
/** Double SHA-256, the hash of block headers. */
export const sha256d = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));

/** Returns the 80-byte header, from the block or from the first run of at least 160 hex digits; null if there is none. */
export function headerOf({ body, block }: Submission): Uint8Array | null {
  if (block) return block.bytes.length < HEADER_BYTES ? null : block.bytes.subarray(0, HEADER_BYTES);
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, SCANNED_BYTES)).toString('latin1');
  const found = /"([0-9a-fA-F]{160})/.exec(text);
  return found ? new Uint8Array(Buffer.from(found[1] as string, 'hex')) : null;
}
