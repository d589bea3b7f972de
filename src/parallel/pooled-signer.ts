// Signs transactions on the pool's threads: large ones in parts, small ones when the calling thread has too many of
// them (signing-queue.ts), because a message to a thread costs as much as one small signing. Signatures are the same on
// every path: nonces depend on key and message alone.
import { threadId } from 'node:worker_threads';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import { readSignResult, SIGN_MESSAGE_VERSION, type SignJob, type SignJobResult, type SignPart } from '../jobs/sign.js';
import { type SigningMaterial, wipeSignSlab, writeSignSlab, writeSubjectSlab } from '../jobs/sign-slab.js';
import { SlabPool } from '../jobs/slab-pool.js';
import { TimeSlice } from '../lib/time-slice.js';
import { MaterialGatherer, type SigningProvider, type SigningResult, type SigningThreads, signingTx } from '../signing/index.js';
import type { WorkPool } from './pool.js';
import { SigningQueue } from './signing-queue.js';

/** Time to sign and verify one input on an ordinary core: on average two attempts for a low R, and one verification. */
const INPUT_US = 120;
/** A legacy hash covers the whole transaction: SHA-256 at about 300 MB/s. */
const LEGACY_US_PER_BYTE = 0.0035;
/** Longest time of a job, for which a job of a higher class may have to wait. */
const JOB_US = 4_000;
/** Shortest time of a job, if there is enough work. Posting a job and receiving its result costs both threads about 60 us. */
const LEAST_JOB_US = 500;
/** Jobs of one transaction per thread. */
const PARTS_PER_THREAD = 4;
/**
 * Maximum number of jobs of one transaction that wait with their keys. A standard transaction has far fewer jobs, so its
 * keys are collected without a pause.
 */
const MAX_PENDING_JOBS = 200;
/** Size of buffers that are retained for later transactions. */
const RETAINED_BYTES = 4 * 1024 * 1024;

/**
 * Serial of the last transaction that was written. Threads retain one transaction and recognise it by its serial, so
 * serials of different threads must differ.
 */
let lastSerial = threadId * 2 ** 32;

export interface PooledSignerDeps {
  readonly pool: Pick<WorkPool, 'size' | 'canAcceptWork' | 'run'>;
  readonly crypto: Crypto;
  /** Estimated microseconds up to which a transaction counts as small: the signing queue handles small ones. */
  readonly hereUs: number;
}

type Results = readonly SigningResult[];

/** A part before its keys are in a slab. The caller wipes the private keys in `material`. */
interface Part extends Omit<SignPart, 'slab'> {
  readonly material: SigningMaterial;
}

interface Work {
  readonly tx: TxView;
  readonly spent: readonly (SpentOutput | null)[];
  readonly provider: SigningProvider;
  readonly hashType: number;
}

export class PooledSigner implements SigningThreads {
  readonly #deps: PooledSignerDeps;
  readonly #slabs = new SlabPool(RETAINED_BYTES);
  readonly #queue: SigningQueue<Work, Results>;

