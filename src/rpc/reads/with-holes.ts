// Writes objects of which some members are written as bytes.
import type { JsonBytes } from '../wire/json-bytes.js';
import { encodeJson } from '../wire/json-write.js';
import { type JsonResult, RawJson } from '../wire/values.js';

/** Placeholder of a member that is written as bytes. No JSON text contains it. */
const HOLE = '\u0000';
/** Value of a member that is written as bytes. */
export const HOLE_VALUE = new RawJson(HOLE);

/** Writes an object with holes. @param fills one function per hole, in order */
export function writeWithHoles(out: JsonBytes, value: JsonResult, fills: readonly (() => void)[]): void {
  for (const [i, text] of encodeJson(value).split(HOLE).entries()) {
    if (i > 0) fills[i - 1]?.();
    out.text(text);
  }
}
