// Payments of one p2wpkh input, signed fast: for benches that need thousands of them each round. Caller: compact-relay.ts.
import { SIGHASH_ALL, SighashCache } from '../../src/consensus/script/sighash.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { createSigner } from '../../src/crypto/native/sign.js';
import { derEncode, testKey } from '../../test/framework/keys.js';
import { serializeTx, type Tx } from '../../test/framework/messages.js';
import { scriptFor } from '../../test/framework/signed-spends.js';

export class PaymentSigner {
  readonly #crypto = createNativeCrypto();
  readonly #signer = createSigner();
  readonly #owners: { secret: Uint8Array; publicKey: Uint8Array; script: Uint8Array; code: Uint8Array }[];

  /** @param keys owners with another number share theirs */
  constructor(keys: number) {
    this.#owners = Array.from({ length: keys }, (_, i) => {
      const key = testKey(i);
      const { secret, publicKey } = key;
      return { secret, publicKey, script: scriptFor('p2wpkh', key, this.#crypto), code: scriptFor('p2pkh', key, this.#crypto) };
    });
  }

  /** Pays to an owner. */
  script(owner: number): Uint8Array {
    return this.#of(owner).script;
  }

  /** Signs the only input, which spends an owner's coin. */
  sign(tx: Tx, value: number, owner: number): void {
    const { secret, publicKey, script, code } = this.#of(owner);
    const sighashes = new SighashCache(parseTx(new Uint8Array(serializeTx(tx)), this.#crypto), this.#crypto, [{ value, script }]);
    const compact = this.#signer.signLowR(secret, sighashes.segwitV0(0, code, value, SIGHASH_ALL)) as Uint8Array;
    tx.ins[0]!.witness = [Buffer.concat([derEncode(compact), Buffer.from([SIGHASH_ALL])]), publicKey];
  }

  #of(owner: number) {
    return this.#owners[owner % this.#owners.length]!;
  }
}
