// Private keys that are not part of a descriptor's text, because strings cannot be overwritten. In the text, a token of
// the same length replaces each private key; the key itself is passed as bytes. rpc/wire/secret-search.ts makes the
// tokens.
import { descriptorChecksum } from './checksum.js';

const TOKEN = /~key:\d+~*/g;
/** Text that messages show instead of a private key. */
const HIDDEN = '(private key)';

/** Replaces each token of a private key in a message by `(private key)`. @param keys private keys by token */
export function hideKeys(text: string, keys: ReadonlyMap<string, Uint8Array> | undefined): string {
  return keys?.size ? text.replace(TOKEN, (token) => (keys.has(token) ? HIDDEN : token)) : text;
}

/** Private keys that tokens replace in one descriptor text. */
export class KeyTokens {
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  /** @param keys ASCII codes by token. Both have the same length */
  constructor(keys: ReadonlyMap<string, Uint8Array>) {
    this.#keys = keys;
  }

  /**
   * Returns the text of a key expression: ASCII codes if it is a token. White space around it is ignored, as in Base58.
   */
  textOf(text: string): string | Uint8Array {
    return this.#keys.get(text.trim()) ?? text;
  }

  /** Computes the checksum of a descriptor, with private keys instead of tokens. */
  checksumOf = (payload: string): string | null => {
    const tokens = this.#tokensIn(payload);
    if (tokens.length === 0) return descriptorChecksum(payload);
    const whole = new Uint8Array(payload.length);
    try {
      for (let i = 0; i < payload.length; i++) whole[i] = Math.min(payload.charCodeAt(i), 0xff);
      for (const { at, key } of tokens) whole.set(key, at);
      return descriptorChecksum(whole);
    } finally {
      whole.fill(0);
    }
  };

  /** Overwrites the private keys of a text. */
  wipe(text: string): void {
    for (const { key } of this.#tokensIn(text)) key.fill(0);
  }

  #tokensIn(text: string): { at: number; key: Uint8Array }[] {
    const found: { at: number; key: Uint8Array }[] = [];
    if (this.#keys.size === 0) return found;
    for (const match of text.matchAll(TOKEN)) {
      const key = this.#keys.get(match[0]);
      if (key !== undefined) found.push({ at: match.index, key });
    }
    return found;
  }
}

/** Empty table, for descriptors whose private keys were not replaced by tokens. */
export const NO_KEY_TOKENS = new KeyTokens(new Map());
