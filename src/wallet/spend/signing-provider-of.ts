// Provides the keys for a transaction's inputs. A legacy wallet has one store for all keys. A descriptor wallet has a
// provider per script, indexed by id, so that a thousand inputs need a thousand lookups. Several descriptors may
// contain a key of which only one has the private half, so a lookup queries every provider that knows the id.
import type { TaprootOutput } from '../../address/descriptor/expansion.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import type { KeyOrigin, SigningProvider } from '../../signing/index.js';
import type { DescriptorProvider } from '../keys/descriptor-keys.js';
import type { Wallet } from '../wallet.js';

/** Combines several providers: a lookup returns the first answer of those that know the id. */
class IndexedProvider implements SigningProvider {
  /** Providers by hashKey of the ids that they know. */
  readonly #byId = new Map<string, DescriptorProvider[]>();
  /** Ids without a private key in any provider, so that the key of a cosigner is not derived for every input. */
  readonly #withoutSecret = new Set<string>();

  add(provider: DescriptorProvider): void {
    for (const id of provider.ids()) {
      const known = this.#byId.get(id);
      if (known) known.push(provider);
      else this.#byId.set(id, [provider]);
    }
  }

  script(id: Uint8Array): Uint8Array | undefined {
    return this.#firstAnswer(id, (provider) => provider.script(id));
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    return this.#firstAnswer(id, (provider) => provider.publicKey(id));
  }
  hasSecret(id: Uint8Array): boolean {
    return this.#firstAnswer(id, (provider) => provider.hasSecret(id) || undefined) ?? false;
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    const key = hashKey(id);
    if (this.#withoutSecret.has(key)) return undefined;
    const secret = this.#firstAnswer(id, (provider) => provider.secret(id));
    if (secret === undefined) this.#withoutSecret.add(key);
    return secret;
  }
  origin(id: Uint8Array): KeyOrigin | undefined {
    return this.#firstAnswer(id, (provider) => provider.origin(id));
  }
  taproot(outputKey: Uint8Array): TaprootOutput | undefined {
    return this.#firstAnswer(outputKey, (provider) => provider.taproot(outputKey));
  }
  #firstAnswer<T>(id: Uint8Array, question: (provider: DescriptorProvider) => T | undefined): T | undefined {
    for (const provider of this.#byId.get(hashKey(id)) ?? []) {
      const answer = question(provider);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}

/** Collects the providers of output scripts. */
export function signingProviderOf(wallet: Wallet, spent: Iterable<SpentOutput | null>): SigningProvider {
  if (wallet.legacy) return wallet.legacy;
  const indexed = new IndexedProvider();
  const seen = new Set<string>();
  for (const output of spent) {
    if (output === null || seen.has(hashKey(output.script))) continue;
    seen.add(hashKey(output.script));
    const provider = wallet.descriptors?.provider(output.script);
    if (provider) indexed.add(provider);
  }
  return indexed;
}
