// Signs transactions on the threads of the pool: large ones in parts, small ones whole while others wait to be signed;
// and the smallest on its own thread, as far as it comes to that. Wired by node; callers reach it through
// signTransaction. Signatures are the same on every route: nonces come from key and message alone.
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { isPayToPublicKeyHash, isPayToScriptHash, isPayToWitnessPublicKeyHash } from '../consensus/script/templates.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { readSignResult, SIGN_MESSAGE_VERSION, type SignJob, type SignJobResult } from '../jobs/sign.js';
import { type SignSubject, type SignTask, wipeSignSlab, writeSignSlab, writeSubjectSlab } from '../jobs/sign-slab.js';
import { SlabPool } from '../jobs/slab-pool.js';
import { Slicer } from '../lib/slicer.js';
import { MaterialGatherer } from '../signing/gather-material.js';
import { type SigningResult, signInput } from '../signing/sign-input.js';
import type { SigningThreads } from '../signing/sign-transaction.js';
import type { FlatProvider, SigningProvider } from '../signing/signing-provider.js';
import { type SigningTx, signingTx } from '../signing/signing-tx.js';
import { PoolClosedError, type WorkPool } from './pool.js';
import { SignBundler } from './sign-bundle.js';

/** Signing and checking one input on an ordinary core: two tries for a low R on average, one check. */
const INPUT_US = 120;
/** Legacy hashes run over the whole transaction, once to sign and once to check: SHA-256 at about 300 MB/s. */
const LEGACY_US_PER_BYTE = 0.007;
/** A job of a higher class waits no longer. */
const JOB_US = 4_000;
/** Below this a transaction goes to one thread, with others that wait. */
const SMALL_US = 1_000;
/** Below this the node thread may sign it in one go: calls that come meanwhile wait no longer for it. */
const HERE_US = 500;
/** Jobs of one transaction per thread. */
const PARTS_PER_THREAD = 4;
/**
 * Jobs of one transaction that may wait with their keys: far more than a standard transaction has, whose keys are taken
 * without a pause.
 */
const JOBS_AHEAD = 200;
/** Buffers kept for the next transactions. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** What it works with. */
export interface PooledSignerDeps {
  readonly pool: Pick<WorkPool, 'size' | 'canAcceptWork' | 'run'>;
  readonly crypto: Crypto;
  /** Of this thread. */
  readonly signer: Signer;
}

interface Work {
  readonly tx: TxView;
  readonly spent: readonly (SpentOutput | null)[];
  readonly provider: SigningProvider;
  readonly hashType: number;
}

/** Inputs of a transaction: from `first` to before `end`. */
interface Part {
  readonly subject: SharedArrayBuffer;
  readonly first: number;
  readonly end: number;
}

export class PooledSigner implements SigningThreads {
  readonly #deps: PooledSignerDeps;
  readonly #slabs = new SlabPool(KEPT_BYTES);
  readonly #bundler: SignBundler;
  #serial = 0;

  constructor(deps: PooledSignerDeps) {
    this.#deps = deps;
    this.#bundler = new SignBundler(deps.pool.size, (tasks) => this.#post(tasks, null));
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
    if (totalUs < SMALL_US) return this.#bundler.full ? null : this.#whole(work, totalUs);
    // All threads end about together when each has a few parts.
    const share = Math.ceil(tx.inputCount / (this.#deps.pool.size * PARTS_PER_THREAD));
    return this.#inParts(work, Math.max(1, Math.min(share, Math.floor(JOB_US / inputUs))));
  }

  async #whole(work: Work, estimateUs: number): Promise<readonly SigningResult[]> {
    const { inputCount } = work.tx;
    const signing = this.#signing(work);
    const material = new MaterialGatherer(signing, work.provider, work.hashType);
    const { found } = material;
    try {
      for (let i = 0; i < inputCount; i++) material.add(i);
      const light = estimateUs + work.tx.strippedSize * LEGACY_US_PER_BYTE < HERE_US && isLight(work, found);
      const signHere = light ? () => this.#signHere(signing, found, work.hashType) : null;
      return await this.#bundler.sign({ subject: subjectOf(work), inputCount, material: found, estimateUs, signHere });
    } catch (error) {
      if (error instanceof PoolClosedError) throw error;
      // Something in the bundle kills threads; alone, only the culprit fails.
      return await this.#inParts(work, inputCount);
    } finally {
      found.wipe();
    }
  }

  #signHere(signing: SigningTx, known: FlatProvider, hashType: number): readonly SigningResult[] {
    return signing.spent.map((_, input) => signInput(signing, input, known, hashType, this.#deps.signer));
  }

  /** @param size inputs per part */
  async #inParts(work: Work, size: number): Promise<readonly SigningResult[]> {
    const { inputCount } = work.tx;
    this.#serial = (this.#serial + 1) & 0x7fffffff;
    const subject = writeSubjectSlab(subjectOf(work), this.#serial, (bytes) => this.#slabs.acquire(bytes));
    const parts: Promise<readonly SigningResult[]>[] = [];
    try {
      const signing = this.#signing(work);
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
          const part = this.#post([{ material: material.found, subject: null }], { subject, first, end });
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

  #signing({ tx, spent }: Work): SigningTx {
    return signingTx(tx, spent, this.#deps.crypto);
  }

  /** Posts a job with a slab of its own; when it has ended, whatever came of it, no private key is left there. */
  async #post(tasks: readonly SignTask[], part: Part | null): Promise<readonly SigningResult[]> {
    const slab = writeSignSlab(tasks, (bytes) => this.#slabs.acquire(bytes));
    try {
      const { subject, first, end } = part ?? { subject: null, first: 0, end: 0 };
      const job: SignJob = { version: SIGN_MESSAGE_VERSION, slab, subject, first, end };
      return readSignResult(await this.#deps.pool.run<SignJobResult>('transaction', 'sign', job));
    } finally {
      wipeSignSlab(slab);
      this.#slabs.release(slab);
    }
  }
}

const subjectOf = ({ tx, spent, hashType }: Work): SignSubject => ({ tx: tx.bytes, spent, hashType });

/**
 * Whether an output's signatures hash the whole transaction: everything but witness programs; P2SH hides which it is.
 */
function isLegacy(script: Uint8Array): boolean {
  return script.length < 4 || script[0] > 0x60 || (script[0] !== 0 && script[0] < 0x51) || script[1] + 2 !== script.length;
}

/**
 * Whether no input takes more than one signature and one check of it: they carry nothing yet and spend outputs of one
 * key each.
 */
function isLight({ tx, spent }: Work, known: FlatProvider): boolean {
  return spent.every((output, i) => {
    if (!output) return true;
    if (tx.scriptSig(i).length > 0 || tx.witnessCount(i) > 0) return false;
    const script = isPayToScriptHash(output.script) ? known.script(output.script.subarray(2, 22)) : output.script;
    return script !== undefined && (isPayToWitnessPublicKeyHash(script) || isPayToPublicKeyHash(script));
  });
}
