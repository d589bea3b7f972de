// Signs transactions on the threads of the pool: large ones in parts, of small ones what the thread that asks does not
// come to (signing-line.ts), for a trip costs as much as one of them. Reached through signTransaction. Signatures are
// the same on every route: nonces come from key and message alone.
import { threadId } from 'node:worker_threads';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import { readSignResult, SIGN_MESSAGE_VERSION, type SignJob, type SignJobResult, type SignPart } from '../jobs/sign.js';
import { type SigningMaterial, wipeSignSlab, writeSignSlab, writeSubjectSlab } from '../jobs/sign-slab.js';
import { SlabPool } from '../jobs/slab-pool.js';
import { Slicer } from '../lib/slicer.js';
import { MaterialGatherer } from '../signing/gather-material.js';
import type { SigningResult } from '../signing/sign-input.js';
import type { SigningThreads } from '../signing/sign-transaction.js';
import type { SigningProvider } from '../signing/signing-provider.js';
import { signingTx } from '../signing/signing-tx.js';
import type { WorkPool } from './pool.js';
import { SigningQueue } from './signing-queue.js';

/** Signing and checking one input on an ordinary core: two tries for a low R on average, one check. */
const INPUT_US = 120;
/** Legacy hashes run over the whole transaction: SHA-256 at about 300 MB/s. */
const LEGACY_US_PER_BYTE = 0.0035;
/** A job of a higher class waits no longer. */
const JOB_US = 4_000;
/** And takes no less, where there is so much: posting one and hearing of its end costs both threads some 60 us. */
const LEAST_JOB_US = 500;
/** Jobs of one transaction per thread. */
const PARTS_PER_THREAD = 4;
/**
 * Jobs of one transaction that may wait with their keys: far more than a standard transaction has, whose keys are taken
 * without a pause.
 */
const MAX_PENDING_JOBS = 200;
/** Buffers kept for the next transactions. */
const RETAINED_BYTES = 4 * 1024 * 1024;

/** Of the transaction last written for threads, which keep one and know it again by this: like none of another thread's. */
let lastSerial = threadId * 2 ** 32;

/** What it works with. */
export interface PooledSignerDeps {
  readonly pool: Pick<WorkPool, 'size' | 'canAcceptWork' | 'run'>;
  readonly crypto: Crypto;
  /** Estimated microseconds up to which a transaction is small. */
  readonly hereUs: number;
}

type Results = readonly SigningResult[];

/** A part before its keys are in a slab. The private keys in `material` are wiped by its maker. */
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
      // The thread that asks signs too.
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
    // All threads end about together when each has a few parts.
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
      const slicer = new Slicer();
      for (let first = 0; first < inputCount; first += size) {
        // The oldest of them ends about first.
        if (parts.length >= MAX_PENDING_JOBS) await parts[parts.length - MAX_PENDING_JOBS];
        const end = Math.min(inputCount, first + size);
        const material = new MaterialGatherer(signing, work.provider, work.hashType);
        try {
          for (let i = first; i < end; i++) {
            material.addInput(i);
            if (slicer.due) await slicer.pause();
          }
          const part = this.#post([{ material: material.found, subject, first, end }]);
          // It is waited for below; until then its failure is no news.
          part.catch(() => {});
          parts.push(part);
        } finally {
          material.found.wipe();
        }
      }
      return (await Promise.all(parts)).flat(2);
    } finally {
      // The transaction must stay until every part has ended: one may run again after its thread died.
      await Promise.allSettled(parts);
      this.#slabs.release(subject);
    }
  }

  /** Several transactions, each whole and with its own keys, in one job. */
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

  /**
   * Posts parts in one job, each with a slab of its own; when it has ended, whatever came of it, no private key is left
   * there.
   */
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
      // One too few would give every later input, or transaction, the signature of another.
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
 * Whether an output's signatures hash the whole transaction: everything but witness programs; P2SH hides which it is.
 */
function isLegacy(script: Uint8Array): boolean {
  return script.length < 4 || script[0] > 0x60 || (script[0] !== 0 && script[0] < 0x51) || script[1] + 2 !== script.length;
}
