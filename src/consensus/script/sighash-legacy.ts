// The original signature hash: the transaction is serialised again with other scripts blanked and, depending on the
// hash type, without some inputs or outputs. The result is hashed twice with SHA-256. Its oddities are consensus: the
// SIGHASH_SINGLE bug, the removal of OP_CODESEPARATORs, and the validity of any type byte.
//
// For the usual type ALL, the frame (the transaction with empty scripts) is built once, and each input's script is
// inserted into it.

import type { Hashes } from '../../crypto/crypto.js';
import { compactSizeLength } from '../bytes/compact-size.js';
import { copyBytes, writeU32 } from '../bytes/writer.js';
import type { TxView } from '../tx/tx-view.js';
import { OP } from './opcodes.js';
import { preimageBuffer, writeCompactSize } from './preimage.js';
import { ScriptTokenizer } from './tokenizer.js';

const ANYONECANPAY = 0x80;
const BASE_MASK = 0x1f;
const NONE = 2;
const SINGLE = 3;
const INPUT_SIZE = 41;
// Size in bytes of a frame from which hashing its parts is faster than copying it for every input.
const STREAM_FROM = 1 << 14;

/** Legacy hashes of one transaction. */
export class LegacySighash {
  readonly #tx: TxView;
  readonly #hashes: Hashes;
  #frame: Uint8Array | null = null;

  constructor(tx: TxView, hashes: Hashes) {
    this.#tx = tx;
    this.#hashes = hashes;
  }

  hash(inputIndex: number, scriptCode: Uint8Array, hashType: number): Uint8Array {
    const tx = this.#tx;
    const base = hashType & BASE_MASK;
    if (inputIndex >= tx.inputCount || (base === SINGLE && inputIndex >= tx.outputCount)) return numberOne();
    const script = codeForHash(scriptCode);
    if (base === NONE || base === SINGLE || (hashType & ANYONECANPAY) !== 0) {
      return this.#hashPartial(inputIndex, script, hashType);
    }
    return this.#hashAll(inputIndex, script, hashType);
  }

  #hashAll(inputIndex: number, script: HashedCode, hashType: number): Uint8Array {
    const frame = (this.#frame ??= buildFrame(this.#tx));
    const before = 4 + compactSizeLength(this.#tx.inputCount) + INPUT_SIZE * inputIndex + 36;
    const after = frame.length - before - 1;
    if (frame.length >= STREAM_FROM) {
      const tail = new Uint8Array(4);
      writeU32(tail, 0, hashType);
      const size = new Uint8Array(5);
      const sizeEnd = writeCompactSize(size, 0, script.declaredSize);
      const first = this.#hashes
        .sha256Stream()
        .update(frame.subarray(0, before))
        .update(size.subarray(0, sizeEnd))
        .update(script.bytes)
        .update(frame.subarray(before + 1))
        .update(tail)
        .digest();
      return this.#hashes.sha256(first);
    }
    const out = preimageBuffer(frame.length + script.bytes.length + 9);
    out.set(frame.subarray(0, before));
    let at = writeCode(out, before, script);
    out.set(frame.subarray(before + 1), at);
    at += after;
    writeU32(out, at, hashType);
    return this.#hashes.sha256d(out.subarray(0, at + 4));
  }

  #hashPartial(inputIndex: number, script: HashedCode, hashType: number): Uint8Array {
    const tx = this.#tx;
    const base = hashType & BASE_MASK;
    const onlyOwnInput = (hashType & ANYONECANPAY) !== 0;
    const partialOutputs = base === NONE || base === SINGLE;
    const inputs = onlyOwnInput ? 1 : tx.inputCount;
    // An output blanked by SINGLE is still serialised, with value -1 and an empty script: 9 bytes.
    const outputsSize = !partialOutputs
      ? tx.outputsSerialized.length
      : base === SINGLE
        ? 9 * inputIndex + tx.outputBytes(inputIndex).length
        : 0;
    const out = preimageBuffer(4 + 5 + INPUT_SIZE * inputs + 5 + script.bytes.length + 5 + outputsSize + 8);
    writeU32(out, 0, tx.version);
    let at = writeCompactSize(out, 4, inputs);
    const first = onlyOwnInput ? inputIndex : 0;
    for (let i = first; i < first + inputs; i++) {
      out.set(tx.outpoint(i), at);
      at += 36;
      if (i === inputIndex) at = writeCode(out, at, script);
      else out[at++] = 0;
      writeU32(out, at, i !== inputIndex && partialOutputs ? 0 : tx.sequence(i));
      at += 4;
    }
    if (base === NONE) {
      out[at++] = 0;
    } else if (base === SINGLE) {
      at = writeCompactSize(out, at, inputIndex + 1);
      for (let i = 0; i < inputIndex; i++) {
        out.fill(0xff, at, at + 8);
        out[at + 8] = 0;
        at += 9;
      }
      const own = tx.outputBytes(inputIndex);
      out.set(own, at);
      at += own.length;
    } else {
      at = writeCompactSize(out, at, tx.outputCount);
      out.set(tx.outputsSerialized, at);
      at += outputsSize;
    }
    writeU32(out, at, tx.locktime);
    writeU32(out, at + 4, hashType);
    return this.#hashes.sha256d(out.subarray(0, at + 8));
  }
}

