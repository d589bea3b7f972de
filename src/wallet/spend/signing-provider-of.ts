// The keys behind a payment's inputs: a legacy wallet's keys are one store; a descriptor wallet answers with what stands behind each
// script, found by the hash the script names so that a thousand inputs cost a thousand look-ups.
import type { TaprootOutput } from '../../address/descriptor/expansion.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import type { Hashes } from '../../crypto/crypto.js';
import { solve } from '../../policy/script-type.js';
import type { KeyOrigin, SigningProvider } from '../keys/signing-provider.js';
import type { Wallet } from '../wallet.js';

/** Asks the provider that belongs to an id, and all of them about ids that no output names. */
class IndexedProvider implements SigningProvider {
  readonly #byId = new Map<string, SigningProvider>();
  readonly #all: SigningProvider[] = [];

  constructor(private readonly hashes: Hashes) {}

  add(script: Uint8Array, provider: SigningProvider): void {
    this.#all.push(provider);
    this.#index(script, provider);
  }
  /** Follows the script to the hashes that signing will ask for. */
  #index(script: Uint8Array, provider: SigningProvider): void {
    const { type, solutions } = solve(script);
    const ids: Uint8Array[] = [];
    if (type === 'pubkey') ids.push(this.hashes.hash160(solutions[0]));
    else if (type === 'multisig') ids.push(...solutions.slice(1, -1).map((key) => this.hashes.hash160(key)));
    else if (type === 'witness_v0_scripthash') ids.push(this.hashes.ripemd160(solutions[0]));
    else if (solutions.length > 0) ids.push(solutions[0]);
    for (const id of ids) this.#byId.set(hashKey(id), provider);
    if (type !== 'scripthash' && type !== 'witness_v0_scripthash') return;
    const inner = provider.script(ids[0]);
    if (inner) this.#index(inner, provider);
  }

  script(id: Uint8Array): Uint8Array | undefined {
    return this.#ask(id, (provider) => provider.script(id));
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    return this.#ask(id, (provider) => provider.publicKey(id));
  }
  hasSecret(id: Uint8Array): boolean {
    return this.#ask(id, (provider) => provider.hasSecret(id) || undefined) ?? false;
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    return this.#ask(id, (provider) => provider.secret(id));
  }
  origin(id: Uint8Array): KeyOrigin | undefined {
    return this.#ask(id, (provider) => provider.origin(id));
  }
  taproot(outputKey: Uint8Array): TaprootOutput | undefined {
    return this.#ask(outputKey, (provider) => provider.taproot?.(outputKey));
  }
  #ask<T>(id: Uint8Array, question: (provider: SigningProvider) => T | undefined): T | undefined {
    const known = this.#byId.get(hashKey(id));
    if (known) return question(known);
    for (const provider of this.#all) {
      const answer = question(provider);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}

export function signingProviderOf(wallet: Wallet, spent: Iterable<SpentOutput | null>): SigningProvider {
  if (wallet.legacy) return wallet.legacy;
  const indexed = new IndexedProvider(wallet.parts.crypto);
  const seen = new Set<string>();
  for (const output of spent) {
    if (output === null || seen.has(hashKey(output.script))) continue;
    seen.add(hashKey(output.script));
    const provider = wallet.provider(output.script);
    if (provider) indexed.add(output.script, provider);
  }
  return indexed;
}
