// A thread that runs one coin job at a time: its messages, and its side of them. For each job it opens a cursor on the
// shared database while the chain does not change, and then walks over the coins at a lower priority.
import type { MessagePort } from 'node:worker_threads';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Compat } from '../policy/compat.js';
import { runCoinJob } from '../rpc/node/run-coin-job.js';
import type { CoinJob, CoinJobResult, CoinTip, JobWords } from '../rpc/reads/coin-job.js';
import type { RenderContext } from '../rpc/render/script.js';
import type { StoreCursor, StoreRange } from '../storage/store.js';

/** Data that the thread is started with. */
export interface CoinThreadData {
  /** Handle of the open database. */
  readonly handle: bigint;
  readonly params: ChainParams;
  readonly compat: Compat;
}

/** A job for the thread. */
export interface CoinTask {
  readonly job: CoinJob;
  readonly words: JobWords;
}

/**
 * Questions of the thread, and the answers of the node thread. `loaded` is the first message of the thread, `pinned` ends
 * `coins`; neither has an answer. `free`: the thread can run another job, because it has its ordinary priority again.
 */
export interface CoinAnswers {
  coins: { readonly tip: CoinTip; readonly gte: Uint8Array; readonly lt: Uint8Array };
  hashes: Uint8Array;
  diskSize: number;
}
export type FromCoinThread =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'coins' }
  | { readonly kind: 'pinned' }
  | { readonly kind: 'diskSize' }
  | { readonly kind: 'hashes'; readonly heights: Uint32Array }
  | { readonly kind: 'result'; readonly result: CoinJobResult; readonly free: boolean };

export interface CoinThreadDeps {
  readonly port: MessagePort;
  readonly render: RenderContext;
  openDatabase(handle: bigint): Promise<(range: StoreRange) => StoreCursor>;
  /** Lowers the priority of the thread. */
  lowerPriority(): void;
  /** Undoes lowerPriority. @returns false if the system refuses */
  restorePriority(): boolean;
}

/** Runs jobs until the thread is ended. */
export async function serveCoinJobs(handle: bigint, deps: CoinThreadDeps): Promise<void> {
  const { port, render } = deps;
  const post = (message: FromCoinThread, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const ask = <Kind extends keyof CoinAnswers>(message: Extract<FromCoinThread, { kind: Kind }>): Promise<CoinAnswers[Kind]> =>
    new Promise((resolve) => {
      port.once('message', resolve);
      post(message);
    });
  const cursorOver = await deps.openDatabase(handle);
  const run = async ({ job, words }: CoinTask): Promise<void> => {
    const result = await runCoinJob(job, {
      render,
      words,
      openCoins: async () => {
        const { tip, gte, lt } = await ask<'coins'>({ kind: 'coins' });
        const cursor = cursorOver({ gte, lt });
        post({ kind: 'pinned' });
        deps.lowerPriority();
        return { tip, cursor };
      },
      hashesAt: (heights) => ask<'hashes'>({ kind: 'hashes', heights }),
      diskSize: () => ask<'diskSize'>({ kind: 'diskSize' }),
    });
    const free = deps.restorePriority();
    // Copies, because a part may lie in a buffer that others share.
    const parts = 'parts' in result ? result.parts.map((part) => new Uint8Array(part)) : [];
    post(
      { kind: 'result', result: 'parts' in result ? { parts } : result, free },
      parts.map(({ buffer }) => buffer),
    );
    port.once('message', run);
  };
  port.once('message', run);
  post({ kind: 'loaded' });
}
