// Guesses the method of a large body before the body is read. The guess only selects the port, the memory and the counter
// of the body, so a wrong guess can change nothing but the order of calls.

const WINDOW_BYTES = 512;
const NAME = /^[a-z]+$/;
const METHOD = Buffer.from('"method"');
/** Longest name of a method. */
const MAX_NAME = 32;
const OPEN_BRACKET = 0x5b;

/** Returns the method of a single request, `batch` for an array, or `large` if the name is not near either end. */
export function scanMethod(body: Uint8Array): string {
  let start = 0;
  while (start < WINDOW_BYTES && body[start]! <= 0x20) start++;
  if (body[start] === OPEN_BRACKET) return 'batch';
  const { length } = body;
  for (const from of [0, Math.max(0, length - WINDOW_BYTES)]) {
    const part = Buffer.from(body.buffer, body.byteOffset + from, Math.min(WINDOW_BYTES, length - from));
    for (let at = part.indexOf(METHOD); at >= 0; at = part.indexOf(METHOD, at + 1)) {
      const [, name = ''] =
        /^[: \t\r\n]*"([^"]*)"/.exec(part.toString('latin1', at + METHOD.length, at + METHOD.length + MAX_NAME + 8)) ?? [];
      if (name.length <= MAX_NAME && NAME.test(name)) return name;
      if (name !== '') break;
    }
  }
  return 'large';
}
