// Packs small transactions that wait to be signed into one job: while every thread is busy they share a trip, as posting a job costs the
// node thread as much as making a signature. With an idle thread a transaction leaves at once and alone. Used by pooled-signer.ts.
import { readSignResult, SIGN_MESSAGE_VERSION, type SignEachJob, type SignEachResult } from '../jobs/sign.js';
import type { WorkPool } from '../parallel/pool.js';
import type { SigningResult } from './sign/sign-input.js';

/** Estimated time at which a bundle is full: the others in it wait for its last. */
const FULL_US = 2_500;

interface Member {
  readonly slab: SharedArrayBuffer;
  resolve(results: readonly SigningResult[]): void;
  reject(reason: unknown): void;
}

/** A job in the pool's queue that may still grow; sealed when a thread takes it. */
interface Bundle {
  readonly members: Member[];
  estimateUs: number;
  message: SignEachJob | null;
}

/** One bundle grows at a time. */
export class SignBundler {
  readonly #pool: Pick<WorkPool, 'runLate'>;
  #growing: Bundle | null = null;

  constructor(pool: Pick<WorkPool, 'runLate'>) {
    this.#pool = pool;
  }

  /** Signs the transaction of a slab, which stays the caller's. Rejects when the bundle failed; the caller may try it alone. */
  sign(slab: SharedArrayBuffer, estimateUs: number): Promise<readonly SigningResult[]> {
    return new Promise((resolve, reject) => {
      let bundle = this.#growing;
      if (bundle === null || bundle.estimateUs + estimateUs > FULL_US) {
        bundle = { members: [], estimateUs: 0, message: null };
        this.#growing = bundle;
      }
      bundle.members.push({ slab, resolve, reject });
      bundle.estimateUs += estimateUs;
      // Posted with its first member in it, because an idle thread takes it on the spot.
      if (bundle.members.length === 1) this.#post(bundle);
    });
  }

  #post(bundle: Bundle): void {
    this.#pool
      .runLate<SignEachResult>('transaction', 'signEach', () => this.#seal(bundle))
      .then(
        (results) => {
          bundle.members.forEach(({ resolve }, i) => {
            resolve(readSignResult(results[i]));
          });
        },
        (reason: unknown) => {
          if (this.#growing === bundle) this.#growing = null;
          for (const { reject } of bundle.members) reject(reason);
        },
      );
  }

  /** Closes the bundle; the same message when a second thread takes it after the first one died. */
  #seal(bundle: Bundle): SignEachJob {
    if (this.#growing === bundle) this.#growing = null;
    bundle.message ??= { version: SIGN_MESSAGE_VERSION, slabs: bundle.members.map(({ slab }) => slab) };
    return bundle.message;
  }
}
