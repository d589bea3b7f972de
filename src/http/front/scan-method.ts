// Large bodies are not decoded on a front. This finds the method's name at either end of one, well enough to choose the
// port and to count it; the node thread reads the body properly, so a wrong guess costs nothing but order.
import { LONG_BODY_BYTES } from '../../rpc/wire/long-batch.js';
import { firstMethodIn } from '../../rpc/wire/secret-places.js';

/**
 * Bodies of this size and above go to the node thread unread, unless their methods have to be checked: those are looked
 * through in turns.
 */
export const LARGE_BODY_BYTES = LONG_BODY_BYTES;

const WINDOW_BYTES = 512;
const NAME = /^[a-z]+$/;
const OPEN_BRACKET = 0x5b;

/** The method of a single request, `batch` for an array, `large` when the name is not near an end. */
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
