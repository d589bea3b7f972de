// Finds the objects of a list without creating values: the requests of a batch, and their replies.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Returns the ranges of the objects in a text that are in no other object, in order.
 * @param bytes part of a JSON list that cuts no object
 */
export function objectsIn(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at];
    if (c === QUOTE) {
      while (++at < bytes.length && bytes[at] !== QUOTE) if (bytes[at] === BACKSLASH) at++;
    } else if (c === OPEN_BRACE) {
      if (depth++ === 0) from = at;
    } else if (c === CLOSE_BRACE && --depth === 0) found.push(bytes.subarray(from, at + 1));
  }
  return found;
}
