// The limit for benches of verification: makes as many signature checks as the measured work, on as many threads, and
// nothing else.

import { WorkPool } from '../../src/parallel/pool.js';
import { testKey, testTaggedHash } from '../../test/framework/keys.js';
import { CURVE_ROW, type CurveJob } from './curve-job.js';
import { KEYS } from './owners.js';

/** Prepared signatures, and a pool that checks them. */
export class BareChecks {
  readonly name: string;
  readonly #count: number;
  readonly #threads: number;
  readonly #pool: WorkPool;
  readonly #rows = new Map<string, SharedArrayBuffer>();

  /** @param count checks per run */
  constructor(count: number, { threads, prefer }: { threads: number; prefer: 'system' | 'packages' }) {
    this.name = `${count} curve checks on ready-made signatures, ${threads} threads`;
    this.#count = count;
    this.#threads = threads;
    this.#pool = new WorkPool({ threads, prefer, filename: new URL('./curve-limit.js', import.meta.url).href });
  }

  start(): Promise<unknown> {
    return this.#pool.start();
  }

  /** Checks all signatures once, an equal share on each thread. */
  async run(kind: 'ecdsa' | 'schnorr'): Promise<void> {
    const rows = this.#rowsOf(kind);
    const shares = Array.from({ length: this.#threads }, (_, i) => {
      const first = Math.floor((this.#count * i) / this.#threads);
      const end = Math.floor((this.#count * (i + 1)) / this.#threads);
      const job: CurveJob = { rows, first, count: end - first, schnorr: kind === 'schnorr' };
      return this.#pool.run<number>('block', 'check', job);
    });
    const passed = (await Promise.all(shares)).reduce((sum, count) => sum + count, 0);
    if (passed !== this.#count) throw new Error(`only ${passed} of ${this.#count} bare checks passed`);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #rowsOf(kind: 'ecdsa' | 'schnorr'): SharedArrayBuffer {
    let rows = this.#rows.get(kind);
    if (rows === undefined) {
      rows = new SharedArrayBuffer(this.#count * CURVE_ROW);
      const bytes = new Uint8Array(rows);
      const keys = Array.from({ length: Math.min(KEYS, this.#count) }, (_, i) => testKey(i));
      for (let i = 0; i < this.#count; i++) {
        const key = keys[i % keys.length]!;
        const message = testTaggedHash(`bench ${i}`);
        bytes.set(kind === 'schnorr' ? key.signSchnorr(message) : key.signEcdsa(message), i * CURVE_ROW);
        bytes.set(message, i * CURVE_ROW + 64);
        bytes.set(kind === 'schnorr' ? key.xonly : key.publicKey, i * CURVE_ROW + 96);
      }
      this.#rows.set(kind, rows);
    }
    return rows;
  }
}
