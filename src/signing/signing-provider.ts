// What signing, descriptor inference, getaddressinfo and importmulti ask about scripts and keys. Implemented by the
// wallet's key stores and by FlatProvider (one request's or one descriptor's keys); several can be stacked with
// StackedProvider.
import type { Expansion, TaprootOutput } from '../address/descriptor/expansion.js';
import { evenKey } from '../address/descriptor/taproot-tree.js';
import { hashKey } from '../consensus/bytes/hex.js';
import type { Hashes } from '../crypto/crypto.js';
import { secretCopy } from '../crypto/secret-bytes.js';

/** Where a key comes from in a BIP-0032 tree. */
export interface KeyOrigin {
  /** First four bytes of HASH160 of the root's public key. */
  readonly fingerprint: Uint8Array;
  /** Child numbers; hardened ones have bit 31 set (values are unsigned). */
  readonly path: readonly number[];
}

/** Answers by hash; nothing here decides whether a script is the wallet's. */
export interface SigningProvider {
  /** A redeem script (or a witness script under its HASH160). @param id HASH160 of the script, 20 bytes */
  script(id: Uint8Array): Uint8Array | undefined;
  /** 33 or 65 bytes. @param id HASH160 of the key */
  publicKey(id: Uint8Array): Uint8Array | undefined;
  /** Whether the private key is held, locked or not. */
  hasSecret(id: Uint8Array): boolean;
  /** The private key, 32 bytes in a fresh array that the caller wipes; undefined when not held or locked. */
  secret(id: Uint8Array): Uint8Array | undefined;
  origin(id: Uint8Array): KeyOrigin | undefined;
  /** What is behind a taproot output. @param outputKey x-only, 32 bytes */
  taproot?(outputKey: Uint8Array): TaprootOutput | undefined;
}

/** HASH160 of both points that an x-only key can be. */
export function idsOfXOnly(publicKey: Uint8Array, { hash160 }: Pick<Hashes, 'hash160'>): [even: Uint8Array, odd: Uint8Array] {
  const key = evenKey(publicKey);
  const even = hash160(key);
  key[0] = 3;
  return [even, hash160(key)];
}

/** Plain maps filled by the caller; keys are hashKey(HASH160). */
export class FlatProvider implements SigningProvider {
  readonly scripts = new Map<string, Uint8Array>();
  readonly publicKeys = new Map<string, Uint8Array>();
  readonly secrets = new Map<string, Uint8Array>();
  readonly origins = new Map<string, KeyOrigin>();
  /** By hashKey of the output key. */
  readonly taproots = new Map<string, TaprootOutput>();

  script(id: Uint8Array): Uint8Array | undefined {
    return this.scripts.get(hashKey(id));
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    return this.publicKeys.get(hashKey(id));
  }
  hasSecret(id: Uint8Array): boolean {
    return this.secrets.has(hashKey(id));
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    const secret = this.secrets.get(hashKey(id));
    return secret && secretCopy(secret);
  }
  origin(id: Uint8Array): KeyOrigin | undefined {
    return this.origins.get(hashKey(id));
  }
  taproot(outputKey: Uint8Array): TaprootOutput | undefined {
    return this.taproots.get(hashKey(outputKey));
  }
  /** Adds what a descriptor tells about one index. */
  addExpansion({ innerScripts, hashedKeys, keys, taproot }: Expansion, { hash160 }: Pick<Hashes, 'hash160'>): void {
    for (const script of innerScripts) this.scripts.set(hashKey(hash160(script)), script);
    for (const key of hashedKeys) {
      this.publicKeys.set(hashKey(hash160(key)), key);
      // Leaves hash keys without their first byte.
      if (taproot !== null && key.length === 33) this.publicKeys.set(hashKey(hash160(key.subarray(1))), key);
    }
    for (const { publicKey, origin } of keys) this.addOrigin(hash160(publicKey), origin);
    if (taproot !== null) this.taproots.set(hashKey(taproot.outputKey), taproot);
  }
  /** Adds the origin of a key. If a key has several origins, the first one wins, as in Core. */
  addOrigin(id: Uint8Array, origin: KeyOrigin): void {
    const key = hashKey(id);
    if (!this.origins.has(key)) this.origins.set(key, origin);
  }
  /** @param secret the provider's from now on */
  addSecret(publicKey: Uint8Array, secret: Uint8Array, { hash160 }: Pick<Hashes, 'hash160'>): void {
    const id = hashKey(hash160(publicKey));
    this.secrets.get(id)?.fill(0);
    this.secrets.set(id, secret);
  }
  /** Overwrites the private keys with zeros and forgets them. */
  wipe(): void {
    for (const secret of this.secrets.values()) secret.fill(0);
    this.secrets.clear();
  }
}

/** The first of several providers that knows an answer gives it. */
export class StackedProvider implements SigningProvider {
  readonly #providers: readonly SigningProvider[];

  constructor(providers: readonly SigningProvider[]) {
    this.#providers = providers;
  }

  script(id: Uint8Array): Uint8Array | undefined {
    return this.#first((provider) => provider.script(id));
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    return this.#first((provider) => provider.publicKey(id));
  }
  hasSecret(id: Uint8Array): boolean {
    return this.#providers.some((provider) => provider.hasSecret(id));
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    return this.#first((provider) => provider.secret(id));
  }
  origin(id: Uint8Array): KeyOrigin | undefined {
    return this.#first((provider) => provider.origin(id));
  }
  taproot(outputKey: Uint8Array): TaprootOutput | undefined {
    return this.#first((provider) => provider.taproot?.(outputKey));
  }
  #first<T>(ask: (provider: SigningProvider) => T | undefined): T | undefined {
    for (const provider of this.#providers) {
      const answer = ask(provider);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}

/** Another provider without its private keys, or without where keys come from. */
export class HidingProvider implements SigningProvider {
  readonly #inner: SigningProvider;
  readonly #hidden: { readonly secrets: boolean; readonly origins: boolean };

  constructor(inner: SigningProvider, hidden: { readonly secrets: boolean; readonly origins: boolean }) {
    this.#inner = inner;
    this.#hidden = hidden;
  }

  script(id: Uint8Array): Uint8Array | undefined {
    return this.#inner.script(id);
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    return this.#inner.publicKey(id);
  }
  hasSecret(id: Uint8Array): boolean {
    return !this.#hidden.secrets && this.#inner.hasSecret(id);
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    return this.#hidden.secrets ? undefined : this.#inner.secret(id);
  }
  origin(id: Uint8Array): KeyOrigin | undefined {
    return this.#hidden.origins ? undefined : this.#inner.origin(id);
  }
  taproot(outputKey: Uint8Array): TaprootOutput | undefined {
    return this.#inner.taproot?.(outputKey);
  }
}
