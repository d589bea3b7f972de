// Guesses the method of a large body, which a front does not parse. The guess only selects the port and the counter;
// the node thread parses the body, so a wrong guess can change nothing but the order of calls.
import { LONG_BODY_BYTES } from '../../rpc/wire/long-batch.js';
import { firstMethodIn } from '../../rpc/wire/secret-places.js';

/**
 * Bodies of at least this size go to the node thread unread, unless their methods must be checked: those are read in
 * slices.
 */
export const LARGE_BODY_BYTES = LONG_BODY_BYTES;

const WINDOW_BYTES = 512;
const NAME = /^[a-z]+$/;
const OPEN_BRACKET = 0x5b;

/** Returns the method of a single request, `batch` for an array, or `large` if the name is not near either end. */
export function scanMethod(body: Uint8Array): string {
  let start = 0;
  while (start < WINDOW_BYTES && body[start] <= 0x20) start++;
  if (body[start] === OPEN_BRACKET) return 'batch';
  const { length } = body;
  for (const from of [0, Math.max(0, length - WINDOW_BYTES)]) {
    const name = firstMethodIn(body, from, Math.min(from + WINDOW_BYTES, length));
    if (NAME.test(name)) return name;
  }
  return 'large';
}
