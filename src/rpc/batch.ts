// Runs the entries of a batch one after another, and pauses so that other work is not delayed.
import { yieldInQueue } from '../lib/time-slice.js';
import { workClock } from '../lib/work-clock.js';
import type { TakenBlock } from '../link/messages.js';
import type { BatchPrefetch, CallInfo, DispatchHooks } from './call.js';
import { BatchReply, type ReplyQuota } from './wire/batch-reply.js';
import { LONG_BODY_BYTES } from './wire/long-reading.js';
import type { Outcome, Reply } from './wire/reply.js';
import type { RequestBody, RequestEntry } from './wire/request.js';
import type { TakenSecrets } from './wire/taken-secrets.js';

/** Milliseconds between two event-loop ticks. */
export const SLICE_MS = 5;

/** The call of a batch as its entries see it. */
export class BatchCall implements CallInfo {
  readonly user: string;
  readonly path: string;
  readonly taken: TakenSecrets | undefined;
  readonly fillsReads: boolean | undefined;
  readonly block: TakenBlock | null = null;
  readonly prefetch: BatchPrefetch | undefined;
  /** Position of the entry that runs. */
  index = 0;
  readonly #of: CallInfo;

  constructor(of: CallInfo, prefetch: BatchPrefetch | null) {
    this.#of = of;
    this.user = of.user;
    this.path = of.path;
    this.taken = of.taken;
    this.fillsReads = of.fillsReads;
    this.prefetch = prefetch ?? undefined;
  }

  /** Created only when it is read, because it costs more than most calls. */
  get signal(): AbortSignal | undefined {
    return this.#of.signal;
  }
}

export class Batch {
  readonly #entries: RequestBody;
  readonly #call: BatchCall;
  readonly #reply: BatchReply;
  readonly #execute: (entry: RequestEntry, call: CallInfo) => Outcome | Promise<Outcome>;
  readonly #hooks: DispatchHooks;
  readonly #sliceMs: number;

  constructor(
    entries: RequestBody,
    call: BatchCall,
    quota: ReplyQuota,
    execute: (entry: RequestEntry, call: CallInfo) => Outcome | Promise<Outcome>,
    hooks: DispatchHooks,
  ) {
    this.#entries = entries;
    this.#call = call;
    this.#reply = new BatchReply(quota);
    this.#execute = execute;
    this.#hooks = hooks;
    this.#sliceMs = hooks.sliceMs ?? SLICE_MS;
  }

  /**
   * Runs entries without promises as long as all are synchronous and quick. From the first entry that is asynchronous or
   * slow, #runLater() continues. Never rejects.
   */
  run(): Reply | Promise<Reply> {
    if (this.#entries.bytes.length >= LONG_BODY_BYTES) return this.#runLater(yieldInQueue());
    const reply = this.#reply;
    const started = workClock.now();
    while (reply.count < this.#entries.length && !reply.full) {
      const pause = reply.count > 0 ? this.#hooks.yieldToUrgent?.() : undefined;
      if (pause instanceof Promise) return this.#runLater(pause);
      const entry = this.#next();
      const outcome = this.#execute(entry, this.#call);
      if (outcome instanceof Promise || workClock.now() - started > this.#sliceMs) {
        return this.#runLater(Promise.resolve(outcome).then((value) => reply.add(entry, value)));
      }
      reply.add(entry, outcome);
    }
    return reply.finish();
  }

  /** Runs the rest of the batch. @param first awaited before the next entry; it may add an outcome */
  async #runLater(first: Promise<unknown>): Promise<Reply> {
    const reply = this.#reply;
    const waited = reply.count;
    let sliceStart = workClock.now();
    await first;
    // If `first` was only a yield, the yield before the next entry is done.
    let hasYielded = reply.count === waited;
    while (reply.count < this.#entries.length && !reply.full) {
      // Awaiting a settled promise does not yield to the event loop, so the clock decides when to yield.
      if (workClock.now() - sliceStart > this.#sliceMs) {
        await yieldInQueue();
        sliceStart = workClock.now();
      }
      const pause = hasYielded ? undefined : this.#hooks.yieldToUrgent?.();
      if (pause instanceof Promise) await pause;
      hasYielded = false;
      const entry = this.#next();
      const outcome = this.#execute(entry, this.#call);
      reply.add(entry, outcome instanceof Promise ? await outcome : outcome);
    }
    return reply.finish();
  }

  /** Returns the entry that runs next. */
  #next(): RequestEntry {
    const index = this.#reply.count;
    this.#call.index = index;
    return this.#call.prefetch?.reached(index) ?? this.#entries.at(index);
  }
}