/** Returns the frame: version, inputs with empty scripts, outputs, lock time. */
function buildFrame(tx: TxView): Uint8Array {
  const outputs = tx.outputsSerialized;
  const size = 8 + compactSizeLength(tx.inputCount) + INPUT_SIZE * tx.inputCount + compactSizeLength(tx.outputCount) + outputs.length;
  const frame = new Uint8Array(size);
  writeU32(frame, 0, tx.version);
  let at = writeCompactSize(frame, 4, tx.inputCount);
  for (let i = 0; i < tx.inputCount; i++) {
    copyBytes(tx.buffer, tx.outpointAt(i), frame, at, 36);
    writeU32(frame, at + 37, tx.sequence(i));
    at += INPUT_SIZE;
  }
  at = writeCompactSize(frame, at, tx.outputCount);
  frame.set(outputs, at);
  writeU32(frame, at + outputs.length, tx.locktime);
  return frame;
}

/** Script code in the form that is hashed. */
interface HashedCode {
  readonly bytes: Uint8Array;
  /**
   * Size that is written before the bytes. If the script ends in a truncated push, the size is larger than the number
   * of bytes, as in Core.
   */
  readonly declaredSize: number;
}

function codeForHash(scriptCode: Uint8Array): HashedCode {
  const token = new ScriptTokenizer(scriptCode);
  let separators = 0;
  while (token.next()) if (token.opcode === OP.OP_CODESEPARATOR) separators++;
  const end = token.pos;
  if (separators === 0) return { bytes: scriptCode.subarray(0, end), declaredSize: scriptCode.length };
  const bytes = new Uint8Array(end - separators);
  const again = new ScriptTokenizer(scriptCode);
  let copied = 0;
  let from = 0;
  while (again.next()) {
    if (again.opcode !== OP.OP_CODESEPARATOR) continue;
    bytes.set(scriptCode.subarray(from, again.pos - 1), copied);
    copied += again.pos - 1 - from;
    from = again.pos;
  }
  bytes.set(scriptCode.subarray(from, end), copied);
  return { bytes, declaredSize: scriptCode.length - separators };
}

function writeCode(out: Uint8Array, at: number, script: HashedCode): number {
  const start = writeCompactSize(out, at, script.declaredSize);
  out.set(script.bytes, start);
  return start + script.bytes.length;
}

function numberOne(): Uint8Array {
  const one = new Uint8Array(32);
  one[0] = 1;
  return one;
}
