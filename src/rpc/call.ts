// A call as the dispatcher and run functions see it.
import type { TakenBlock } from '../link/messages.js';
import type { RequestEntry } from './wire/request.js';
import type { TakenSecrets } from './wire/taken-secrets.js';

/** Facts about a call for its run function. */
export interface CallInfo {
  /** Authenticated user; empty if unknown. */
  readonly user: string;
  /** Request target, such as /wallet/name. */
  readonly path: string;
  /** True if the receiver of the reply runs read jobs (reads/unfilled.ts). */
  readonly fillsReads?: boolean | undefined;
  /** Aborted when the client has disconnected. */
  readonly signal?: AbortSignal | undefined;
  /** Passphrases and private keys that were taken out of the body. They are overwritten when the call ends. */
  readonly taken?: TakenSecrets | undefined;
  /** Position of the request in its batch, if secrets were taken out; otherwise undefined. */
  readonly index?: number | undefined;
  /** Work on later entries of the batch; undefined outside of batches. */
  readonly prefetch?: BatchPrefetch | undefined;
  /** Block that the front took out of a submitblock, and the argument that replaces it. Never part of a batch. */
  readonly block?: TakenBlock | null;
}

/** Prefetches for later entries of a batch. A prefetch must not change the replies to those entries. */
export interface BatchPrefetch {
  /** Called with each index in order, before that entry runs. @returns the entry; each is parsed only once */
  reached(index: number): RequestEntry;
}

/** How a batch yields between its entries. */
export interface DispatchHooks {
  /**
   * Called between any two entries, so that more urgent work runs. If it returns a promise, the next entry waits for
   * it.
   */
  yieldToUrgent?(): unknown;
  /** Milliseconds after which a batch yields to the event loop. */
  readonly sliceMs?: number;
}
