// Source of scripts and keys for signing, descriptor inference, getaddressinfo and importmulti. Implemented by the
// wallet's key stores and by FlatProvider (keys of one request or one descriptor). StackedProvider combines several.
import type { Expansion, TaprootOutput } from '../address/descriptor/expansion.js';
import { evenKey } from '../address/descriptor/taproot-tree.js';
import { hashKey } from '../consensus/bytes/hex.js';
import type { Hashes } from '../crypto/crypto.js';
import { secretCopy } from '../crypto/secret-bytes.js';

/** Origin of a key in a BIP-0032 tree. */
export interface KeyOrigin {
  /** First four bytes of HASH160 of the root's public key. */
  readonly fingerprint: Uint8Array;
  /** Child numbers, unsigned; hardened ones have bit 31 set. */
  readonly path: readonly number[];
}

/** Lookups by hash. They do not decide whether a script is the wallet's. */
export interface SigningProvider {
  /** Returns a redeem script, or a witness script under its HASH160. @param id HASH160 of the script, 20 bytes */
  script(id: Uint8Array): Uint8Array | undefined;
  /** Returns a public key, 33 or 65 bytes. @param id HASH160 of the key */
  publicKey(id: Uint8Array): Uint8Array | undefined;
  /** Returns whether the private key is stored, locked or not. */
  hasSecret(id: Uint8Array): boolean;
  /**
   * Returns the private key, 32 bytes in a new array that the caller wipes; undefined if the key is not stored or the
   * wallet is locked.
   */
  secret(id: Uint8Array): Uint8Array | undefined;
  origin(id: Uint8Array): KeyOrigin | undefined;
  /** Returns the internal data of a taproot output. @param outputKey x-only, 32 bytes */
  taproot?(outputKey: Uint8Array): TaprootOutput | undefined;
}

/** Returns HASH160 of both points with the x coordinate of an x-only key. */
export function idsOfXOnly(publicKey: Uint8Array, { hash160 }: Pick<Hashes, 'hash160'>): [even: Uint8Array, odd: Uint8Array] {
  const key = evenKey(publicKey);
  const even = hash160(key);
  key[0] = 3;
  return [even, hash160(key)];
}

/** Provider of plain maps that the caller fills. Keys are hashKey(HASH160). */
export class FlatProvider implements SigningProvider {
  readonly scripts = new Map<string, Uint8Array>();
  readonly publicKeys = new Map<string, Uint8Array>();
  readonly secrets = new Map<string, Uint8Array>();
  readonly origins = new Map<string, KeyOrigin>();
  /** Internal data of taproot outputs, by hashKey of the output key. */
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
  /** Adds the expansion of a descriptor at one index. */
  addExpansion({ innerScripts, hashedKeys, keys, taproot }: Expansion, { hash160 }: Pick<Hashes, 'hash160'>): void {
    for (const script of innerScripts) this.scripts.set(hashKey(hash160(script)), script);
    for (const key of hashedKeys) {
      this.publicKeys.set(hashKey(hash160(key)), key);
      // Add the key under the hash of its x-only form too, because hashes in tapscript leaves cover that form.
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
  /** Adds a private key. @param secret belongs to the provider from now on */
  addSecret(publicKey: Uint8Array, secret: Uint8Array, { hash160 }: Pick<Hashes, 'hash160'>): void {
    const id = hashKey(hash160(publicKey));
    this.secrets.get(id)?.fill(0);
    this.secrets.set(id, secret);
  }
  /** Overwrites and removes the private keys. */
  wipe(): void {
    for (const secret of this.secrets.values()) secret.fill(0);
    this.secrets.clear();
  }
}

/** Provider that returns the first answer of several providers. */
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

/** Provider that hides the private keys, the key origins, or both of another provider. */
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
