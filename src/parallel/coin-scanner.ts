// Scans stored coins on the pool's threads.
import { type CoinScanResult, packCoins, runCoinScan } from '../jobs/scan-coins.js';
import { ScriptMarks } from '../jobs/script-marks.js';
import type { WorkPool } from './pool.js';

/** Selects coins by their scripts. */
export interface CoinScanner {
  /** Number of concurrent calls that keep every thread busy. */
  readonly depth: number;
  /**
   * @param values encoded coins
   * @returns indexes of the coins whose script may be a marked one; all marked ones are included
   * @throws if the pool is closed
   */
  scan(values: readonly Uint8Array[], marks: SharedArrayBuffer): Promise<Uint32Array>;
}

/** Returns marks for a scan. */
export function markScripts(scripts: readonly Uint8Array[]): SharedArrayBuffer {
  const marks = ScriptMarks.create(scripts.length, Math.floor(Math.random() * 2 ** 32));
  for (const script of scripts) marks.addScript(script);
  return marks.buffer;
}

export class PooledCoinScanner implements CoinScanner {
  readonly #pool: WorkPool;

  constructor(pool: WorkPool) {
    this.#pool = pool;
  }

  get depth(): number {
    return this.#pool.size * 2;
  }

  async scan(values: readonly Uint8Array[], marks: SharedArrayBuffer): Promise<Uint32Array> {
    return (await this.#pool.run<CoinScanResult>('scan', 'scanCoins', packCoins(marks, values))).hits;
  }
}

/** Scanner on the calling thread, for tests and chains without a pool. */
export class InlineCoinScanner implements CoinScanner {
  readonly depth = 1;

  async scan(values: readonly Uint8Array[], marks: SharedArrayBuffer): Promise<Uint32Array> {
    return runCoinScan(packCoins(marks, values)).hits;
  }
}
