// Text of lines. One character stands for one byte (Latin-1), so that ids in any encoding are returned unchanged.

const MOST_ARGUMENTS = 1024;

/** Converts bytes to text, one character per byte. */
export function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS) {
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + MOST_ARGUMENTS) as unknown as number[]);
  }
  return text;
}

/** Converts Latin-1 text to bytes. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Encodes JSON. Characters above 0xff, which can only come from JSON escapes, become escapes again. */
export function latin1Json(value: unknown): string {
  return JSON.stringify(value).replace(/[\u0100-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
