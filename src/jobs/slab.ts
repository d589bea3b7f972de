// A verification batch in one shared buffer. The node thread writes it once, every worker that works on a part of it
// reads it. All numbers are in the machine's own byte order.
//
//   words   HEADER_WORDS x int32      see the constants below
//   txs     txCount x TX_WORDS x int32
//             0 offset of its bytes    2 first spent output     4 first check
//             1 length of its bytes    3 number of inputs       5 first input checked
//   spent   spentCount x SPENT_WORDS x int32: script offset, script length; one per input of every transaction, in order
//   ranges  rangeCount x int32: the check after the last of each range; none in a batch whose jobs name their checks
//   values  spentCount x float64: satoshis
//   bytes   transactions and scripts
//
// A check verifies one input. Checks are numbered through the whole batch in (transaction, input) order, so the lowest
// failing number is the first failure in block order. docs/decisions/0042-verification-batches.md has the reasons for
// this layout.

import { isPacked, type SpentOutput } from '../consensus/script/spent-output.js';

/** Transactions and coins to write; a subset of parallel's TxJob. */
export interface SlabTx {
  readonly tx: { readonly bytes: Uint8Array; readonly totalSize: number; readonly inputCount: number };
  readonly spent: readonly SpentOutput[];
  readonly onlyInput?: number;
}

const HEADER_WORDS = 10;
const TX_WORDS = 6;
const SPENT_WORDS = 2;

/** Differs from batch to batch, so that a worker notices that a reused slab has new content. */
const WORD_SERIAL = 0;
/** Number of the lowest failed check. Only lower checks are still needed. STOPPED when the caller has given up the batch. */
const WORD_CUT = 1;
const WORD_TXS = 2;
const WORD_FLAGS = 3;
const WORD_CHECKS = 4;
const WORD_SPENT = 5;
const WORD_RANGES = 6;
/** Number of ranges that threads have tried to take; it may exceed the number of ranges. Threads increment it. */
const WORD_TAKEN = 7;
/** Number of checks that ran in this batch and in earlier ones in the buffer. Threads increment it. */
const WORD_RAN = 8;

/** Value of WORD_CUT while no check has failed. It is above every check number, so all checks are needed. */
export const NO_CUT = 0x7fffffff;
/** Value of WORD_CUT that stops the batch: below every check number, so no check is needed. */
const STOPPED = -1;
const MAX_SLAB_SIZE = 0x7fffffff;

/** Offsets of the parts, in bytes. */
interface Layout {
  readonly txs: number;
  readonly spent: number;
  readonly ranges: number;
  readonly values: number;
  readonly bytes: number;
}

function layoutOf(txCount: number, spentCount: number, rangeCount: number): Layout {
  const txs = HEADER_WORDS * 4;
  const spent = txs + txCount * TX_WORDS * 4;
  const ranges = spent + spentCount * SPENT_WORDS * 4;
  // Doubles must begin at a multiple of eight.
  const values = (ranges + rangeCount * 4 + 7) & ~7;
  return { txs, spent, ranges, values, bytes: values + spentCount * 8 };
}

/** Returns the size of a batch. Offsets have 31 bits; a whole block with the largest scripts that it can spend is far smaller. */
export function slabSize(txs: readonly SlabTx[], rangeCount = 0): number {
  let spentCount = 0;
  let content = 0;
  for (const { tx, spent } of txs) {
    spentCount += spent.length;
    content += tx.totalSize;
    for (const output of spent) content += lengthOf(output);
  }
  const size = layoutOf(txs.length, spentCount, rangeCount).bytes + content;
  if (size > MAX_SLAB_SIZE) throw new RangeError(`A verification batch of ${size} bytes is beyond ${MAX_SLAB_SIZE}`);
  return size;
}

const lengthOf = (output: SpentOutput): number => (isPacked(output) ? output.scriptLength : output.script.length);

