// Signs transactions on the threads of the pool: large ones in parts, small ones whole while others wait to be signed. Wired by node;
// callers reach it through signTransaction. Signatures are the same on every route: nonces come from key and message alone.
import { hashKey } from '../consensus/bytes/hex.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import { readSignResult, SIGN_MESSAGE_VERSION, type SignJob, type SignJobResult } from '../jobs/sign.js';
import { wipeSignSlab, writeSignSlab } from '../jobs/sign-slab.js';
import { SlabPool } from '../jobs/slab-pool.js';
import { Slicer } from '../lib/slicer.js';
import { PoolClosedError, type WorkPool } from '../parallel/pool.js';
import { FlatProvider, type SigningProvider } from './keys/signing-provider.js';
import { gatherMaterial } from './sign/gather-material.js';
import type { SigningResult } from './sign/sign-input.js';
import type { SigningThreads } from './sign/sign-transaction.js';
import { signingTx } from './sign/signing-tx.js';
import { SignBundler } from './sign-bundle.js';

/** Signing and checking one input on a slow core: two tries for a low R on average, one check. */
const INPUT_US = 150;
/** Legacy hashes run over the whole transaction, once to sign and once to check: SHA-256 at about 300 MB/s. */
const LEGACY_US_PER_BYTE = 0.007;
/** A job of a higher class waits no longer. */
const JOB_US = 3_000;
/** Below this a transaction goes to one thread, with others that wait. */
const SMALL_US = 1_000;
/** Jobs of one transaction per thread. */
const PARTS_PER_THREAD = 4;
/** Buffers kept for the next transactions. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** What it works with. */
export interface PooledSignerDeps {
  readonly pool: Pick<WorkPool, 'size' | 'canAcceptWork' | 'run'>;
  readonly crypto: Crypto;
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
  readonly #bundler: SignBundler;
  #serial = 0;

  constructor(deps: PooledSignerDeps) {
    this.#deps = deps;
    this.#bundler = new SignBundler(deps.pool);
  }

  sign(
    tx: TxView,
    spent: readonly (SpentOutput | null)[],
    provider: SigningProvider,
    hashType: number,
  ): Promise<readonly SigningResult[]> | null {
    const inputUs = INPUT_US + (spent.some((output) => output && isLegacy(output.script)) ? tx.strippedSize * LEGACY_US_PER_BYTE : 0);
    if (tx.inputCount === 0 || !this.#deps.pool.canAcceptWork('transaction')) return null;
    const work: Work = { tx, spent, provider, hashType };
    const totalUs = tx.inputCount * inputUs;
    if (totalUs < SMALL_US) return this.#whole(work, totalUs);
    // All threads end about together when each has a few parts.
    const share = Math.ceil(tx.inputCount / (this.#deps.pool.size * PARTS_PER_THREAD));
    return this.#inParts(work, Math.max(1, Math.min(share, Math.floor(JOB_US / inputUs))));
  }

  async #whole(work: Work, estimateUs: number): Promise<readonly SigningResult[]> {
    try {
      return await this.#withSlab(work, 1, (slab) => this.#bundler.sign(slab, estimateUs));
    } catch (error) {
      if (error instanceof PoolClosedError) throw error;
      // Something in the bundle kills threads; alone, only the culprit fails.
      return this.#inParts(work, work.tx.inputCount);
    }
  }

  /** @param size inputs per part */
  #inParts(work: Work, size: number): Promise<readonly SigningResult[]> {
    const { inputCount } = work.tx;
    return this.#withSlab(work, Math.ceil(inputCount / size), async (slab) => {
      const jobs: Promise<SignJobResult>[] = [];
      for (let first = 0; first < inputCount; first += size) {
        const job: SignJob = { version: SIGN_MESSAGE_VERSION, slab, first, end: Math.min(inputCount, first + size) };
        jobs.push(this.#deps.pool.run<SignJobResult>('transaction', 'sign', job));
      }
      // Every part must have ended before the keys go: one that runs again after its thread died needs them.
      const settled = await Promise.allSettled(jobs);
      return settled.flatMap((outcome) => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return readSignResult(outcome.value);
      });
    });
  }

  /** Lends the work a slab that has all it needs; afterwards, whatever happens, no private key is left in it. */
  async #withSlab<T>({ tx, spent, provider, hashType }: Work, parts: number, use: (slab: SharedArrayBuffer) => Promise<T>): Promise<T> {
    const material = new FlatProvider();
    let slab: SharedArrayBuffer | null = null;
    try {
      await this.#gather({ tx, spent, provider, hashType }, material);
      this.#serial = (this.#serial + 1) & 0x7fffffff;
      const content = { tx: tx.bytes, spent, material, hashType, serial: this.#serial, parts };
      slab = writeSignSlab(content, (bytes) => this.#slabs.acquire(bytes));
      material.wipe();
      return await use(slab);
    } finally {
      material.wipe();
      if (slab !== null) {
        wipeSignSlab(slab);
        this.#slabs.release(slab);
      }
    }
  }

  async #gather({ tx, spent, provider, hashType }: Work, material: FlatProvider): Promise<void> {
    const signing = signingTx(tx, spent, this.#deps.crypto);
    const slicer = new Slicer();
    const seen = new Set<string>();
    for (const [i, output] of spent.entries()) {
      if (!output) continue;
      // Inputs without scripts of their own need what the last one of the same output script needed.
      const bare = tx.scriptSig(i).length === 0 && tx.witnessCount(i) === 0;
      const key = bare ? hashKey(output.script) : null;
      if (key === null || !seen.has(key)) gatherMaterial(signing, i, output, provider, hashType, material);
      if (key !== null) seen.add(key);
      if (slicer.due) await slicer.pause();
    }
  }
}

/** Whether an output's signatures hash the whole transaction: everything but witness programs; P2SH hides which it is. */
function isLegacy(script: Uint8Array): boolean {
  return script.length < 4 || script[0] > 0x60 || (script[0] !== 0 && script[0] < 0x51) || script[1] + 2 !== script.length;
}
