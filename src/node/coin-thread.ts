// The thread of one coin job: its messages, and its side of them. It opens a cursor on the shared database while the
// chain does not change, and then walks over the coins at a lower priority.
import type { MessagePort } from 'node:worker_threads';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Compat } from '../policy/compat.js';
import { runCoinJob } from '../rpc/node/run-coin-job.js';
import type { CoinJob, CoinJobResult, CoinTip, JobWords } from '../rpc/reads/coin-job.js';
import type { RenderContext } from '../rpc/render/script.js';
import type { StoreCursor, StoreRange } from '../storage/store.js';

/** Data that the thread is started with. */
export interface CoinThreadData {
  readonly job: CoinJob;
  readonly words: JobWords;
  /** Handle of the open database. */
  readonly handle: bigint;
  readonly params: ChainParams;
  readonly compat: Compat;
}

/** Questions of the thread, and the answers of the node thread. `pinned` ends `coins` and has no answer. */
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
  | { readonly kind: 'result'; readonly result: CoinJobResult };

export interface CoinThreadDeps {
  readonly port: MessagePort;
  readonly render: RenderContext;
  openDatabase(handle: bigint): Promise<(range: StoreRange) => StoreCursor>;
  /** Called when the thread has its cursor. */
  onPinned(): void;
}

/** Runs the job of a thread, and then lets the thread end. */
export async function serveCoinJob({ job, words, handle }: CoinThreadData, deps: CoinThreadDeps): Promise<void> {
  const { port, render } = deps;
  const post = (message: FromCoinThread, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const ask = <Kind extends keyof CoinAnswers>(message: Extract<FromCoinThread, { kind: Kind }>): Promise<CoinAnswers[Kind]> =>
    new Promise((resolve) => {
      port.once('message', resolve);
      post(message);
    });
  const cursorOver = await deps.openDatabase(handle);
  post({ kind: 'loaded' });
  const result = await runCoinJob(job, {
    render,
    words,
    openCoins: async () => {
      const { tip, gte, lt } = await ask<'coins'>({ kind: 'coins' });
      const cursor = cursorOver({ gte, lt });
      post({ kind: 'pinned' });
      deps.onPinned();
      return { tip, cursor };
    },
    hashesAt: (heights) => ask<'hashes'>({ kind: 'hashes', heights }),
    diskSize: () => ask<'diskSize'>({ kind: 'diskSize' }),
  });
  if (!('parts' in result)) post({ kind: 'result', result });
  else {
    // Copies, because a part may lie in a buffer that others share.
    const parts = result.parts.map((part) => new Uint8Array(part));
    post(
      { kind: 'result', result: { parts } },
      parts.map(({ buffer }) => buffer),
    );
  }
  port.close();
}
