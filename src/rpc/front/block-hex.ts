// Takes a block's hex out of the body of a submitblock: a front decodes it, so that the node thread gets the block's
// bytes and a body of a hundred bytes instead of megabytes of text to parse and decode. Used by plan.ts; the node's
// side is rpc/node/submit.ts.
import { randomBytes } from 'node:crypto';
import type { TakenBlock } from '../../link/messages.js';
import type { ParsedBody } from '../wire/request.js';

/** A body without its block. */
export interface BodyWithoutBlock {
  readonly body: Uint8Array;
  readonly block: TakenBlock;
}

/** Shorter hex is left where it is. */
const LEAST_DIGITS = 32 * 1024;
/** Bytes of a body beside its block at most: they are parsed on the front, which must not be kept. */
const MOST_AROUND = 64 * 1024;
const QUOTE = 0x22;
const TOKEN_BYTES = 16;

/**
 * The first long run of hex digits between two quotes, decoded, and the body with a token in its place. What the run is
 * for the parser of the body decides: it was an argument if the token is one.
 * @returns null when there is no such run, or much beside it
 */
export function takeLongHex(body: Uint8Array): BodyWithoutBlock | null {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let from = text.indexOf(QUOTE);
  for (let to = text.indexOf(QUOTE, from + 1); from >= 0 && from < MOST_AROUND && to >= 0; to = text.indexOf(QUOTE, from + 1)) {
    const digits = to - from - 1;
    if (digits >= LEAST_DIGITS && digits % 2 === 0) {
      if (text.length - digits > MOST_AROUND) return null;
      const bytes = new Uint8Array(digits / 2);
      // The decoder stops at what is no digit; each character is one byte, so none passes for another.
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

/** Whether a body is a single submitblock. */
export function isSubmitBlock(parsed: ParsedBody): parsed is Extract<ParsedBody, { kind: 'single' }> {
  return parsed.kind === 'single' && parsed.entry.error === null && parsed.entry.method === 'submitblock';
}