/** Returns the number of inputs to verify in a batch. */
export function countChecks(txs: readonly SlabTx[]): number {
  let checks = 0;
  for (const job of txs) checks += job.onlyInput === undefined ? job.tx.inputCount : 1;
  return checks;
}

/**
 * Checks the number of spent outputs. The slab pairs inputs and spent outputs by position. If a spent output were
 * missing, an input would be verified against another transaction's coin.
 */
export function assertPaired({ tx, spent, onlyInput }: SlabTx): void {
  if (spent.length !== tx.inputCount) throw new RangeError('Every input needs its spent output');
  if (onlyInput !== undefined && !(onlyInput >= 0 && onlyInput < tx.inputCount)) {
    throw new RangeError('onlyInput must name an input of its transaction');
  }
}

/**
 * Writes a batch. The buffer must have slabSize bytes.
 * @param serial a number that no other recent batch used
 * @param ranges all checks of the batch, in order, for threads that take one range after the other
 */
export function writeSlab(
  buffer: SharedArrayBuffer,
  txs: readonly SlabTx[],
  flags: number,
  serial: number,
  ranges: readonly { readonly end: number }[] = [],
): void {
  const spentCount = txs.reduce((sum, job) => sum + job.spent.length, 0);
  const layout = layoutOf(txs.length, spentCount, ranges.length);
  const header = new Int32Array(buffer, 0, HEADER_WORDS);
  const txTable = new Int32Array(buffer, layout.txs, txs.length * TX_WORDS);
  const spentTable = new Int32Array(buffer, layout.spent, spentCount * SPENT_WORDS);
  const values = new Float64Array(buffer, layout.values, spentCount);
  const bytes = new Uint8Array(buffer);
  let end = layout.bytes;
  let spentIndex = 0;
  let check = 0;
  for (let t = 0; t < txs.length; t++) {
    const { tx, spent, onlyInput } = txs[t];
    // If a spent output were missing, an input would be verified against another transaction's coin.
    if (spent.length !== tx.inputCount) throw new RangeError('Every input needs its spent output, because the slab pairs them by position');
    if (onlyInput !== undefined && !(onlyInput >= 0 && onlyInput < tx.inputCount))
      throw new RangeError('onlyInput names an input of its transaction');
    const row = t * TX_WORDS;
    txTable[row] = end;
    txTable[row + 1] = tx.totalSize;
    txTable[row + 2] = spentIndex;
    txTable[row + 3] = tx.inputCount;
    txTable[row + 4] = check;
    txTable[row + 5] = onlyInput ?? 0;
    check += onlyInput === undefined ? tx.inputCount : 1;
    bytes.set(tx.bytes, end);
    end += tx.totalSize;
    for (const output of spent) {
      const length = lengthOf(output);
      spentTable[spentIndex * SPENT_WORDS] = end;
      spentTable[spentIndex * SPENT_WORDS + 1] = length;
      values[spentIndex] = output.value;
      if (isPacked(output)) output.copyScript(bytes, end);
      else bytes.set(output.script, end);
      end += length;
      spentIndex++;
    }
  }
  header[WORD_SERIAL] = serial;
  header[WORD_TXS] = txs.length;
  header[WORD_FLAGS] = flags;
  header[WORD_CHECKS] = check;
  header[WORD_SPENT] = spentCount;
  const ends = new Int32Array(buffer, layout.ranges, ranges.length);
  for (let i = 0; i < ranges.length; i++) ends[i] = ranges[i].end;
  header[WORD_RANGES] = ranges.length;
  header[WORD_TAKEN] = 0;
  Atomics.store(header, WORD_CUT, NO_CUT);
}

/** Tells every thread to stop working on the batch. */
export function stopSlab(buffer: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(buffer, 0, HEADER_WORDS), WORD_CUT, STOPPED);
}

/** Returns a number that rises with each check, on whichever thread it runs. */
export function checksRun(buffer: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(buffer, 0, HEADER_WORDS), WORD_RAN);
}

