// The serving thread for as long as the node runs: when it ends by itself, what it may have left is looked after, and
// another one takes its place at the same addresses. Clients lose their connections and come back.
import type { Clock } from '../../lib/clock.js';
import type { Logger } from '../../log/logger.js';
import type { ClientInfo, ServeOptions, ToServe } from './messages.js';
import { type ServeNews, type ServingThread, startServe } from './start-serve.js';

/** Before the next start: at first, and at most. Pools try to connect three times, two seconds apart. */
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 60_000;

export interface KeptThreadDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Calls back once after so many milliseconds; the result cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  readonly heard: (message: ServeNews) => void;
  /** The thread has ended; the next one starts when this is done. */
  readonly ended: () => Promise<void>;
  /** Another one listens, which knows nothing of what the last one was told. */
  readonly startedAgain: () => void;
  /** The thread's module; workers/sv2.js unless a test brings its own. */
  readonly entry?: URL | undefined;
}

export class KeptThread {
  readonly #options: ServeOptions;
  readonly #deps: KeptThreadDeps;
  #thread: ServingThread | null = null;
  #startedMs = 0;
  #waitMs = FIRST_WAIT_MS;
  #cancel: (() => void) | null = null;
  /** Another start is under way. */
  #starting: Promise<void> | null = null;
  #closed = false;

  private constructor(options: ServeOptions, deps: KeptThreadDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** @throws Error with the socket's text when an address does not work */
  static async start(options: ServeOptions, deps: KeptThreadDeps): Promise<KeptThread> {
    const kept = new KeptThread(options, deps);
    await kept.#start(options.binds);
    return kept;
  }

  /** None while there is no thread. */
  get addresses(): ServingThread['addresses'] {
    return this.#thread?.addresses ?? [];
  }

  /** Lost while there is no thread. */
  post(message: ToServe): void {
    this.#thread?.post(message);
  }

  clients(): Promise<readonly ClientInfo[]> {
    return this.#thread?.clients() ?? Promise.resolve([]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#starting;
    await this.#thread?.close();
    this.#thread = null;
  }

  async #start(binds: ServeOptions['binds']): Promise<void> {
    const { heard, entry } = this.#deps;
    const thread = await startServe({ ...this.#options, binds }, heard, (reason) => this.#onEnd(reason, thread.addresses), entry);
    this.#thread = thread;
    this.#startedMs = this.#deps.clock.monotonicMs();
  }

  #onEnd(reason: Error, binds: ServeOptions['binds']): void {
    const { log, ended, clock } = this.#deps;
    this.#thread = null;
    if (clock.monotonicMs() - this.#startedMs > MOST_WAIT_MS) this.#waitMs = FIRST_WAIT_MS;
    log.error(`Stratum V2: the thread that serves clients ended: ${reason.message}. It is started again.`);
    ended()
      .catch((fault: Error) => log.error(`Stratum V2: ${fault.message}`))
      .finally(() => this.#startAgain(binds));
  }

  #startAgain(binds: ServeOptions['binds']): void {
    if (this.#closed) return;
    const { after, log, startedAgain } = this.#deps;
    this.#cancel = after(this.#waitMs, () => {
      this.#starting = this.#start(binds)
        .then(() => {
          if (this.#closed) return;
          log.info('Stratum V2: clients are served again');
          startedAgain();
        })
        .catch((error: Error) => {
          log.error(`Stratum V2: clients cannot be served: ${error.message}`);
          this.#startAgain(binds);
        });
    });
    this.#waitMs = Math.min(2 * this.#waitMs, MOST_WAIT_MS);
  }
}
