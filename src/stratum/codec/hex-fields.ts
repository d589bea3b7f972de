// Hex fields of mining.submit and mining.notify.

/** Returns a 32-bit number as eight hex digits, most significant first, as miners expect it. */
export function u32Hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** Parses a number of one to eight hex digits; null for any other text. NerdMiners omit leading zeros. */
export function parseU32Hex(text: string): number | null {
  return /^[0-9a-fA-F]{1,8}$/.test(text) ? Number.parseInt(text, 16) : null;
}
