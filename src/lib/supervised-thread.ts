// A thread that serves sockets, for as long as its owner wants it: when it ends by itself, or gives no sign of life any
// more, what it may have left is looked after, and another one takes its place at the same addresses. Clients lose their
// connections and come back.
import type { Clock } from './clock.js';
import { CHECKS_UNTIL_STUCK, type Every, timerEvery } from './watchdog.js';

/** Before the next start: at first, and at most. Pools try to connect three times, two seconds apart. */
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 60_000;

export type Addresses = readonly { readonly host: string; readonly port: number }[];

/** One life of the thread. */
export interface ListeningThread {
  readonly addresses: Addresses;
  /** Resolves as soon as the thread has a turn for the answer, or has ended. */
  alive(): Promise<void>;
  /** Ends it at once, as if it ended by itself. */
  abandon(): void;
  close(): Promise<void>;
}

export interface SupervisedThreadDeps<T extends ListeningThread> {
  /** What lines in the log begin with. */
  readonly name: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: { info(text: string): void; error(text: string): void };
  /** Calls back once after so many milliseconds; the result cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** When it is asked for a sign of life; a timer unless a test brings its own. */
  readonly every?: Every | undefined;
  /**
   * Starts the thread.
   * @param addresses of the one before, null at first
   * @param onEnd to be called once when the thread ends by itself after it was started
   * @param givenUp when it takes too long, or is not wanted any more: the start fails then
   * @throws Error with the socket's text when an address does not work
   */
  readonly start: (addresses: Addresses | null, onEnd: (reason: Error) => void, givenUp: AbortSignal) => Promise<T>;
  /** The thread has ended; the next one starts when this is done. */
  readonly ended: () => Promise<void>;
  /** Another one listens, which knows nothing of what the last one was told. */
  readonly startedAgain: () => void;
}

/** A timer for `after`. */
export function timerAfter(ms: number, run: () => void): () => void {
  // Node's timers take 31 bits.
  const timer = setTimeout(run, Math.min(ms, 0x7fffffff));
  timer.unref();
  return () => clearTimeout(timer);
}

export class SupervisedThread<T extends ListeningThread> implements Pick<ListeningThread, 'addresses' | 'close'> {
  readonly #deps: SupervisedThreadDeps<T>;
  #thread: T | null = null;
  #startedMs = 0;
  #waitMs = FIRST_WAIT_MS;
  #cancel: (() => void) | null = null;
  #stopWatchdog = (): void => {};
  /** Another start is under way. */
  #starting: Promise<void> | null = null;
  /** Ends the start under way. */
  #giveUp: AbortController | null = null;
  #closed = false;

  private constructor(deps: SupervisedThreadDeps<T>) {
    this.#deps = deps;
  }

  /** @throws Error with the socket's text when an address does not work */
  static async start<T extends ListeningThread>(deps: SupervisedThreadDeps<T>): Promise<SupervisedThread<T>> {
    const kept = new SupervisedThread(deps);
    await kept.#start(null);
    return kept;
  }

  /** The thread that runs now; null between two. */
  get current(): T | null {
    return this.#thread;
  }

  /** None while there is no thread. */
  get addresses(): Addresses {
    return this.#thread?.addresses ?? [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    this.#giveUp?.abort();
    await this.#starting;
    this.#stopWatchdog();
    await this.#thread?.close();
    this.#thread = null;
  }

  async #start(addresses: Addresses | null): Promise<void> {
    const { name, log, start, every = timerEvery } = this.#deps;
    const giveUp = new AbortController();
    this.#giveUp = giveUp;
    let looks = 0;
    const lookNoMore = every(() => {
      if (++looks !== CHECKS_UNTIL_STUCK) return;
      log.error(`${name}: the thread that serves clients does not start, and is ended`);
      giveUp.abort();
    });
    let thread: T;
    try {
      thread = await start(addresses, (reason) => this.#onEnd(reason, thread.addresses), giveUp.signal);
    } finally {
      lookNoMore();
      this.#giveUp = null;
    }
    this.#thread = thread;
    this.#startedMs = this.#deps.clock.monotonicMs();
    this.#watchLiveness(thread);
  }

  #watchLiveness(thread: T): void {
    const { name, log, every = timerEvery } = this.#deps;
    let isAsked = false;
    let looks = 0;
    this.#stopWatchdog = every(() => {
      if (isAsked && ++looks === CHECKS_UNTIL_STUCK) {
        log.error(`${name}: the thread that serves clients does not answer, and is ended`);
        thread.abandon();
      }
      if (isAsked) return;
      isAsked = true;
      looks = 0;
      void thread.alive().then(() => {
        isAsked = false;
      });
    });
  }

  #onEnd(reason: Error, addresses: Addresses): void {
    const { name, log, ended, clock } = this.#deps;
    this.#thread = null;
    this.#stopWatchdog();
    if (clock.monotonicMs() - this.#startedMs > MOST_WAIT_MS) this.#waitMs = FIRST_WAIT_MS;
    log.error(`${name}: the thread that serves clients ended: ${reason.message}. It is started again.`);
    ended()
      .catch((fault: Error) => log.error(`${name}: ${fault.message}`))
      .finally(() => this.#startAgain(addresses));
  }

  #startAgain(addresses: Addresses): void {
    if (this.#closed) return;
    const { name, after, log, startedAgain } = this.#deps;
    this.#cancel = after(this.#waitMs, () => {
      this.#starting = this.#start(addresses)
        .then(() => {
          if (this.#closed) return;
          log.info(`${name}: clients are served again`);
          startedAgain();
        })
        .catch((error: Error) => {
          if (this.#closed) return;
          log.error(`${name}: clients cannot be served: ${error.message}`);
          this.#startAgain(addresses);
        });
    });
    this.#waitMs = Math.min(2 * this.#waitMs, MOST_WAIT_MS);
  }
}
