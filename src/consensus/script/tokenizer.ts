// Walks through a script opcode by opcode without allocating memory: the current token is four numbers in the
// tokenizer, and its data is a range of the script.

import { OP } from './opcodes.js';

/** A cursor over a script. After `next()` returned true the fields describe the token just read. */
export class ScriptTokenizer {
  readonly script: Uint8Array;
  readonly #end: number;
  /**
   * Position after the current token. After a truncated push, the position at which reading stopped (as in Core's
   * iterator).
   */
  pos: number;
  opcode: number = OP.OP_INVALIDOPCODE;
  /** Range of the pushed data. Empty if the token is not a data push. */
  dataStart = 0;
  dataEnd = 0;
  /** True after a push that exceeds the end of the script. */
  failed = false;

  /** @param script may be part of a larger array, from `pos` to `end` */
  constructor(script: Uint8Array, pos = 0, end = script.length) {
    this.script = script;
    this.pos = pos;
    this.#end = end;
  }

  /**
   * Reads one token.
   * @returns false at the end of the script, and at a truncated push (then `failed` is true)
   */
  next(): boolean {
    const script = this.script;
    const end = this.#end;
    let pos = this.pos;
    if (pos >= end) return false;
    const opcode = script[pos++];
    this.opcode = opcode;
    if (opcode > OP.OP_PUSHDATA4) {
      this.dataStart = this.dataEnd = this.pos = pos;
      return true;
    }
    let length = opcode;
    if (opcode >= OP.OP_PUSHDATA1) {
      const lengthBytes = opcode === OP.OP_PUSHDATA1 ? 1 : opcode === OP.OP_PUSHDATA2 ? 2 : 4;
      if (end - pos < lengthBytes) return this.#fail(pos);
      length = script[pos];
      if (lengthBytes > 1) length |= script[pos + 1] << 8;
      if (lengthBytes > 2) length += script[pos + 2] * 0x1_0000 + script[pos + 3] * 0x100_0000;
      pos += lengthBytes;
    }
    if (length > end - pos) return this.#fail(pos);
    this.dataStart = pos;
    this.dataEnd = this.pos = pos + length;
    return true;
  }

  /** Returns a view of the current token's data. */
  data(): Uint8Array {
    return this.script.subarray(this.dataStart, this.dataEnd);
  }

  /** Length of the current token's data. */
  get dataLength(): number {
    return this.dataEnd - this.dataStart;
  }

  #fail(pos: number): false {
    this.failed = true;
    this.opcode = OP.OP_INVALIDOPCODE;
    this.pos = pos;
    this.dataStart = this.dataEnd = pos;
    return false;
  }
}

/** Returns whether a script has only pushes from `start` on. OP_RESERVED counts as a push, as in Core. */
export function isPushOnly(script: Uint8Array, start = 0): boolean {
  const token = new ScriptTokenizer(script, start);
  while (token.next()) if (token.opcode > OP.OP_16) return false;
  return !token.failed;
}

/** Returns whether data was pushed with the shortest possible opcode (BIP-0062 rule 3). */
export function isMinimalPush(opcode: number, data: Uint8Array): boolean {
  const length = data.length;
  if (length === 0) return opcode === OP.OP_0;
  if (length === 1) {
    const byte = data[0];
    if (byte >= 1 && byte <= 16) return false;
    if (byte === 0x81) return false;
  }
  if (length <= 75) return opcode === length;
  if (length <= 0xff) return opcode === OP.OP_PUSHDATA1;
  if (length <= 0xffff) return opcode === OP.OP_PUSHDATA2;
  return true;
}
