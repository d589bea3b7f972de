// Keeps a thread that serves sockets running until its owner closes it. If the thread ends or no longer answers, the
// supervisor releases what the thread held and starts another one at the same addresses. Clients lose their connections
// and reconnect.
import type { Clock } from './clock.js';
import { CHECKS_UNTIL_STUCK, type Every, timerEvery } from './watchdog.js';

/**
 * First and longest wait before a restart. The wait doubles after each failed start. Pools try to connect three times,
 * two seconds apart.
 */
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 60_000;

export type Addresses = readonly { readonly host: string; readonly port: number }[];

export interface ListeningThread {
  readonly addresses: Addresses;
  /** Resolves when the thread has answered, or has ended. */
  alive(): Promise<void>;
  /** Ends the thread at once. The supervisor restarts it. */
  abandon(): void;
  close(): Promise<void>;
}

export interface SupervisedThreadDeps<T extends ListeningThread> {
  /** Prefix of log lines. */
  readonly name: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: { info(text: string): void; error(text: string): void };
  /** Calls `run` once after `ms` milliseconds. Returns a function that cancels the call. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Calls back at each check of the watchdog. Default: a timer. */
  readonly every?: Every | undefined;
  /**
   * Starts the thread.
   * @param addresses where the previous thread listened; null at the first start
   * @param onEnd called by the implementation, once, when the started thread ends by itself
   * @param givenUp aborted when the start takes too long or the owner closes; the start must fail then
   * @throws Error with the socket's text when the thread cannot listen on an address
   */
  readonly start: (addresses: Addresses | null, onEnd: (reason: Error) => void, givenUp: AbortSignal) => Promise<T>;
  /** Called when the thread has ended. The next thread starts after the promise has resolved. */
  readonly ended: () => Promise<void>;
  /** Called when another thread listens. It has none of the previous thread's state. */
  readonly startedAgain: () => void;
}

/** Calls `run` after `ms` milliseconds. Returns a function that cancels the call. */
export function timerAfter(ms: number, run: () => void): () => void {
  // Node.js's timers accept at most 31 bits.
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
  /** The restart in progress. */
  #starting: Promise<void> | null = null;
  /** Aborts the start in progress. */
  #giveUp: AbortController | null = null;
  #closed = false;

  private constructor(deps: SupervisedThreadDeps<T>) {
    this.#deps = deps;
  }

  /** Starts the first thread. @throws Error with the socket's text when an address does not work */
  static async start<T extends ListeningThread>(deps: SupervisedThreadDeps<T>): Promise<SupervisedThread<T>> {
    const supervised = new SupervisedThread(deps);
    await supervised.#start(null);
    return supervised;
  }

  /** The running thread; null between two threads. */
  get current(): T | null {
    return this.#thread;
  }

  /** Addresses of the running thread; empty while there is none. */
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
      log.error(`${name}: The thread that serves clients does not start. adit terminates it.`);
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
        log.error(`${name}: The thread that serves clients does not respond. adit terminates it.`);
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
    log.error(`${name}: The thread that serves clients ended: ${reason.message}. adit restarts it.`);
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
          log.info(`${name}: Clients are served again.`);
          startedAgain();
        })
        .catch((error: Error) => {
          if (this.#closed) return;
          log.error(`${name}: Unable to serve clients: ${error.message}`);
          this.#startAgain(addresses);
        });
    });
    this.#waitMs = Math.min(2 * this.#waitMs, MOST_WAIT_MS);
  }
}
