// Packs small transactions that are to be signed in one turn of the event loop into few jobs, as posting a job costs the node thread as much
// as making a signature: a full one for each thread, no more. Used by pooled-signer.ts.
import { readSignResult, SIGN_MESSAGE_VERSION, type SignEachJob, type SignEachResult } from '../jobs/sign.js';
import type { WorkPool } from '../parallel/pool.js';
import type { SigningResult } from './sign/sign-input.js';

/** Estimated time at which a bundle is full: the others in it wait for its last. */
const FULL_US = 2_500;

interface Member {
  readonly slab: SharedArrayBuffer;
  readonly estimateUs: number;
  resolve(results: readonly SigningResult[]): void;
  reject(reason: unknown): void;
}

/** What came in one turn leaves at its end. */
export class SignBundler {
  readonly #pool: Pick<WorkPool, 'size' | 'run'>;
  #waiting: Member[] = [];

  constructor(pool: Pick<WorkPool, 'size' | 'run'>) {
    this.#pool = pool;
  }

  /** Signs the transaction of a slab, which stays the caller's. Rejects when the bundle failed; the caller may try it alone. */
  sign(slab: SharedArrayBuffer, estimateUs: number): Promise<readonly SigningResult[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ slab, estimateUs, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#leave());
    });
  }

  #leave(): void {
    const members = this.#waiting;
    this.#waiting = [];
    const totalUs = members.reduce((sum, { estimateUs }) => sum + estimateUs, 0);
    const bundles = Math.max(Math.min(this.#pool.size, members.length), Math.ceil(totalUs / FULL_US));
    const size = Math.ceil(members.length / bundles);
    for (let first = 0; first < members.length; first += size) this.#post(members.slice(first, first + size));
  }

  #post(members: readonly Member[]): void {
    const job: SignEachJob = { version: SIGN_MESSAGE_VERSION, slabs: members.map(({ slab }) => slab) };
    this.#pool.run<SignEachResult>('transaction', 'signEach', job).then(
      (results) => {
        members.forEach(({ resolve }, i) => {
          resolve(readSignResult(results[i]));
        });
      },
      (reason: unknown) => {
        for (const { reject } of members) reject(reason);
      },
    );
  }
}
