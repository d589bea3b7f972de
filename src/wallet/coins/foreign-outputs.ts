// Which known transactions pay a script that is not the wallet's: what an import asks, since such a script may become
// the wallet's. An entry is a 32-bit mark of the script with the transaction's row, some 20 bytes; a script nobody was
// paid to finds a row by chance once in 2^32 / (marks in the table), and whoever asked looks at the transaction. Made
// by the first import of a loaded wallet (reassess.ts).
import { randomInt } from 'node:crypto';
import { seededMark } from '../../jobs/script-marks.js';
import { grown } from '../tables/byte-table.js';

/** Outputs above which the table is given up: 50 MB. */
const MOST = 2 ** 21;
const LEAST_SLOTS = 64;
const END = -1;

export class ForeignOutputs {
  /** Whether every known transaction is in the table. */
  complete: boolean;
  /** Strangers choose scripts: they should not know which ones share a mark. */
  readonly #seed = randomInt(2 ** 32);
  /** Open addressing; 0 is empty. */
  #marks = new Uint32Array(LEAST_SLOTS);
  /** The newest entry of the slot's mark. */
  #heads = new Int32Array(LEAST_SLOTS);
  #used = 0;
  #rows = new Int32Array(LEAST_SLOTS);
  #next = new Int32Array(LEAST_SLOTS);
  #count = 0;
  readonly #most: number;

  /** @param complete for a wallet without transactions @param most entries, for tests */
  constructor(complete = false, most: number = MOST) {
    this.#most = most;
    this.complete = complete;
  }

  /** Whether there were too many outputs: nothing is told then. */
  get overflown(): boolean {
    return this.#count >= this.#most;
  }
  add(script: Uint8Array, row: number): void {
    if (this.overflown) return;
    if ((this.#used + 1) * 2 > this.#marks.length) this.#grow();
    const mark = this.#markOf(script);
    const slot = this.#slotOf(mark);
    if (this.#marks[slot] === 0) {
      this.#marks[slot] = mark;
      this.#heads[slot] = END;
      this.#used++;
    }
    const entry = this.#count++;
    this.#rows = grown(this.#rows, entry);
    this.#next = grown(this.#next, entry);
    this.#rows[entry] = row;
    this.#next[entry] = this.#heads[slot];
    this.#heads[slot] = entry;
    if (this.overflown) this.#release();
  }
  /** Rows of transactions that may pay a script, newest first; one that pays it twice comes twice. */
  *rowsOf(script: Uint8Array): Generator<number> {
    const slot = this.#slotOf(this.#markOf(script));
    if (this.#marks[slot] === 0) return;
    for (let entry = this.#heads[slot]; entry !== END; entry = this.#next[entry]) yield this.#rows[entry];
  }

  /** Whether a transaction may pay a script. */
  has(script: Uint8Array): boolean {
    return this.#marks[this.#slotOf(this.#markOf(script))] !== 0;
  }

  #markOf(script: Uint8Array): number {
    return seededMark(this.#seed, 0, script, 0, script.length);
  }
  #slotOf(mark: number): number {
    const mask = this.#marks.length - 1;
    let slot = mark & mask;
    while (this.#marks[slot] !== 0 && this.#marks[slot] !== mark) slot = (slot + 1) & mask;
    return slot;
  }
  #grow(): void {
    const [marks, heads] = [this.#marks, this.#heads];
    this.#marks = new Uint32Array(marks.length * 2);
    this.#heads = new Int32Array(marks.length * 2);
    for (let at = 0; at < marks.length; at++) {
      if (marks[at] === 0) continue;
      const slot = this.#slotOf(marks[at]);
      this.#marks[slot] = marks[at];
      this.#heads[slot] = heads[at];
    }
  }
  #release(): void {
    this.#marks = new Uint32Array(1);
    this.#heads = new Int32Array(1);
    this.#rows = new Int32Array(1);
    this.#next = new Int32Array(1);
  }
}
