// A call in progress, and what the thread's dispatcher knows about it.

import type { PassedSecrets, ReplyBody, TakenBlock } from './messages.js';

/** A finished call. */
export interface CallReply {
  readonly status: number;
  readonly body: ReplyBody;
}

/** Facts about a call in progress for the dispatcher. */
export interface RunningCallInfo {
  readonly user: string;
  readonly uri: string;
  /** True if the body contains no secret. */
  readonly plain: boolean;
  /** Index of the body (rpc/wire/request.ts), valid as long as the body; null if it was not scanned. */
  readonly index: Int32Array | null;
  /** Block that was taken out of the body. */
  readonly block: TakenBlock | null;
  /** Secrets that another thread took out of the body. */
  readonly taken: PassedSecrets | null;
  /** True if the other end runs read jobs (rpc/reads/unfilled.ts). */
  readonly fillsReads: boolean;
  /** Aborted when the client has disconnected or the server stops. */
  readonly signal: AbortSignal;
}

/** Functions that the dispatcher calls while it runs a body. */
export interface RunHooks {
  /**
   * Called between batch entries and between slices of long work. Starts submissions that have arrived. If it returns a
   * promise, the caller must await it before it continues.
   */
  yieldToUrgent(): Promise<void> | undefined;
  /** Called after each entry of a body. */
  onCall(method: string, seconds: number, ok: boolean): void;
}

/**
 * The dispatcher of a thread: bytes of a body in, reply out. Never throws or rejects. A small body is valid only until
 * the function returns.
 */
export type ExecuteBody = (body: Uint8Array, call: RunningCallInfo, hooks: RunHooks) => CallReply | Promise<CallReply>;

/** A call in progress. */
export class RunningCall<Link> implements RunningCallInfo {
  readonly link: Link;
  readonly id: number;
  readonly user: string;
  readonly uri: string;
  readonly sizeBytes: number;
  /** True if the call arrived by the priority port, through which its reply returns. */
  readonly priority: boolean;
  /** True if the call submits a block or header. */
  submission = false;
  plain = false;
  fillsReads = false;
  index: Int32Array | null = null;
  block: TakenBlock | null = null;
  taken: PassedSecrets | null = null;
  cancelled = false;
  #abort: AbortController | null = null;

  constructor(link: Link, from: { user: string; uri: string }, id: number, sizeBytes: number, priority: boolean) {
    this.link = link;
    this.id = id;
    this.user = from.user;
    this.uri = from.uri;
    this.sizeBytes = sizeBytes;
    this.priority = priority;
  }

  // Created on demand, because most methods never read it.
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.cancelled) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  cancel(): void {
    this.cancelled = true;
    this.#abort?.abort();
  }
}
