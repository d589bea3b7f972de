// Private keys whose text does not stand in a descriptor, because strings cannot be overwritten: tokens of the same
// length stand for them, and the text of each comes as bytes. Used by parse.ts; rpc/wire/secret-search.ts makes the
// tokens.
import { descriptorChecksum } from './checksum.js';

const TOKEN = /~key:\d+~*/g;
/** What messages say in a key's place. */
const HIDDEN = '(private key)';

/** A text as messages may show it. @param keys by the tokens that may stand in it */
export function hideKeys(text: string, keys: ReadonlyMap<string, Uint8Array> | undefined): string {
  return keys?.size ? text.replace(TOKEN, (token) => (keys.has(token) ? HIDDEN : token)) : text;
}

/** The keys of one text, among others. */
export class KeyTokens {
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  /** @param keys ASCII by token, which is as long */
  constructor(keys: ReadonlyMap<string, Uint8Array>) {
    this.#keys = keys;
  }

  /**
   * The text of a key expression: ASCII where a token stands for it. White space around is as good as none, as
   * everywhere in Base58.
   */
  textOf(text: string): string | Uint8Array {
    return this.#keys.get(text.trim()) ?? text;
  }

  /** The checksum of what a descriptor's text stands for. */
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

  /** Overwrites the keys of a text. */
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

/** For texts that hold their keys themselves. */
export const NO_KEY_TOKENS = new KeyTokens(new Map());
