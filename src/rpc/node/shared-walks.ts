// Shares walks over all coins between calls of gettxoutsetinfo: callers that want the same hash of the same coins wait for
// one walk.
import { Semaphore } from '../../lib/semaphore.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import { type CoinHashType, createJobWords, JOB_WORD, type JobWords } from '../reads/coin-job.js';
import { stopJob } from './stop-job.js';

/** Number of walks at once. Each is a thread. */
const WALKS_AT_ONCE = 2;

interface Walk {
  readonly words: JobWords;
  readonly result: Promise<readonly Uint8Array[]>;
  users: number;
  /** Hash of the block of its coins, display order; null until it has them. */
  tip: string | null;
}

export class SharedWalks {
  readonly #walks = new Map<CoinHashType, Walk>();
  readonly #permits = new Semaphore(WALKS_AT_ONCE);

  /**
   * Returns the result of a walk over the coins at the tip, or at a later one.
   * @param signal aborted if the client has disconnected. A walk without clients is stopped
   * @throws RpcError
   */
  async run(ctx: NodeContext, hashType: CoinHashType, signal: AbortSignal | undefined): Promise<readonly Uint8Array[]> {
    const running = this.#walks.get(hashType);
    const shared = running !== undefined && (running.tip === null || running.tip === ctx.chain.tip.hashHex);
    const walk = shared ? running : this.#start(ctx, hashType);
    walk.users++;
    const leave = (): void => {
      if (--walk.users > 0) return;
      Atomics.store(walk.words, JOB_WORD.STOP, 1);
      this.#forgetWalk(hashType, walk);
    };
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    try {
      return await walk.result;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #start(ctx: NodeContext, hashType: CoinHashType): Walk {
    const words = createJobWords();
    const result = this.#permits.run(async () => {
      // The clients of a walk may disconnect while it waits for a permit.
      if (ctx.stopping.aborted || Atomics.load(words, JOB_WORD.STOP) !== 0) fail(RPC_CODE.CLIENT_NOT_CONNECTED, 'Shutting down');
      const forget = stopJob(words, ctx.stopping);
      try {
        return await ctx.coinJobs.run({ kind: 'stats', hashType }, words, (tip) => {
          walk.tip = tip;
        });
      } finally {
        forget();
        this.#forgetWalk(hashType, walk);
      }
    });
    const walk: Walk = { words, result, users: 0, tip: null };
    this.#walks.set(hashType, walk);
    return walk;
  }

  #forgetWalk(hashType: CoinHashType, walk: Walk): void {
    if (this.#walks.get(hashType) === walk) this.#walks.delete(hashType);
  }
}
