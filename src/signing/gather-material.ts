// Collects everything that signing a transaction needs from a provider, by solving every input without making
// signatures. Threads that sign get only this material, not the provider.
import { hashKey } from '../consensus/bytes/hex.js';
import { isCompressedKey } from '../consensus/script/encoding.js';
import { SigVersion } from '../consensus/script/sig-version.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { isPayToPublicKeyHash, isPayToWitnessPublicKeyHash } from '../consensus/script/templates.js';
import { scriptsIn } from './extract-signatures.js';
import { produceSignature } from './produce-signature.js';
import { isSignable } from './sign-input.js';
import { emptySignatureData } from './signature-data.js';
import { FlatProvider, idsOfXOnly, type SigningProvider } from './signing-provider.js';
import type { SigningTx } from './signing-tx.js';

const NO_SIGNATURE = new Uint8Array(0);

/** Provider that records every answer of another provider. Private keys are copied; the caller wipes the material. */
class RecordingProvider implements SigningProvider {
  readonly #inner: SigningProvider;
  readonly #found: FlatProvider;

  constructor(inner: SigningProvider, found: FlatProvider) {
    this.#inner = inner;
    this.#found = found;
  }

  script(id: Uint8Array): Uint8Array | undefined {
    const script = this.#inner.script(id);
    if (script) this.#found.scripts.set(hashKey(id), script);
    return script;
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    const key = this.#inner.publicKey(id);
    if (key) this.#found.publicKeys.set(hashKey(id), key);
    return key;
  }
  hasSecret(id: Uint8Array): boolean {
    return this.#inner.hasSecret(id);
  }
  secret(id: Uint8Array): Uint8Array | undefined {
    const known = this.#found.secrets.get(hashKey(id));
    if (known) return known;
    const secret = this.#inner.secret(id);
    if (secret) this.#found.secrets.set(hashKey(id), secret);
    return secret;
  }
  origin(): undefined {
    return undefined;
  }
  taproot(outputKey: Uint8Array) {
    const output = this.#inner.taproot?.(outputKey);
    if (output) this.#found.taproots.set(hashKey(outputKey), output);
    return output;
  }
}

/** Returns HASH160 of the key of a P2PKH or P2WPKH output; null for others. */
function plainKeyHash(script: Uint8Array): Uint8Array | null {
  if (isPayToWitnessPublicKeyHash(script)) return script.subarray(2);
  return isPayToPublicKeyHash(script) ? script.subarray(3, 23) : null;
}

/** Collects what a job needs, input by input. The caller wipes the private keys in `found`. */
export class MaterialGatherer {
  readonly found = new FlatProvider();
  /**
   * Output scripts of inputs that were solved and contained no scripts. Another such input with the same output script
   * needs the same material.
   */
  readonly #seen = new Set<string>();
  readonly #signing: SigningTx;
  readonly #provider: SigningProvider;
  readonly #hashType: number;

  constructor(signing: SigningTx, provider: SigningProvider, hashType: number) {
    this.#signing = signing;
    this.#provider = provider;
    this.#hashType = hashType;
  }

  addInput(input: number): void {
    const signing = this.#signing;
    const output = signing.spent[input];
    if (!output || !isSignable(signing, input, this.#hashType)) return;
    if (signing.tx.scriptSig(input).length === 0 && signing.tx.witnessCount(input) === 0) {
      const id = plainKeyHash(output.script);
      if (id !== null) {
        this.#addKey(id, !isPayToWitnessPublicKeyHash(output.script));
        return;
      }
      const key = hashKey(output.script);
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
    }
    this.#solve(input, output);
  }

  /**
   * Adds the key of P2PKH and P2WPKH inputs, the most common ones, without solving them.
   * @param anySize whether the key may be uncompressed
   */
  #addKey(id: Uint8Array, anySize: boolean): void {
    const key = hashKey(id);
    // Check both maps: solving a P2PK output records only the private key.
    if (this.found.secrets.has(key) && this.found.publicKeys.has(key)) return;
    const publicKey = this.#provider.publicKey(id);
    if (!publicKey) return;
    this.found.publicKeys.set(key, publicKey);
    const isWanted = !this.found.secrets.has(key) && (anySize || isCompressedKey(publicKey));
    const secret = isWanted ? this.#provider.secret(id) : undefined;
    if (secret) this.found.secrets.set(key, secret);
  }

  #solve(input: number, output: SpentOutput): void {
    const signing = this.#signing;
    const recording = new RecordingProvider(this.#provider, this.found);
    const { redeemScript, witnessScript } = scriptsIn(signing, input, output);
    const data = { ...emptySignatureData(), redeemScript, witnessScript };
    produceSignature(output.script, data, {
      provider: recording,
      hashes: signing.crypto,
      locks: { checkLockTime: () => true, checkSequence: () => true },
      create: (keyId, publicKey, _script, sigVersion) => {
        if (sigVersion === SigVersion.WITNESS_V0 && !isCompressedKey(publicKey)) return null;
        return recording.secret(keyId) ? NO_SIGNATURE : null;
      },
      createSchnorr: (publicKey) => {
        // Record the private key, but return no signature, so that solving continues with all spending paths. Which
        // path is used depends on real signatures.
        for (const id of idsOfXOnly(publicKey, signing.crypto)) if (recording.hasSecret(id)) recording.secret(id);
        return null;
      },
      // Record all keys of a multisig, too.
      everyKey: true,
    });
  }
}
