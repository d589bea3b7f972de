// Runs coin jobs, each on a thread of its own, which reads the shared database. If the binding of RocksDB cannot share a
// database, jobs run on the node thread in time slices.
import { Worker } from 'node:worker_threads';
import type { CoinReader, HeaderNode, PinnedCoins } from '../chain/index.js';
import { noteLoading } from '../lib/loading-threads.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { RPC_CODE } from '../rpc/errors.js';
import { runCoinJob } from '../rpc/node/run-coin-job.js';
import { type CoinJob, type CoinJobResult, type CoinJobs, JOB_WORD, type JobWords } from '../rpc/reads/coin-job.js';
import { errorOfJob } from '../rpc/reads/job-error.js';
import type { RenderContext } from '../rpc/render/script.js';
import { passedBuffers } from '../rpc/wire/taken-secrets.js';
import { StoreError } from '../storage/store-error.js';
import type { CoinAnswers, CoinThreadData, FromCoinThread } from './coin-thread.js';

export interface CoinThreadsDeps {
  readonly coins: Pick<CoinReader, 'pin' | 'readDatabase' | 'diskSize'>;
  /** Lends the database to a thread; null if it cannot be shared. */
  lend<T>(work: (handle: bigint) => Promise<T>): Promise<T> | null;
  readonly render: RenderContext;
  log(line: string): void;
  /** Called with each thread. For tests. */
  readonly onThread?: (thread: Worker) => void;
}

const HASH_BYTES = 32;
/** Results of a job whose thread has ended: by itself, and because the job was stopped. */
const LOST = { code: RPC_CODE.MISC_ERROR, message: 'Internal error' } as const;
const STOPPED = { code: RPC_CODE.CLIENT_NOT_CONNECTED, message: 'Shutting down', log: null } as const;

export class CoinThreads implements CoinJobs {
  readonly #deps: CoinThreadsDeps;

  constructor(deps: CoinThreadsDeps) {
    this.#deps = deps;
  }

  run(job: CoinJob, words: JobWords, pinned: (tipHashHex: string) => void = () => {}): Promise<readonly Uint8Array[]> {
    return this.#deps.coins.readDatabase(async () => {
      const there = this.#deps.lend((handle) => this.#runOnThread(handle, job, words, pinned));
      const result = await (there ?? this.#runHere(job, words, pinned));
      if ('parts' in result) return result.parts;
      if ('fault' in result) throw new StoreError('STORE_CORRUPTION', result.fault);
      if (result.log !== null) this.#deps.log(result.log);
      throw errorOfJob(result);
    });
  }

  #runHere(job: CoinJob, words: JobWords, pinned: (tipHashHex: string) => void): Promise<CoinJobResult> {
    const { coins, render } = this.#deps;
    let at: HeaderNode | null = null;
    return runCoinJob(job, {
      render,
      words,
      openCoins: () =>
        coins.pin(({ tip, cursor }) => {
          at = tip;
          pinned(tip.hashHex);
          return { tip, cursor: cursor() };
        }),
      hashesAt: async (heights) => hashesBelow(at as HeaderNode, heights),
      diskSize: () => coins.diskSize(),
    });
  }

  /** Never rejects. */
  #runOnThread(handle: bigint, job: CoinJob, words: JobWords, pinned: (tipHashHex: string) => void): Promise<CoinJobResult> {
    const { coins, render } = this.#deps;
    const { params, compat } = render;
    const workerData: CoinThreadData = { job, words, handle, params, compat };
    const transferList = passedBuffers(job.kind === 'scan' ? job.secrets : null);
    const thread = new Worker(WORKER_ENTRY.coins, { name: 'adit-coins', workerData, transferList });
    this.#deps.onThread?.(thread);
    let loaded = (): void => {};
    noteLoading(new Promise<void>((resolve) => (loaded = resolve)));
    return new Promise((resolve) => {
      let tip: HeaderNode | null = null;
      let ended = false;
      let opened = (): void => {};
      const answer = <Kind extends keyof CoinAnswers>(_to: Kind, value: CoinAnswers[Kind]): void => thread.postMessage(value);
      const lost = (why: string): void => {
        ended = true;
        opened();
        loaded();
        const stopped = Atomics.load(words, JOB_WORD.STOP) !== 0;
        resolve(stopped ? STOPPED : { ...LOST, log: `The thread of a job over all coins has ended: ${why}` });
      };
      const pin = async (): Promise<void> => {
        const open = async (at: PinnedCoins): Promise<void> => {
          tip = at.tip;
          if (ended) return;
          const done = new Promise<void>((resolve) => (opened = resolve));
          answer('coins', { tip: { height: tip.height, hash: tip.hash.slice() }, gte: at.range.gte, lt: at.range.lt });
          await done;
        };
        await coins.pin(open);
        pinned((tip as HeaderNode | null)?.hashHex ?? '');
      };
      const failed = (error: unknown): void => {
        lost(error instanceof Error ? error.message : String(error));
        void thread.terminate();
      };
      thread.on('message', (message: FromCoinThread) => {
        if (message.kind === 'loaded') loaded();
        else if (message.kind === 'coins') pin().catch(failed);
        else if (message.kind === 'pinned') opened();
        else if (message.kind === 'diskSize') coins.diskSize().then((size) => answer('diskSize', size), failed);
        else if (message.kind === 'hashes') answer('hashes', hashesBelow(tip as HeaderNode, message.heights));
        else resolve(message.result);
      });
      thread.on('error', (error: Error) => lost(error.message));
      // A result that was posted before has arrived.
      thread.on('exit', () => lost('it exited'));
    });
  }
}

/** Returns the hashes of a block's ancestors, 32 bytes each, internal order. */
function hashesBelow(tip: HeaderNode, heights: Uint32Array): Uint8Array {
  const hashes = new Uint8Array(HASH_BYTES * heights.length);
  for (const [i, height] of heights.entries()) {
    const node = tip.ancestor(height);
    if (node !== null) hashes.set(node.hash, HASH_BYTES * i);
  }
  return hashes;
}
