// A call on its way through the thread that runs it, and what that thread's dispatcher is told. Used by call-links.ts.

import type { PassedSecrets, TakenBlock } from './messages.js';

/** A finished call. */
export interface CallReply {
  readonly status: number;
  readonly body: string | Uint8Array;
}

/** What a running call may ask for. */
export interface RunningCallInfo {
  readonly user: string;
  readonly uri: string;
  /** The body is known to have no passphrase in it. */
  readonly plain: boolean;
  /** A block that was taken out of the body. */
  readonly block: TakenBlock | null;
  /** Secrets that were taken out of the body on another thread. */
  readonly taken: PassedSecrets | null;
  /** Fires when the client has gone or the server ends. */
  readonly signal: AbortSignal;
}

/** What the dispatcher does while it runs a body. */
export interface RunHooks {
  /**
   * Between batch entries and slices of long work: lets submissions in. A promise: wait for it before the next piece.
   */
  yieldToUrgent(): Promise<void> | undefined;
  /** After each entry. */
  onCall(method: string, seconds: number, ok: boolean): void;
}

/** A thread's dispatcher, bytes to bytes; never throws or rejects. A small body is gone when it returns. */
export type ExecuteBody = (body: Uint8Array, call: RunningCallInfo, hooks: RunHooks) => CallReply | Promise<CallReply>;

/** One call on its way. */
export class RunningCall<Link> implements RunningCallInfo {
  readonly link: Link;
  readonly id: number;
  readonly user: string;
  readonly uri: string;
  readonly sizeBytes: number;
  /** Came by the priority port; its reply goes back there. */
  readonly priority: boolean;
  /** A block or header under way. */
  submission = false;
  plain = false;
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

  // Most methods never ask: the controller is made on demand.
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
