// Computes the largest size of signed inputs: the largest satisfaction of the descriptor that is inferred from the output
// script. Core: wallet/spend.cpp MaxInputWeight. Core 0.21's dummy signatures give the same sizes, apart from SizeTerms.
import type { DescriptorContext } from '../../address/descriptor/context.js';
import { inferDescriptor, NO_PROVIDER } from '../../address/descriptor/infer.js';
import type { SizeTerms } from '../../address/descriptor/script-node.js';
import { compactSizeLength } from '../../consensus/bytes/compact-size.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { solve } from '../../policy/script-type.js';
import { type SigningProvider, StackedProvider } from '../../signing/index.js';
import { isSolvable } from '../keys/is-mine.js';
import type { Wallet } from '../wallet.js';
import type { CoinControl } from './coin-control.js';
import type { SpendTools } from './payment.js';
import type { InputSize } from './select/tx-size.js';

/** Largest signature with low R: DER of two 32-byte numbers, and the hash type. */
const LOW_R_SIGNATURE = 71;
/** Largest signature of signers that do not grind for low R. */
export const LARGEST_SIGNATURE = 72;
const COMPRESSED_KEY = 33;
/** The scriptSig that pushes a P2WPKH program. */
const NESTED_PROGRAM = 23;

/** Sizes of the inputs of one payment. */
export class SignedSizes {
  readonly #known = new Map<string, InputSize | null>();
  readonly #terms: SizeTerms;
  readonly #wallet: Wallet;
  readonly #solving: SigningProvider | null;
  readonly #context: DescriptorContext;
  readonly #later: boolean;

  /** @param control has the keys and scripts that the caller supplies */
  constructor(wallet: Wallet, control: Pick<CoinControl, 'allowWatchOnly' | 'solving'>, { descriptors, options }: SpendTools) {
    this.#wallet = wallet;
    this.#solving = control.solving;
    this.#context = descriptors;
    this.#later = !options.rules.dummySizes;
    // A watch-only wallet has external signers, which may not grind for low R.
    const watches = this.#later && wallet.legacy === null ? wallet.record.privateKeysDisabled : control.allowWatchOnly;
    this.#terms = { signatureBytes: watches ? LARGEST_SIGNATURE : LOW_R_SIGNATURE, exactPushes: !this.#later };
  }

  /** Returns the size of an input that spends an output with a script of the wallet; null if unknown. */
  of(script: Uint8Array): InputSize | null {
    return this.#byShape(script) ?? this.#inferred(script);
  }

  /** Returns the size of an input that spends an output of another wallet; null if unknown. */
  ofForeign(script: Uint8Array): InputSize | null {
    return this.#infer(script, this.#solving, { ...this.#terms, signatureBytes: LARGEST_SIGNATURE });
  }

  /** Returns the size for common script types of a legacy wallet without inferring a descriptor, which takes 30 times as long. */
  #byShape(script: Uint8Array): InputSize | undefined {
    const { legacy } = this.#wallet;
    if (!legacy) return undefined;
    const { signatureBytes } = this.#terms;
    const witness = 1 + 1 + signatureBytes + 1 + COMPRESSED_KEY;
    const { type, solutions } = solve(script);
    if (type === 'witness_v0_keyhash' && legacy.publicKey(solutions[0])?.length === COMPRESSED_KEY) return { scriptSig: 0, witness };
    if (type === 'pubkeyhash') {
      const key = legacy.publicKey(solutions[0]);
      return key && { scriptSig: 1 + signatureBytes + 1 + key.length, witness: 0 };
    }
    if (type !== 'scripthash') return undefined;
    const redeem = legacy.script(solutions[0]);
    const inner = redeem && solve(redeem);
    return inner?.type === 'witness_v0_keyhash' && legacy.publicKey(inner.solutions[0])?.length === COMPRESSED_KEY
      ? { scriptSig: NESTED_PROGRAM, witness }
      : undefined;
  }

  #inferred(script: Uint8Array): InputSize | null {
    const key = this.#keyOf(script);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const size = this.#infer(script, this.#providerOf(script), this.#terms);
    this.#known.set(key, size);
    return size;
  }
  /** Returns the cache key of a script: all scripts of the same descriptor and type have inputs of the same size. */
  #keyOf(script: Uint8Array): string {
    const place = this.#wallet.descriptors?.locate(script);
    return place ? `${hashKey(place.tracked.id)}/${solve(script).type}` : hashKey(script);
  }
  #providerOf(script: Uint8Array): SigningProvider | null {
    const { legacy, parts } = this.#wallet;
    const own = this.#wallet.keys.provider(script);
    const usable = own && (this.#later || legacy === null || isSolvable(script, own, parts.crypto)) ? own : null;
    if (usable === null || this.#solving === null) return usable ?? this.#solving;
    return new StackedProvider([usable, this.#solving]);
  }
  #infer(script: Uint8Array, provider: SigningProvider | null, terms: SizeTerms): InputSize | null {
    if (provider === null && !this.#later) return null;
    const spend = inferDescriptor(script, provider ?? NO_PROVIDER, this.#context).largestSatisfaction(terms);
    if (spend === null) return null;
    const { scriptSig, witness, elements } = spend;
    return { scriptSig, witness: witness > 0 ? compactSizeLength(elements) + witness : 0 };
  }
}
