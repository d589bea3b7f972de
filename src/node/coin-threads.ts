// Runs coin jobs, each on a thread of its own, which reads the shared database. One thread is kept for some time after its
// job, because starting a thread takes longer than a walk over few coins. If the binding of RocksDB cannot share a
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
import type { CoinAnswers, CoinTask, CoinThreadData, FromCoinThread } from './coin-thread.js';

export interface CoinThreadsDeps {
  readonly coins: Pick<CoinReader, 'pin' | 'readDatabase' | 'diskSize'>;
  /** Lends the database to a thread; null if it cannot be shared. */
  lend<T>(work: (handle: bigint) => Promise<T>): Promise<T> | null;
  readonly render: RenderContext;
  log(line: string): void;
  /** Time that an idle thread is kept. Default: a minute. */
  readonly idleMs?: number;
  /** Called with the thread of each job. For tests. */
  readonly onThread?: (thread: Worker) => void;
}

const HASH_BYTES = 32;
/** Results of a job whose thread has ended: by itself, and because the job was stopped. */
const LOST = { code: RPC_CODE.MISC_ERROR, message: 'Internal error' } as const;
const STOPPED = { code: RPC_CODE.CLIENT_NOT_CONNECTED, message: 'Shutting down', log: null } as const;

export class CoinThreads implements CoinJobs {
  readonly #deps: CoinThreadsDeps;
  #idle: { readonly thread: Worker; readonly timer: NodeJS.Timeout } | null = null;

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
    const { coins } = this.#deps;
    const thread = this.#takeIdle() ?? this.#startThread(handle);
    this.#deps.onThread?.(thread);
    thread.postMessage({ job, words } satisfies CoinTask, passedBuffers(job.kind === 'scan' ? job.secrets : null));
    return new Promise((resolve) => {
      let tip: HeaderNode | null = null;
      let ended = false;
      let opened = (): void => {};
      const answer = <Kind extends keyof CoinAnswers>(_to: Kind, value: CoinAnswers[Kind]): void => thread.postMessage(value);
      const settle = (result: CoinJobResult): void => {
        ended = true;
        opened();
        thread.off('message', onMessage).off('error', failed).off('exit', onExit);
        resolve(result);
      };
      const lost = (why: string): void => {
        const stopped = Atomics.load(words, JOB_WORD.STOP) !== 0;
        settle(stopped ? STOPPED : { ...LOST, log: `The thread of a job over all coins has ended: ${why}` });
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
        if (ended) return;
        lost(error instanceof Error ? error.message : String(error));
        void thread.terminate();
      };
      const onMessage = (message: FromCoinThread): void => {
        if (message.kind === 'coins') pin().catch(failed);
        else if (message.kind === 'pinned') opened();
        else if (message.kind === 'diskSize') coins.diskSize().then((size) => answer('diskSize', size), failed);
        else if (message.kind === 'hashes') answer('hashes', hashesBelow(tip as HeaderNode, message.heights));
        else if (message.kind === 'result') {
          settle(message.result);
          if (message.free) this.#keep(thread);
          else void thread.terminate();
        }
      };
      // A result that was posted before has arrived.
      const onExit = (): void => lost('it exited');
      thread.on('message', onMessage).on('error', failed).on('exit', onExit);
    });
  }

  #startThread(handle: bigint): Worker {
    const { params, compat } = this.#deps.render;
    const workerData: CoinThreadData = { handle, params, compat };
    const thread = new Worker(WORKER_ENTRY.coins, { name: 'adit-coins', workerData });
    // The first message says that the thread has loaded.
    noteLoading(new Promise<void>((resolve) => thread.once('message', () => resolve()).once('exit', () => resolve())));
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.#idle?.thread === thread) this.#takeIdle();
    });
    return thread;
  }

  #takeIdle(): Worker | null {
    if (this.#idle === null) return null;
    const { thread, timer } = this.#idle;
    this.#idle = null;
    clearTimeout(timer);
    thread.ref();
    return thread;
  }

  /** Keeps a thread for the next job, unless there is one. */
  #keep(thread: Worker): void {
    if (this.#idle !== null) return void thread.terminate();
    const timer = setTimeout(() => void this.#takeIdle()?.terminate(), this.#deps.idleMs ?? 60_000);
    this.#idle = { thread, timer: timer.unref() };
    thread.unref();
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