  constructor(deps: PooledSignerDeps) {
    this.#deps = deps;
    const { pool } = deps;
    this.#queue = new SigningQueue({
      // The calling thread signs too, so one thread of the pool gets no share.
      mostShares: Math.min(pool.size, Math.max(1, pool.size - 1)),
      shareUs: JOB_US,
      canPost: () => pool.canAcceptWork('transaction'),
      post: (works) => this.#signTogether(works),
    });
  }

  sign(tx: TxView, spent: readonly (SpentOutput | null)[], provider: SigningProvider, hashType: number): Promise<Results | null> {
    const { pool, hereUs } = this.#deps;
    const work: Work = { tx, spent, provider, hashType };
    const inputUs = INPUT_US + (spent.some((output) => output && isLegacy(output.script)) ? tx.strippedSize * LEGACY_US_PER_BYTE : 0);
    const us = tx.inputCount * inputUs;
    if (us <= hereUs || !pool.canAcceptWork('transaction')) return this.#queue.enqueue(work, us);
    // All threads end at about the same time if each has a few parts.
    const share = Math.ceil(Math.max(tx.inputCount / (pool.size * PARTS_PER_THREAD), LEAST_JOB_US / inputUs));
    return this.#inParts(work, Math.max(1, Math.min(share, Math.floor(JOB_US / inputUs))));
  }

  /** @param size inputs per part */
  async #inParts(work: Work, size: number): Promise<Results> {
    const { inputCount } = work.tx;
    const subject = this.#subject(work);
    const parts: Promise<Results[]>[] = [];
    try {
      const signing = signingTx(work.tx, work.spent, this.#deps.crypto);
      const slice = new TimeSlice();
      for (let first = 0; first < inputCount; first += size) {
        // The oldest job usually ends first.
        if (parts.length >= MAX_PENDING_JOBS) await parts[parts.length - MAX_PENDING_JOBS];
        const end = Math.min(inputCount, first + size);
        const material = new MaterialGatherer(signing, work.provider, work.hashType);
        try {
          for (let i = first; i < end; i++) {
            material.addInput(i);
            if (slice.over) await slice.next();
          }
          const part = this.#post([{ material: material.found, subject, first, end }]);
          // The promise is awaited below; until then a rejection is ignored.
          part.catch(() => {});
          parts.push(part);
        } finally {
          material.found.wipe();
        }
      }
      return (await Promise.all(parts)).flat(2);
    } finally {
      // The transaction's buffer is needed until every part has ended: a part may run again after its thread died.
      await Promise.allSettled(parts);
      this.#slabs.release(subject);
    }
  }

  /** Signs several transactions in one job, each with its own keys. */
  async #signTogether(works: readonly Work[]): Promise<Results[]> {
    const gathering: MaterialGatherer[] = [];
    const parts: Part[] = [];
    try {
      let made: Promise<Results[]>;
      try {
        for (const work of works) {
          const { inputCount } = work.tx;
          const material = new MaterialGatherer(signingTx(work.tx, work.spent, this.#deps.crypto), work.provider, work.hashType);
          gathering.push(material);
          for (let i = 0; i < inputCount; i++) material.addInput(i);
          parts.push({ material: material.found, subject: this.#subject(work), first: 0, end: inputCount });
        }
        made = this.#post(parts);
      } finally {
        for (const material of gathering) material.found.wipe();
      }
      return await made;
    } finally {
      for (const { subject } of parts) this.#slabs.release(subject);
    }
  }

  #subject(work: Work): SharedArrayBuffer {
    return writeSubjectSlab({ ...work, tx: work.tx.bytes }, ++lastSerial, (bytes) => this.#slabs.acquire(bytes));
  }

  /** Posts parts in one job, each with a slab of its own. At its end, whatever the result, the slabs contain no private key. */
  async #post(parts: readonly Part[]): Promise<Results[]> {
    const slabs: SharedArrayBuffer[] = [];
    try {
      const written = parts.map(({ material, ...part }): SignPart => {
        const slab = writeSignSlab(material, (bytes) => this.#slabs.acquire(bytes));
        slabs.push(slab);
        return { slab, ...part };
      });
      const job: SignJob = { version: SIGN_MESSAGE_VERSION, parts: written };
      const results = readSignResult(await this.#deps.pool.run<SignJobResult>('transaction', 'sign', job));
      // If a result were missing, every later input or transaction would get another's signature.
      const whole = results.length === parts.length && parts.every(({ first, end }, i) => results[i]?.length === end - first);
      if (!whole) throw new Error(`A signing job of ${parts.length} parts was answered for others`);
      return results;
    } finally {
      for (const slab of slabs) {
        wipeSignSlab(slab);
        this.#slabs.release(slab);
      }
    }
  }
}

/**
 * Returns true if an output's signatures hash the whole transaction: everything except witness programs. For P2SH that
 * is not known, so it counts as legacy.
 */
function isLegacy(script: Uint8Array): boolean {
  return script.length < 4 || script[0] > 0x60 || (script[0] !== 0 && script[0] < 0x51) || script[1] + 2 !== script.length;
}
