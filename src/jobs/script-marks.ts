// Output scripts and outpoints to search for, as a set of 32-bit marks in shared memory. The node thread writes while
// worker threads read. An added script is always found. Another script is found by chance once in 2^32 / (number of
// marks), so the caller compares in full. Marks are computed from a script's form in stored coins (form and payload,
// src/storage/codec/script.ts), so that undo data needs no decoding.
//
//   word 0  number of marks           word 2  number of outpoints among them
//   word 1  seed                      from word 4 on: open addressing, 0 = empty

const COUNT = 0;
const SEED = 1;
const OUTPOINTS = 2;
const HEAD_WORDS = 4;
const MIN_SLOTS = 1024;

/** Forms of marks besides the compressed script forms 0 to 5. */
const FORM = { RAW: 6, OUTPOINT: 7 } as const;
export const OUTPOINT_BYTES = 36;

const OP_DUP = 0x76;
const OP_HASH160 = 0xa9;
const OP_EQUAL = 0x87;
const OP_EQUALVERIFY = 0x88;
const OP_CHECKSIG = 0xac;

export class ScriptMarks {
  readonly #words: Uint32Array;
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly #seed: number;

  /** Opens a set that create() made on this or another thread. */
  constructor(readonly buffer: SharedArrayBuffer) {
    this.#words = new Uint32Array(buffer, 0, HEAD_WORDS);
    this.#slots = new Uint32Array(buffer, HEAD_WORDS * 4);
    this.#mask = this.#slots.length - 1;
    this.#seed = this.#words[SEED];
  }

  /**
   * Creates an empty set.
   * @param expected number of marks that it holds without growing
   * @param seed any number that is not known to others
   */
  static create(expected: number, seed: number): ScriptMarks {
    let slots = MIN_SLOTS;
    while (slots < expected * 2) slots *= 2;
    const buffer = new SharedArrayBuffer((HEAD_WORDS + slots) * 4);
    new Uint32Array(buffer, 0, HEAD_WORDS)[SEED] = seed;
    return new ScriptMarks(buffer);
  }

  /** True if the next mark should go into a larger set. */
  get full(): boolean {
    return (this.#words[COUNT] + 1) * 4 > this.#slots.length * 3;
  }
  get count(): number {
    return this.#words[COUNT];
  }
  /** True if inputs have to be compared too. */
  get hasOutpoints(): boolean {
    return this.#words[OUTPOINTS] > 0;
  }
  /** Returns a set of twice the size with the same marks. */
  grown(): ScriptMarks {
    const next = ScriptMarks.create(this.#slots.length, this.#seed);
    for (const mark of this.#slots) if (mark !== 0) next.#insertMark(mark);
    next.#words[OUTPOINTS] = this.#words[OUTPOINTS];
    return next;
  }

  addScript(script: Uint8Array): void {
    this.#insertMark(this.#scriptMark(script, 0, script.length));
  }
  /** @param outpoint 36 bytes */
  addOutpoint(outpoint: Uint8Array): void {
    this.#words[OUTPOINTS]++;
    this.#insertMark(this.#mark(FORM.OUTPOINT, outpoint, 0, OUTPOINT_BYTES));
  }

  /** Returns true if a script may be in the set. @param start its first byte in `bytes` */
  hasScript(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#has(this.#scriptMark(bytes, start, end));
  }
  hasOutpoint(outpoint: Uint8Array): boolean {
    return this.#has(this.#mark(FORM.OUTPOINT, outpoint, 0, OUTPOINT_BYTES));
  }
  /**
   * Returns true if a script in one of the special forms of coins may be in the set.
   * @param form 0 to 5
   * @param start of its payload: 20 bytes for forms 0 and 1, else 32
   */
  hasForm(form: number, bytes: Uint8Array, start: number): boolean {
    return this.#has(this.#mark(form, bytes, start, form < 2 ? 20 : 32));
  }

  #scriptMark(s: Uint8Array, at: number, end: number): number {
    const length = end - at;
    if (length === 25 && s[at] === OP_DUP && s[at + 1] === OP_HASH160 && s[at + 2] === 20) {
      if (s[at + 23] === OP_EQUALVERIFY && s[at + 24] === OP_CHECKSIG) return this.#mark(0, s, at + 3, 20);
    } else if (length === 23 && s[at] === OP_HASH160 && s[at + 1] === 20 && s[at + 22] === OP_EQUAL) {
      return this.#mark(1, s, at + 2, 20);
    } else if (length === 35 && s[at] === 33 && s[at + 34] === OP_CHECKSIG && (s[at + 1] === 2 || s[at + 1] === 3)) {
      return this.#mark(s[at + 1], s, at + 2, 32);
    } else if (length === 67 && s[at] === 65 && s[at + 66] === OP_CHECKSIG && s[at + 1] === 4) {
      return this.#mark(4 + (s[at + 65] & 1), s, at + 2, 32);
    }
    return this.#mark(FORM.RAW, s, at, length);
  }

  #mark(form: number, bytes: Uint8Array, start: number, length: number): number {
    return seededMark(this.#seed, form, bytes, start, length);
  }
  #insertMark(mark: number): void {
    let slot = mark & this.#mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & this.#mask) if (this.#slots[slot] === mark) return;
    // Readers on other threads see an empty slot or the whole mark.
    Atomics.store(this.#slots, slot, mark);
    this.#words[COUNT]++;
  }
  #has(mark: number): boolean {
    for (let slot = mark & this.#mask; this.#slots[slot] !== 0; slot = (slot + 1) & this.#mask) if (this.#slots[slot] === mark) return true;
    return false;
  }
}

/**
 * Returns 32 bits for a form and some bytes, never 0. A peer that does not know the seed cannot choose bytes that share
 * a mark with others. Wallets store marks in their databases, so this function must not change.
 */
export function seededMark(seed: number, form: number, bytes: Uint8Array, start: number, length: number): number {
  let h = seed ^ Math.imul(form + 1, 0x9e3779b1) ^ length;
  let at = start;
  for (const whole = start + (length & ~3); at < whole; at += 4) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    h = Math.imul(h ^ word, 0x85ebca6b);
    h = ((h << 13) | (h >>> 19)) ^ Math.imul(h, 0xc2b2ae35);
  }
  for (const end = start + length; at < end; at++) h = Math.imul(h ^ bytes[at], 0x01000193);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0 || 1;
}

/** Packs scripts into one shared buffer (count, ends, bytes), for filters, which are matched script by script. */
export function packScripts(scripts: readonly Uint8Array[]): SharedArrayBuffer {
  const head = (1 + scripts.length) * 4;
  const buffer = new SharedArrayBuffer(head + scripts.reduce((sum, script) => sum + script.length, 0));
  const words = new Uint32Array(buffer, 0, 1 + scripts.length);
  const bytes = new Uint8Array(buffer);
  words[0] = scripts.length;
  let at = head;
  scripts.forEach((script, i) => {
    bytes.set(script, at);
    at += script.length;
    words[1 + i] = at;
  });
  return buffer;
}
/** Returns views of the scripts that packScripts packed. */
export function unpackScripts(buffer: SharedArrayBuffer): Uint8Array[] {
  const words = new Uint32Array(buffer, 0, 1);
  const ends = new Uint32Array(buffer, 4, words[0]);
  const bytes = new Uint8Array(buffer);
  let at = (1 + words[0]) * 4;
  return Array.from(ends, (end) => {
    const script = bytes.subarray(at, end);
    at = end;
    return script;
  });
}
