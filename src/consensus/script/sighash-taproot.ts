// BIP-0341 signature hash with the BIP-0342 extension: tagged hash "TapSighash" over
//
//   epoch 00 | hash type 1 | version 4 | locktime 4 |
//   unless ANYONECANPAY: sha prevouts, sha amounts, sha scripts, sha sequences, 32 each |
//   unless NONE or SINGLE: sha outputs 32 | spend type 1 |
//   ANYONECANPAY: outpoint 36, amount 8, script with size, sequence 4; else input index 4 |
//   annex hash 32 if any | SINGLE: sha of the own output 32 | tapscript: leaf hash 32, key version 00, code separator 4

import type { Hashes } from '../../crypto/crypto.js';
import { writeU32 } from '../bytes/writer.js';
import type { TxView } from '../tx/tx-view.js';
import { preimageBuffer, writeCompactSize, writeI64 } from './preimage.js';
import type { TaprootContext } from './sig-version.js';
import type { SighashParts } from './sighash-parts.js';
import type { SpentOutput } from './spent-output.js';

const ANYONECANPAY = 0x80;
const OUTPUT_MASK = 3;
const NONE = 2;
const SINGLE = 3;
// Size of all fields except the spent script, which only ANYONECANPAY includes.
const FIXED_SIZE = 10 + 5 * 32 + 1 + 36 + 8 + 5 + 4 + 32 + 32 + 37;

/** BIP-0341 hashes of one transaction. */
export class TaprootSighash {
  readonly #tx: TxView;
  readonly #hashes: Hashes;
  readonly #parts: SighashParts;
  readonly #spent: readonly (SpentOutput | null)[] | null;

  constructor(tx: TxView, hashes: Hashes, parts: SighashParts, spent: readonly (SpentOutput | null)[] | null) {
    this.#tx = tx;
    this.#hashes = hashes;
    this.#parts = parts;
    this.#spent = spent;
  }

  /**
   * Returns the signature hash of an input.
   * @returns null if the type is undefined, SINGLE has no matching output, or spent outputs are unknown
   */
  hash(inputIndex: number, hashType: number, context: TaprootContext, tapscript: boolean): Uint8Array | null {
    if (!(hashType <= 3 || (hashType >= 0x81 && hashType <= 0x83))) return null;
    const tx = this.#tx;
    const parts = this.#parts;
    const onlyOwnInput = (hashType & ANYONECANPAY) !== 0;
    const outputType = hashType & OUTPUT_MASK;
    if (!parts.spentKnown) return null;
    if (outputType === SINGLE && inputIndex >= tx.outputCount) return null;
    const own = this.#spent?.[inputIndex];
    if (own === null || own === undefined) return null;

    const out = preimageBuffer(FIXED_SIZE + own.script.length);
    out[0] = 0;
    out[1] = hashType;
    writeU32(out, 2, tx.version);
    writeU32(out, 6, tx.locktime);
    let at = 10;
    if (!onlyOwnInput) {
      out.set(parts.prevouts, at);
      out.set(parts.amounts, at + 32);
      out.set(parts.scripts, at + 64);
      out.set(parts.sequences, at + 96);
      at += 128;
    }
    if (outputType !== NONE && outputType !== SINGLE) {
      out.set(parts.outputs, at);
      at += 32;
    }
    out[at++] = (tapscript ? 2 : 0) + (context.annexHash === null ? 0 : 1);
    if (onlyOwnInput) {
      out.set(tx.outpoint(inputIndex), at);
      writeI64(out, at + 36, own.value);
      at = writeCompactSize(out, at + 44, own.script.length);
      out.set(own.script, at);
      at += own.script.length;
      writeU32(out, at, tx.sequence(inputIndex));
    } else {
      writeU32(out, at, inputIndex);
    }
    at += 4;
    if (context.annexHash !== null) {
      out.set(context.annexHash, at);
      at += 32;
    }
    if (outputType === SINGLE) {
      out.set(this.#hashes.sha256(tx.outputBytes(inputIndex)), at);
      at += 32;
    }
    if (tapscript && context.tapleafHash !== null) {
      out.set(context.tapleafHash, at);
      // Key version: the only one defined.
      out[at + 32] = 0;
      writeU32(out, at + 33, context.codeSeparatorPos);
      at += 37;
    }
    return this.#hashes.taggedHash('TapSighash', out.subarray(0, at));
  }
}