/** A batch for its readers, as views of the buffer. */
export class SlabView {
  readonly serial: number;
  readonly txCount: number;
  readonly flags: number;
  readonly checkCount: number;
  readonly #header: Int32Array;
  readonly #txs: Int32Array;
  readonly #spent: Int32Array;
  readonly #rangeEnds: Int32Array;
  readonly #values: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#header = new Int32Array(buffer, 0, HEADER_WORDS);
    this.serial = this.#header[WORD_SERIAL];
    this.txCount = this.#header[WORD_TXS];
    this.flags = this.#header[WORD_FLAGS];
    this.checkCount = this.#header[WORD_CHECKS];
    const spentCount = this.#header[WORD_SPENT];
    const rangeCount = this.#header[WORD_RANGES];
    const layout = layoutOf(this.txCount, spentCount, rangeCount);
    this.#txs = new Int32Array(buffer, layout.txs, this.txCount * TX_WORDS);
    this.#spent = new Int32Array(buffer, layout.spent, spentCount * SPENT_WORDS);
    this.#rangeEnds = new Int32Array(buffer, layout.ranges, rangeCount);
    this.#values = new Float64Array(buffer, layout.values, spentCount);
    this.#bytes = new Uint8Array(buffer);
  }

  /** Takes the lowest range that no thread has taken. @returns its index; -1 if there is none */
  takeRange(): number {
    const range = Atomics.add(this.#header, WORD_TAKEN, 1);
    return range < this.#rangeEnds.length ? range : -1;
  }

  /** Returns the first check of a range; for the number of ranges, the end of all checks. */
  rangeStart(range: number): number {
    return range === 0 ? 0 : this.#rangeEnds[range - 1];
  }

  txBytes(t: number): Uint8Array {
    const offset = this.#txs[t * TX_WORDS];
    return this.#bytes.subarray(offset, offset + this.#txs[t * TX_WORDS + 1]);
  }

  /** Returns the outputs that transaction t spends, one per input. */
  spentOutputs(t: number): SpentOutput[] {
    const first = this.#txs[t * TX_WORDS + 2];
    const count = this.#txs[t * TX_WORDS + 3];
    const outputs = new Array<SpentOutput>(count);
    for (let i = 0; i < count; i++) {
      const offset = this.#spent[(first + i) * SPENT_WORDS];
      const script = this.#bytes.subarray(offset, offset + this.#spent[(first + i) * SPENT_WORDS + 1]);
      outputs[i] = { value: this.#values[first + i], script };
    }
    return outputs;
  }

  /** Returns the first check of transaction t; for t = txCount, the end of all checks. */
  firstCheck(t: number): number {
    return t < this.txCount ? this.#txs[t * TX_WORDS + 4] : this.checkCount;
  }

  /** Returns the input that a check of transaction t verifies. */
  inputOfCheck(t: number, check: number): number {
    return this.#txs[t * TX_WORDS + 5] + check - this.firstCheck(t);
  }

  /** Returns the transaction of a check, by binary search. */
  txOfCheck(check: number): number {
    let low = 0;
    let high = this.txCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.firstCheck(middle) <= check) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns true if this check can still change the verdict: no earlier check failed, and the batch was not stopped. */
  matters(check: number): boolean {
    return check < Atomics.load(this.#header, WORD_CUT);
  }

  /** Counts a check that runs. */
  countCheck(): void {
    Atomics.add(this.#header, WORD_RAN, 1);
  }

  /** Records a failure, so that threads stop at later checks but continue with earlier ones. */
  lowerCut(check: number): void {
    let seen = Atomics.load(this.#header, WORD_CUT);
    while (check < seen) {
      const previous = Atomics.compareExchange(this.#header, WORD_CUT, seen, check);
      if (previous === seen) return;
      seen = previous;
    }
  }

  get stopped(): boolean {
    return Atomics.load(this.#header, WORD_CUT) === STOPPED;
  }
}
