// Takes the block's hex out of the body of a submitblock. A front decodes the hex, so that the node thread gets the
// bytes of the block and a body of about a hundred bytes, instead of megabytes of text to parse and decode.
// rpc/node/submit.ts is the node thread's side.
import { randomBytes } from 'node:crypto';
import type { TakenBlock } from '../../link/messages.js';

/** A body whose block was taken out. */
export interface BodyWithoutBlock {
  readonly body: Uint8Array;
  readonly block: TakenBlock;
}

/** Hex with fewer digits stays in the body. */
const LEAST_DIGITS = 32 * 1024;
/** Maximum size in bytes of a body besides its block. The front parses these bytes, and must not be delayed. */
const MOST_AROUND = 64 * 1024;
const QUOTE = 0x22;
const TOKEN_BYTES = 16;

/**
 * Finds the first long run of hex digits between two quotes, decodes the digits, and replaces them by a token. The digits
 * were an argument if the parser of the body then finds the token as an argument.
 * @returns null if there is no such run, or if the rest of the body is too large
 */
export function takeLongHex(body: Uint8Array): BodyWithoutBlock | null {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let from = text.indexOf(QUOTE);
  for (let to = text.indexOf(QUOTE, from + 1); from >= 0 && from < MOST_AROUND && to >= 0; to = text.indexOf(QUOTE, from + 1)) {
    const digits = to - from - 1;
    if (digits >= LEAST_DIGITS && digits % 2 === 0) {
      if (text.length - digits > MOST_AROUND) return null;
      const bytes = new Uint8Array(digits / 2);
      // The decoder stops at the first character that is not a digit. Each character is one byte, so no wide character
      // passes as a digit.
      const written = Buffer.from(bytes.buffer).write(text.toString('latin1', from + 1, to), 'hex');
      if (written < bytes.length) return null;
      const token = `block:${randomBytes(TOKEN_BYTES).toString('hex')}`;
      return {
        body: new Uint8Array(Buffer.concat([text.subarray(0, from + 1), Buffer.from(token), text.subarray(to)])),
        block: { token, bytes },
      };
    }
    from = to;
  }
  return null;
}
