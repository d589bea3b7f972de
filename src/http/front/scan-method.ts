// Large bodies are not decoded on a front, but for those of users with a list of methods. This finds the method's name at either end of one, well enough to choose the port and to
// count it; the node thread reads the body properly, so a wrong guess costs nothing but order.

/** Bodies above this size go to the node thread unread, unless their methods have to be checked: those are read in turns. */
export const LARGE_BODY_BYTES = 64 * 1024;

const WINDOW_BYTES = 512;
const METHOD = /"method"\s*:\s*"([a-z]{1,32})"/;

/** The method of a single request, `batch` for an array, `large` when the name is not near an end. */
export function scanMethod(body: Uint8Array): string {
  const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const start = view.toString('latin1', 0, WINDOW_BYTES);
  if (start.trimStart().startsWith('[')) return 'batch';
  const found = METHOD.exec(start) ?? METHOD.exec(view.toString('latin1', Math.max(0, body.byteLength - WINDOW_BYTES)));
  return found?.[1] ?? 'large';
}
