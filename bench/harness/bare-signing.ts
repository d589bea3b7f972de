// The limit for benches of signing: makes as many signatures as the measured work, on as many threads, and nothing
// else.

import { WorkPool } from '../../src/parallel/pool.js';

export class BareSigning {
  readonly #pool: WorkPool;

  constructor(private readonly threads: number) {
    this.#pool = new WorkPool({ threads, filename: new URL('./sign-limit.js', import.meta.url).href });
  }

  start(): Promise<unknown> {
    return this.#pool.start();
  }

  /** Returns the milliseconds for this number of signatures. Each is also verified, as the signer does. */
  async run(count: number): Promise<number> {
    const start = performance.now();
    const share = Math.ceil(count / this.threads);
    const jobs = Array.from({ length: this.threads }, () => this.#pool.run<number>('block', 'sign', { count: share }));
    for (const good of await Promise.all(jobs)) if (good !== share) throw new Error(`only ${good} of ${share} signatures are good`);
    return performance.now() - start;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
