// Secrets that were taken out of a request before it was parsed: JavaScript strings cannot be overwritten, bytes can.
// secret-search.ts creates them, methods use them, and the call executor overwrites them when the call ends.
import { secretCopy } from '../../crypto/secret-bytes.js';
import type { PassedSecrets } from '../../link/messages.js';

/** Returns the buffers of secrets, which are transferred to another thread. */
export const passedBuffers = (passed: PassedSecrets | null): ArrayBuffer[] =>
  passed === null ? [] : [...passed.keys, ...passed.passphrases].map(([, secret]) => secret.buffer as ArrayBuffer);

export class TakenSecrets {
  readonly #keys = new Map<string, Uint8Array>();
  /** Passphrases by position of the request in the batch, then by position of the argument. */
  readonly #passphrases = new Map<number, Map<number, Uint8Array>>();

  /** Wraps the secrets of a single request from another thread. @param passed overwritten by wipe() */
  static of({ keys, passphrases }: PassedSecrets): TakenSecrets {
    const taken = new TakenSecrets();
    for (const [token, key] of keys) taken.#keys.set(token, key);
    for (const [at, secret] of passphrases) taken.addPassphrase(0, at, secret);
    return taken;
  }

  /**
   * Copies the secrets that one request may need, for another thread.
   * @param request position in the batch
   * @returns null if there are none
   */
  ofRequest(request: number): PassedSecrets | null {
    const copies = <K>(secrets: Iterable<readonly [K, Uint8Array]>) =>
      [...secrets].map(([name, secret]) => [name, secretCopy(secret)] as const);
    const passed = { keys: copies(this.#keys), passphrases: copies(this.#passphrases.get(request) ?? []) };
    return passed.keys.length + passed.passphrases.length > 0 ? passed : null;
  }

  /** Private keys as ASCII (WIF or extended), by the tokens that replace them in the body. */
  get keys(): ReadonlyMap<string, Uint8Array> {
    return this.#keys;
  }

  get size(): number {
    return this.#keys.size + this.#passphrases.size;
  }

  /**
   * Returns a passphrase as UTF-8. The argument itself is an empty string.
   * @param request position in the batch, 0 for a single request
   * @param at position of the argument
   */
  passphrase(request: number, at: number): Uint8Array | undefined {
    return this.#passphrases.get(request)?.get(at);
  }

  /** Adds a passphrase. @param secret overwritten by wipe() */
  addPassphrase(request: number, at: number, secret: Uint8Array): void {
    let ofRequest = this.#passphrases.get(request);
    if (ofRequest === undefined) {
      ofRequest = new Map();
      this.#passphrases.set(request, ofRequest);
    }
    // If an argument is given twice, the parser uses the last one.
    ofRequest.get(at)?.fill(0);
    ofRequest.set(at, secret);
  }

  /**
   * Adds a private key.
   * @param key copied
   * @returns token that replaces the key: as long as the key, with characters that descriptors may contain and keys do not
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
