// What an input takes when it is signed, at most: signed with signatures of the usual largest length, without keys
// (Core 0.21's dummy signers). Most scripts are of a few shapes and are told by their shape; the rest is solved once
// per script.
import { hashKey } from '../../consensus/bytes/hex.js';
import { solve } from '../../policy/script-type.js';
import { produceSignature } from '../../signing/produce-signature.js';
import { dummyTools } from '../../signing/signature-creator.js';
import { emptySignatureData } from '../../signing/signature-data.js';
import type { SigningProvider } from '../../signing/signing-provider.js';
import { isSolvable } from '../keys/is-mine.js';
import type { Wallet } from '../wallet.js';
import { countBytes, type InputSize } from './select/tx-size.js';

/** DER of two 32-byte numbers with the hash type: what low-R signing makes at most. */
const SIGNATURE = 71;
/** Others may not grind for low R. */
export const LARGEST_SIGNATURE = 72;
/** With a hash type. */
const SCHNORR = new Uint8Array(65);
const COMPRESSED_KEY = 33;
/** The scriptSig that pushes a P2WPKH program. */
const NESTED_PROGRAM = 23;

export class SignedSizes {
  readonly #known = new Map<string, InputSize | null>();
  readonly #signature: number;
  readonly #witnessKeyHash: number;
  readonly #wallet: Wallet;
  readonly #solving: SigningProvider | null;

  /** @param anyR others sign, who may not look for low R @param solving what is known of scripts that the wallet does not solve */
  constructor(wallet: Wallet, anyR: boolean, solving: SigningProvider | null = null) {
    this.#wallet = wallet;
    this.#solving = solving;
    this.#signature = anyR ? LARGEST_SIGNATURE : SIGNATURE;
    this.#witnessKeyHash = 1 + 1 + this.#signature + 1 + COMPRESSED_KEY;
  }

  /** Null when the wallet cannot tell how the script is spent. */
  of(script: Uint8Array): InputSize | null {
    return this.#byShape(script) ?? this.#solved(script);
  }

  /** The same for an output that is not the wallet's. */
  ofForeign(script: Uint8Array): InputSize | null {
    return this.#solving && this.#dummy(script, this.#solving, LARGEST_SIGNATURE);
  }

  /** The common shapes of a legacy wallet: one look-up each. */
  #byShape(script: Uint8Array): InputSize | undefined {
    const { legacy } = this.#wallet;
    if (!legacy) return undefined;
    const { type, solutions } = solve(script);
    if (type === 'witness_v0_keyhash' && legacy.publicKey(solutions[0])?.length === COMPRESSED_KEY) {
      return { scriptSig: 0, witness: this.#witnessKeyHash };
    }
    if (type === 'pubkeyhash') {
      const key = legacy.publicKey(solutions[0]);
      return key && { scriptSig: 1 + this.#signature + 1 + key.length, witness: 0 };
    }
    if (type !== 'scripthash') return undefined;
    const redeem = legacy.script(solutions[0]);
    const inner = redeem && solve(redeem);
    return inner?.type === 'witness_v0_keyhash' && legacy.publicKey(inner.solutions[0])?.length === COMPRESSED_KEY
      ? { scriptSig: NESTED_PROGRAM, witness: this.#witnessKeyHash }
      : undefined;
  }

  #solved(script: Uint8Array): InputSize | null {
    const key = this.#keyOf(script);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const size = this.#solve(script);
    this.#known.set(key, size);
    return size;
  }
  /** All scripts of a descriptor that look alike are spent alike. */
  #keyOf(script: Uint8Array): string {
    const place = this.#wallet.descriptors?.locate(script);
    return place ? `${hashKey(place.tracked.id)}/${solve(script).type}` : hashKey(script);
  }
  #solve(script: Uint8Array): InputSize | null {
    const provider = this.#wallet.provider(script);
    if (provider && !(this.#wallet.legacy && !isSolvable(script, provider, this.#wallet.parts.crypto))) {
      const size = this.#dummy(script, provider, this.#signature);
      if (size !== null) return size;
    }
    return this.#solving && this.#dummy(script, this.#solving, this.#signature);
  }
  #dummy(script: Uint8Array, provider: SigningProvider, signatureBytes: number): InputSize | null {
    const data = emptySignatureData();
    const signature = new Uint8Array(signatureBytes);
    const hashes = this.#wallet.parts.crypto;
    if (!produceSignature(script, data, { ...dummyTools(provider, hashes), create: () => signature, createSchnorr: () => SCHNORR }))
      return null;
    const witness = data.witness.reduce((sum, item) => sum + countBytes(item.length) + item.length, countBytes(data.witness.length));
    return { scriptSig: data.scriptSig.length, witness: data.witness.length > 0 ? witness : 0 };
  }
}
