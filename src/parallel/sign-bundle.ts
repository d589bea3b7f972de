// Packs small transactions into few jobs, as posting a job and hearing of its end costs as much as making a signature
// or two. Each thread has one bundle at work and one that waits, so that it need not wait for the node thread; what
// comes meanwhile leaves with the next. A bundle's transactions may be of different wallets: each keeps its keys to
// itself. Of the smallest ones this thread signs one a turn itself, which saves it the trip. Used by pooled-signer.ts.
import type { SignSubject, SignTask } from '../jobs/sign-slab.js';
import type { SigningResult } from '../signing/sign-input.js';
import type { FlatProvider } from '../signing/signing-provider.js';

/**
 * Estimated time at which a bundle is full: the others in it wait for its last, and a job of a higher class for all.
 */
const FULL_US = 2_500;
/** One at work, one next. */
const BUNDLES_PER_THREAD = 2;
/** Transactions that may wait. */
const MAX_WAITING = 4_096;

/** A small transaction and the keys for it, copies which are wiped as soon as they are in a job. */
export interface SmallWork extends SignTask {
  readonly subject: SignSubject;
  readonly inputCount: number;
  readonly material: FlatProvider;
  readonly estimateUs: number;
  /** Signs it at once on this thread; null when that may take long. */
  readonly signHere: (() => readonly SigningResult[]) | null;
}

/**
 * Signs transactions in one job, each with its own keys alone, which it copies before it returns.
 * @returns the results of all inputs, in order
 */
export type SignTogether = (tasks: readonly SignTask[]) => Promise<readonly SigningResult[]>;

interface Member extends SmallWork {
  resolve(results: readonly SigningResult[]): void;
  reject(reason: unknown): void;
}

/** What comes in one turn leaves at its end, as far as threads take it. */
export class SignBundler {
  readonly #most: number;
  readonly #signTogether: SignTogether;
  #waiting: Member[] = [];
  #underway = 0;
  #leaving = false;

  constructor(threads: number, signTogether: SignTogether) {
    this.#most = threads * BUNDLES_PER_THREAD;
    this.#signTogether = signTogether;
  }

  /** Whether no more may wait. */
  get full(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  /** Signs one transaction. Rejects when its bundle failed; the caller may try it alone. */
  sign(work: SmallWork): Promise<readonly SigningResult[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...work, resolve, reject });
      this.#leaveSoon();
    });
  }

  #leaveSoon(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    setImmediate(() => {
      this.#leaving = false;
      this.#leave();
    });
  }

  /** Signs the first that may be signed here, after the threads have got theirs: they work meanwhile. */
  #leave(): void {
    const first = this.#waiting.findIndex(({ signHere }) => signHere !== null);
    const [here] = first < 0 ? [] : this.#waiting.splice(first, 1);
    this.#postWaiting();
    if (here) this.#signOne(here);
  }

  #signOne({ signHere, resolve, reject }: Member): void {
    try {
      resolve(signHere!());
    } catch (error) {
      reject(error);
    }
    // Whatever else has come to this thread goes first.
    if (this.#waiting.length > 0) this.#leaveSoon();
  }

  /** Shares what waits out among the places that are free. */
  #postWaiting(): void {
    for (let free = this.#most - this.#underway; free > 0 && this.#waiting.length > 0; free--) {
      const share = Math.ceil(this.#waiting.length / free);
      let count = 0;
      for (let us = 0; count < share && us < FULL_US; count++) us += this.#waiting[count].estimateUs;
      this.#post(this.#waiting.splice(0, count));
    }
  }

  #post(members: readonly Member[]): void {
    this.#underway++;
    const results = this.#signTogether(members);
    // It has its copies.
    for (const { material } of members) material.wipe();
    results.then(
      (results) => {
        this.#ended();
        let at = 0;
        for (const { inputCount, resolve } of members) {
          resolve(results.slice(at, at + inputCount));
          at += inputCount;
        }
      },
      (reason: unknown) => {
        this.#ended();
        for (const { reject } of members) reject(reason);
      },
    );
  }

  #ended(): void {
    this.#underway--;
    if (this.#waiting.length > 0) this.#leaveSoon();
  }
}
