// Keys that own coins, and fast signatures for their payments, for benches that need hundreds of thousands of payments.
import { TaprootContext } from '../../src/consensus/script/sig-version.js';
import { SIGHASH_ALL, SighashCache } from '../../src/consensus/script/sighash.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { createSigner } from '../../src/crypto/native/sign.js';
import { derEncode, type TestKey, testKey, testTaggedHash } from '../../test/framework/keys.js';
import { serializeTx, type Tx } from '../../test/framework/messages.js';
import { SPEND_KINDS, type SpendKind, scriptFor } from '../../test/framework/signed-spends.js';

/** The data of a coin that signing needs. */
export interface OwnedCoin {
  readonly owner: number;
  /** Satoshi. */
  readonly value: number;
}

/** Output scripts and spending data of one key. */
interface Owner {
  readonly key: TestKey;
  readonly scripts: Record<SpendKind, Buffer>;
  readonly tweak: Uint8Array;
}

/**
 * Number of different keys of the coins: KEYS=n. A bench uses the keys in a cycle. A node parses a key once and caches
 * it (crypto/native/system-curve.ts); with 40,000 keys no key is cached when it occurs again.
 */
export const KEYS = Number(process.env.KEYS ?? 64);

export class Owners {
  readonly #crypto = createNativeCrypto();
  readonly #signer = createSigner();
  readonly #owners = new Map<number, Owner>();

  /** Returns the script that pays to an owner. */
  script(kind: SpendKind, owner: number): Buffer {
    return this.#of(owner).scripts[kind];
  }

  /** Signs all inputs of a transaction. @param coins coins that the inputs spend, all of one kind */
  sign(tx: Tx, kind: SpendKind, coins: readonly OwnedCoin[]): void {
    const spent = coins.map(({ owner, value }) => ({ value, script: this.script(kind, owner) }));
    const sighashes = new SighashCache(parseTx(new Uint8Array(serializeTx(tx)), this.#crypto), this.#crypto, spent);
    for (const [i, input] of tx.ins.entries()) Object.assign(input, this.#unlock(kind, coins[i]!, i, sighashes));
  }

  #unlock(
    kind: SpendKind,
    { owner, value }: OwnedCoin,
    i: number,
    sighashes: SighashCache,
  ): { script?: Uint8Array; witness?: Uint8Array[] } {
    const { key, scripts, tweak } = this.#of(owner);
    if (kind === 'p2tr') {
      const hash = sighashes.taproot(i, 0, new TaprootContext(), false)!;
      return { witness: [this.#signer.signSchnorr(key.secret, hash, tweak, new Uint8Array(32))!] };
    }
    // Signature hashes of P2WPKH use the P2PKH script of the key as script code.
    const code = scripts.p2pkh;
    const hash = kind === 'p2pkh' ? sighashes.legacy(i, code, SIGHASH_ALL) : sighashes.segwitV0(i, code, value, SIGHASH_ALL);
    const signature = Buffer.concat([derEncode(this.#signer.signLowR(key.secret, hash)!), Buffer.from([SIGHASH_ALL])]);
    if (kind === 'p2wpkh') return { witness: [signature, key.publicKey] };
    return { script: Buffer.concat([Buffer.from([signature.length]), signature, Buffer.from([key.publicKey.length]), key.publicKey]) };
  }

  #of(number: number): Owner {
    const n = number % KEYS;
    let owner = this.#owners.get(n);
    if (owner === undefined) {
      const key = testKey(n);
      const scripts = Object.fromEntries(SPEND_KINDS.map((kind) => [kind, Buffer.from(scriptFor(kind, key, this.#crypto))]));
      owner = { key, scripts: scripts as Record<SpendKind, Buffer>, tweak: testTaggedHash('TapTweak', key.xonly) };
      this.#owners.set(n, owner);
    }
    return owner;
  }
}
