// Parked getblocktemplate calls (BIP-0022 long polling, with the timing of Core 0.21). Each costs a closure and an
// entry here, no thread and no timer of its own. Calls continue at a new tip, when the server stops, when a
// sufficiently better template was published (mode live), or at a deadline if the counter is not the one they know: in
// mode core 60 s after they arrived, then every 10 s.
import { SliceQueue, type SliceTimers } from './slice-queue.js';

/** Monotonic time and one-shot timers; tests supply their own. */
export interface PollTimers extends SliceTimers {
  /** Calls `run` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, run: () => void): () => void;
}

/** A parked call. */
export interface ParkedPoll {
  /** Tip (display hex) and counter of mempool updates that the client knows. */
  readonly tipHex: string;
  readonly counter: number;
  /** Continues the call. */
  resume(): void;
}

/** Times after which a parked call compares the counter. */
export interface PollTimes {
  readonly firstMs: number;
  readonly nextMs: number;
}

/** Times of Core 0.21. */
export const CORE_POLL_TIMES: PollTimes = { firstMs: 60_000, nextMs: 10_000 };

interface Deadline {
  readonly atMs: number;
  readonly nextMs: number;
}

/** All parked calls of a front. */
export class LongPolls {
  readonly #timers: PollTimers;
  readonly #liveCounter: () => number;
  readonly #parked = new Map<ParkedPoll, Deadline>();
  readonly #slices: SliceQueue;
  #cancelTimer: (() => void) | null = null;
  #timerAtMs = Number.POSITIVE_INFINITY;

  /** @param slices queue in which resumed calls continue */
  constructor(timers: PollTimers, liveCounter: () => number, slices = new SliceQueue(timers)) {
    this.#timers = timers;
    this.#slices = slices;
    this.#liveCounter = liveCounter;
  }

  get size(): number {
    return this.#parked.size;
  }

  park(poll: ParkedPoll, { firstMs, nextMs }: PollTimes = CORE_POLL_TIMES): void {
    const deadline = this.#timers.monotonicMs() + firstMs;
    this.#parked.set(poll, { atMs: deadline, nextMs });
    if (deadline < this.#timerAtMs) this.#arm(deadline);
  }

  /** Removes a call whose client disconnected. */
  remove(poll: ParkedPoll): void {
    this.#parked.delete(poll);
    if (this.#parked.size === 0) this.#disarm();
  }

  /** Resumes every call that knows another tip, in order of arrival. */
  tipChanged(tipHex: string): void {
    this.#resume((poll) => poll.tipHex !== tipHex);
  }

  /** Resumes the calls for which `concerns` returns true, after a template was published. */
  published(concerns: (poll: ParkedPoll) => boolean): void {
    this.#resume(concerns);
  }

  /** Resumes every call. */
  resumeAll(): void {
    this.#resume(() => true);
  }

  #resume(ready: (poll: ParkedPoll) => boolean): void {
    const woken: ParkedPoll[] = [];
    for (const poll of this.#parked.keys()) if (ready(poll)) woken.push(poll);
    for (const poll of woken) this.#parked.delete(poll);
    if (this.#parked.size === 0) this.#disarm();
    this.#resumeInSlices(woken);
  }

  #tick(): void {
    this.#disarm();
    const now = this.#timers.monotonicMs();
    const counter = this.#liveCounter();
    const woken: ParkedPoll[] = [];
    let earliest = Number.POSITIVE_INFINITY;
    for (const [poll, { atMs, nextMs }] of this.#parked) {
      let next = atMs;
      if (atMs <= now) {
        if (poll.counter !== counter) {
          woken.push(poll);
          continue;
        }
        next = now + nextMs;
        this.#parked.set(poll, { atMs: next, nextMs });
      }
      if (next < earliest) earliest = next;
    }
    for (const poll of woken) this.#parked.delete(poll);
    if (earliest !== Number.POSITIVE_INFINITY) this.#arm(earliest);
    this.#resumeInSlices(woken);
  }

  #resumeInSlices(woken: readonly ParkedPoll[]): void {
    this.#slices.run(woken.map((poll) => () => poll.resume()));
  }

  #arm(deadlineMs: number): void {
    this.#disarm();
    this.#timerAtMs = deadlineMs;
    this.#cancelTimer = this.#timers.after(Math.max(0, deadlineMs - this.#timers.monotonicMs()), () => this.#tick());
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
  }
}
