// Signs transactions in parts on the threads of the pool; small ones are left to the thread that asks, for a trip costs
// as much as they do. Reached through signTransaction. Signatures are the same on every route: nonces come from key and
// message alone.
import { threadId } from 'node:worker_threads';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import { readSignResult, SIGN_MESSAGE_VERSION, type SignJob, type SignJobResult } from '../jobs/sign.js';
import { type SigningMaterial, wipeSignSlab, writeSignSlab, writeSubjectSlab } from '../jobs/sign-slab.js';
import { SlabPool } from '../jobs/slab-pool.js';
import { Slicer } from '../lib/slicer.js';
import { MaterialGatherer } from '../signing/gather-material.js';
import type { SigningResult } from '../signing/sign-input.js';
import type { SigningThreads } from '../signing/sign-transaction.js';
import type { SigningProvider } from '../signing/signing-provider.js';
import { signingTx } from '../signing/signing-tx.js';
import type { WorkPool } from './pool.js';

/** Signing and checking one input on an ordinary core: two tries for a low R on average, one check. */
const INPUT_US = 120;
/** Legacy hashes run over the whole transaction, once to sign and once to check: SHA-256 at about 300 MB/s. */
const LEGACY_US_PER_BYTE = 0.007;
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
const JOBS_AHEAD = 200;
/** Buffers kept for the next transactions. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** Of the transaction last written for threads, which keep one and know it again by this: like none of another thread's. */
let lastSerial = threadId * 2 ** 32;

/** What it works with. */
export interface PooledSignerDeps {
  readonly pool: Pick<WorkPool, 'size' | 'canAcceptWork' | 'run'>;
  readonly crypto: Crypto;
  /** Estimated microseconds up to which a transaction is signed where it is. */
  readonly hereUs: number;
}

interface Work {
  readonly tx: TxView;
  readonly spent: readonly (SpentOutput | null)[];
  readonly provider: SigningProvider;
  readonly hashType: number;
}

export class PooledSigner implements SigningThreads {
  readonly #deps: PooledSignerDeps;
  readonly #slabs = new SlabPool(KEPT_BYTES);

  constructor(deps: PooledSignerDeps) {
    this.#deps = deps;
  }

  sign(
    tx: TxView,
    spent: readonly (SpentOutput | null)[],
    provider: SigningProvider,
    hashType: number,
  ): Promise<readonly SigningResult[]> | null {
    const { pool, hereUs } = this.#deps;
    const inputUs = INPUT_US + (spent.some((output) => output && isLegacy(output.script)) ? tx.strippedSize * LEGACY_US_PER_BYTE : 0);
    if (tx.inputCount * inputUs <= hereUs || !pool.canAcceptWork('transaction')) return null;
    // All threads end about together when each has a few parts.
    const share = Math.ceil(Math.max(tx.inputCount / (pool.size * PARTS_PER_THREAD), LEAST_JOB_US / inputUs));
    return this.#inParts({ tx, spent, provider, hashType }, Math.max(1, Math.min(share, Math.floor(JOB_US / inputUs))));
  }

  /** @param size inputs per part */
  async #inParts(work: Work, size: number): Promise<readonly SigningResult[]> {
    const { inputCount } = work.tx;
    const subject = writeSubjectSlab({ ...work, tx: work.tx.bytes }, ++lastSerial, (bytes) => this.#slabs.acquire(bytes));
    const parts: Promise<readonly SigningResult[]>[] = [];
    try {
      const signing = signingTx(work.tx, work.spent, this.#deps.crypto);
      const slicer = new Slicer();
      for (let first = 0; first < inputCount; first += size) {
        // The oldest of them ends about first.
        if (parts.length >= JOBS_AHEAD) await parts[parts.length - JOBS_AHEAD];
        const end = Math.min(inputCount, first + size);
        const material = new MaterialGatherer(signing, work.provider, work.hashType);
        try {
          for (let i = first; i < end; i++) {
            material.add(i);
            if (slicer.due) await slicer.pause();
          }
          const part = this.#post(material.found, { subject, first, end });
          // It is waited for below; until then its failure is no news.
          part.catch(() => {});
          parts.push(part);
        } finally {
          material.found.wipe();
        }
      }
      return (await Promise.all(parts)).flat();
    } finally {
      // The transaction must stay until every part has ended: one may run again after its thread died.
      await Promise.allSettled(parts);
      this.#slabs.release(subject);
    }
  }

  /** Posts a job with a slab of its own; when it has ended, whatever came of it, no private key is left there. */
  async #post(material: SigningMaterial, part: Omit<SignJob, 'version' | 'slab'>): Promise<readonly SigningResult[]> {
    const slab = writeSignSlab(material, (bytes) => this.#slabs.acquire(bytes));
    try {
      const job: SignJob = { version: SIGN_MESSAGE_VERSION, slab, ...part };
      const results = readSignResult(await this.#deps.pool.run<SignJobResult>('transaction', 'sign', job));
      // One too few would give every later input the signature of another.
      const asked = part.end - part.first;
      if (results.length !== asked) throw new Error(`A signing job of ${asked} inputs answered for ${results.length}`);
      return results;
    } finally {
      wipeSignSlab(slab);
      this.#slabs.release(slab);
    }
  }
}

/**
 * Whether an output's signatures hash the whole transaction: everything but witness programs; P2SH hides which it is.
 */
function isLegacy(script: Uint8Array): boolean {
  return script.length < 4 || script[0] > 0x60 || (script[0] !== 0 && script[0] < 0x51) || script[1] + 2 !== script.length;
}
