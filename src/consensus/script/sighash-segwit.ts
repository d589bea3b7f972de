// BIP-0143: the signature hash of version 0 witness programs.
//
//   version 4 | hashPrevouts 32 | hashSequence 32 | outpoint 36 | script code with size | amount 8 | sequence 4 |
//   hashOutputs 32 | locktime 4 | hash type 4                                            then SHA-256 twice

import type { Hashes } from '../../crypto/crypto.js';
import { copyBytes, writeU32 } from '../bytes/writer.js';
import type { TxView } from '../tx/tx-view.js';
import { preimageBuffer, writeCompactSize, writeI64 } from './preimage.js';
import type { SighashParts } from './sighash-parts.js';

const ANYONECANPAY = 0x80;
const BASE_MASK = 0x1f;
const NONE = 2;
const SINGLE = 3;
// Size of everything except the script code and its size, plus the largest size field.
const FIXED_SIZE = 156 + 5;

/** BIP-0143 hashes of one transaction. */
export class SegwitSighash {
  readonly #tx: TxView;
  readonly #hashes: Hashes;
  readonly #parts: SighashParts;

  constructor(tx: TxView, hashes: Hashes, parts: SighashParts) {
    this.#tx = tx;
    this.#hashes = hashes;
    this.#parts = parts;
  }

  hash(inputIndex: number, scriptCode: Uint8Array, value: number, hashType: number): Uint8Array {
    const tx = this.#tx;
    const parts = this.#parts;
    const base = hashType & BASE_MASK;
    const onlyOwnInput = (hashType & ANYONECANPAY) !== 0;
    const allOutputs = base !== NONE && base !== SINGLE;
    // Compute this hash before the shared buffer is filled, because the computation may overwrite the buffer.
    let outputsHash: Uint8Array | null = null;
    if (allOutputs) outputsHash = parts.hashOutputs;
    else if (base === SINGLE && inputIndex < tx.outputCount) outputsHash = this.#hashes.sha256d(tx.outputBytes(inputIndex));

    const out = preimageBuffer(FIXED_SIZE + scriptCode.length);
    writeU32(out, 0, tx.version);
    if (onlyOwnInput) out.fill(0, 4, 36);
    else out.set(parts.hashPrevouts, 4);
    if (onlyOwnInput || !allOutputs) out.fill(0, 36, 68);
    else out.set(parts.hashSequence, 36);
    copyBytes(tx.buffer, tx.outpointAt(inputIndex), out, 68, 36);
    let at = writeCompactSize(out, 104, scriptCode.length);
    out.set(scriptCode, at);
    at += scriptCode.length;
    writeI64(out, at, value);
    writeU32(out, at + 8, tx.sequence(inputIndex));
    at += 12;
    if (outputsHash === null) out.fill(0, at, at + 32);
    else out.set(outputsHash, at);
    writeU32(out, at + 32, tx.locktime);
    writeU32(out, at + 36, hashType);
    return this.#hashes.sha256d(out.subarray(0, at + 40));
  }
}
