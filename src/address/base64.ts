// Base64 as strict as Core's: no white space, correct padding, no stray bits (util/strencodings.cpp).

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** Encodes bytes as padded Base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = (bytes[at] << 16) | (left > 1 ? bytes[at + 1] << 8 : 0) | (left > 2 ? bytes[at + 2] : 0);
    text += ALPHABET[group >> 18] + ALPHABET[(group >> 12) & 63];
    text += left > 1 ? ALPHABET[(group >> 6) & 63] : '=';
    text += left > 2 ? ALPHABET[group & 63] : '=';
  }
  return text;
}

/** Decodes Base64; null if the text is not exactly what encodeBase64 writes for the decoded bytes. */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((digits * 3) >> 2);
  let pending = 0;
  let bits = 0;
  let size = 0;
  for (let i = 0; i < digits; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? VALUES[code] : -1;
    if (value < 0) return null;
    pending = ((pending << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[size++] = pending >> bits;
  }
  return (pending & ((1 << bits) - 1)) === 0 ? bytes : null;
}
