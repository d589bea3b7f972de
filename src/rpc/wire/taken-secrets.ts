// What was taken out of a request before it was parsed: strings of JavaScript cannot be overwritten, bytes can. Made by
// secret-search.ts, used by the methods that asked for it, overwritten by the desk when the call is over.
import { secretCopy } from '../../crypto/secret-bytes.js';
import type { PassedSecrets } from '../../link/messages.js';

/** The secrets of a body. */
export class TakenSecrets {
  readonly #keys = new Map<string, Uint8Array>();
  /** By place of the request in the batch, then by position of the argument. */
  readonly #passphrases = new Map<number, Map<number, Uint8Array>>();

  /** Those that came with a single request. @param passed are overwritten by wipe() */
  static of({ keys, passphrases }: PassedSecrets): TakenSecrets {
    const taken = new TakenSecrets();
    for (const [token, key] of keys) taken.#keys.set(token, key);
    for (const [at, secret] of passphrases) taken.addPassphrase(0, at, secret);
    return taken;
  }

  /** Copies for another thread, of what one request may need. @param request place in the batch; null: nothing */
  ofRequest(request: number): PassedSecrets | null {
    const copies = <K>(secrets: Iterable<readonly [K, Uint8Array]>) =>
      [...secrets].map(([name, secret]) => [name, secretCopy(secret)] as const);
    const passed = { keys: copies(this.#keys), passphrases: copies(this.#passphrases.get(request) ?? []) };
    return passed.keys.length + passed.passphrases.length > 0 ? passed : null;
  }

  /** Texts of private keys (WIF, or extended) as ASCII, by the tokens that stand for them in the body. */
  get keys(): ReadonlyMap<string, Uint8Array> {
    return this.#keys;
  }

  get size(): number {
    return this.#keys.size + this.#passphrases.size;
  }

  /**
   * UTF-8; the argument itself is an empty text.
   * @param request place in the batch, 0 for a single one
   * @param at position of the argument
   */
  passphrase(request: number, at: number): Uint8Array | undefined {
    return this.#passphrases.get(request)?.get(at);
  }

  /** @param secret is overwritten by wipe() */
  addPassphrase(request: number, at: number, secret: Uint8Array): void {
    let ofRequest = this.#passphrases.get(request);
    if (ofRequest === undefined) {
      ofRequest = new Map();
      this.#passphrases.set(request, ofRequest);
    }
    // An argument given twice: the parser takes the last.
    ofRequest.get(at)?.fill(0);
    ofRequest.set(at, secret);
  }

  /**
   * @param key is copied
   * @returns what stands for it now: as long, and made of characters that descriptors may have and keys have not
   */
  addKey(key: Uint8Array): string {
    const token = `~key:${this.#keys.size}`.padEnd(key.length, '~');
    this.#keys.set(token, secretCopy(key));
    return token;
  }

  wipe(): void {
    for (const key of this.#keys.values()) key.fill(0);
    for (const ofRequest of this.#passphrases.values()) for (const secret of ofRequest.values()) secret.fill(0);
  }
}
