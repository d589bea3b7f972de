// The node thread's side of the wallets' thread: starts it when a start loads wallets or a call needs them, links it to
// the fronts, and ends it. wallet-worker.ts runs on the thread.

import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { ConfigError } from '../config/index.js';
import type { Fronts } from '../http/server.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { noteLoading } from '../lib/loading-threads.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { CallQuota, type LinkBounds } from '../link/call-quota.js';
import { FrontCounters } from '../link/front-counters.js';
import { FrontLink } from '../link/front-link.js';
import { newLink } from '../link/link.js';
import type { LinkPorts } from '../link/messages.js';
import type { Logger } from '../log/logger.js';
import { CLIENT_COUNTER, loadsAtStart } from '../wallet/node-face.js';
import type { InlineNodeClient } from './inline-node-client.js';
import { NodeClientServer } from './node-client-server.js';
import type { FromWallets, ToWallets, WalletInit } from './wallet-messages.js';

/** Time in milliseconds that getrpcinfo waits for the thread, whose ticks take milliseconds. */
const ANSWER_MS = 1_000;
/**
 * Milliseconds without an answer after which the closing thread counts as stuck. While it closes, it may process all
 * queued events in one tick.
 */
const STUCK_MS = 20_000;
/** Milliseconds after a restart of the thread within which another failure counts as repeated. */
const REPEAT_MS = 60_000;
/** Interval in milliseconds between liveness checks while the thread closes wallets. */
const CHECK_MS = 1_000;

export interface WalletThreadDeps {
  readonly client: InlineNodeClient;
  readonly log: Logger;
  readonly guard: ListenerGuard;
  readonly stopping: AbortSignal;
  /** Limits of the running calls that the node thread has passed to the wallets' thread. */
  readonly bounds: LinkBounds;
  /** Called after each call. */
  readonly onCall: (method: string, seconds: number, ok: boolean) => void;
}

/** Running calls of the thread: method, and start on this thread's monotonic clock. */
type ActiveCalls = readonly { readonly method: string; readonly startedMs: number }[];

export class WalletThread {
  readonly #options: Omit<WalletInit, 'client' | 'node' | 'again'>;
  readonly #deps: WalletThreadDeps;
  #worker: Worker | null = null;
  #exited: Promise<void> = Promise.resolve();
  readonly #asked = new Map<number, (calls: ActiveCalls | null) => void>();
  #lastAsk = 0;
  #loaded: { resolve(): void; reject(error: Error): void } | null = null;
  #closing = false;
  /** Names of the wallets that are loaded. */
  #names: readonly string[] = [];
  #startedAgainMs = Number.NEGATIVE_INFINITY;
  /** Number of ends of the thread in a row, each less than a minute after a restart. */
  #quickEnds = 0;
  #failure: Error | null = null;
  #link: FrontLink | null = null;
  #fronts: Pick<Fronts, 'linkWallets'> | undefined;
  /** V8's memory of the thread in bytes; undefined until it was reported. */
  heapBytes: number | undefined;

  constructor(options: Omit<WalletInit, 'client' | 'node' | 'again'>, deps: WalletThreadDeps) {
    this.#options = options;
    this.#deps = deps;
    deps.stopping.addEventListener('abort', () => this.#post({ kind: 'stopping' }), { once: true });
  }

  /** Link for calls that the node thread passes on. The first use starts the thread. */
  get link(): FrontLink {
    this.#link ??= this.#start();
    return this.#link;
  }

  /**
   * Starts the thread.
   * @param why the loaded wallets stay unloaded; null: load them again
   */
  #start(why: string | null = null): FrontLink {
    const { front, thread } = newLink();
    const link = new FrontLink(front, new CallQuota(this.#deps.bounds, new FrontCounters()), () => {});
    if (this.#closing) {
      // The closed link answers that the thread has ended.
      link.close();
      return link;
    }
    const { port1, port2: port } = new MessageChannel();
    const counters = new SharedArrayBuffer(CLIENT_COUNTER.COUNT * 4);
    const { facts } = new NodeClientServer(this.#deps.client, port1, new Int32Array(counters), this.#deps.guard);
    const workerData: WalletInit = {
      ...this.#options,
      client: { port, counters, facts },
      node: thread,
      again: { names: this.#names, why },
    };
    const worker = new Worker(WORKER_ENTRY.wallet, {
      name: 'adit-wallets',
      workerData,
      transferList: [port, thread.main, thread.priority],
    });
    this.#worker = worker;
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    noteLoading(Promise.race([this.#exited, new Promise<void>((resolve) => worker.once('message', () => resolve()))]));
    worker.on('message', (message: FromWallets) => this.#onMessage(message));
    worker.on('error', (error) => {
      this.#failure = error;
    });
    void this.#exited.then(() => this.#onExit());
    if (this.#deps.stopping.aborted) this.#post({ kind: 'stopping' });
    this.#linkFronts();
    return link;
  }

  /**
   * Loads the wallets of the start, if any.
   * @throws ConfigError with Core's message if one cannot be loaded
   */
  async load(): Promise<void> {
    if (!(await loadsAtStart(this.#options.options))) return;
    await new Promise<void>((resolve, reject) => {
      this.#loaded = { resolve, reject };
      this.#link ??= this.#start();
      this.#post({ kind: 'load' });
    });
  }

  /** Links the fronts to the thread once it runs. Until then the node thread passes their calls on. */
  serveFronts(fronts: Pick<Fronts, 'linkWallets'> | undefined): void {
    this.#fronts = fronts;
    if (this.#worker !== null) this.#linkFronts();
  }
  #linkFronts(): void {
    this.#fronts?.linkWallets((front, link) => this.#post({ kind: 'link', front, link }, [link.main, link.priority]));
  }

  /** Advances the scheduler of the thread (mockscheduler). */
  advance(seconds: number): void {
    this.#post({ kind: 'advance', seconds });
  }

  /** Returns the running calls; empty if the thread does not answer within a second. */
  async activeCommands(): Promise<ActiveCalls> {
    return (await this.#requestActiveCalls(ANSWER_MS)) ?? [];
  }
  /**
   * Requests the running calls.
   * @returns null if the thread does not answer in time
   */
  #requestActiveCalls(ms: number): Promise<ActiveCalls | null> {
    if (this.#worker === null) return Promise.resolve([]);
    return new Promise((resolve) => {
      const id = ++this.#lastAsk;
      const silent = setTimeout(() => this.#answer(id, null), ms);
      this.#asked.set(id, (calls) => {
        clearTimeout(silent);
        resolve(calls);
      });
      this.#post({ kind: 'active', id });
    });
  }
  #answer(id: number, calls: ActiveCalls | null): void {
    this.#asked.get(id)?.(calls);
    this.#asked.delete(id);
  }

  /**
   * Closes the wallets and ends the thread. Writing may take as long as necessary. A stuck thread is terminated;
   * acknowledged data is on disk.
   */
  async close(): Promise<void> {
    this.#closing = true;
    this.#post({ kind: 'close' });
    while (this.#worker !== null) {
      if ((await this.#requestActiveCalls(STUCK_MS)) === null) {
        this.#failure ??= new Error(`The thread of the wallets has not responded for ${STUCK_MS / 1000} seconds`);
        void this.#worker?.terminate();
        await this.#exited;
      } else await Promise.race([this.#exited, sleep(CHECK_MS)]);
    }
    this.#link?.close();
    if (this.#failure !== null) throw this.#failure;
  }

  #post(message: ToWallets, transfer: readonly LinkPorts['main'][] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  #onMessage(message: FromWallets): void {
    const { log, guard, onCall } = this.#deps;
    switch (message.kind) {
      case 'loaded':
        this.#loaded?.resolve();
        this.#loaded = null;
        break;
      case 'failed':
        this.#loaded?.reject(message.refused ? new ConfigError(message.text) : new Error(message.text));
        break;
      case 'line':
        log[message.level](message.text);
        break;
      case 'detail':
        log.debug(message.category, message.text);
        break;
      case 'ended':
        for (const [method, seconds, ok] of message.calls) onCall(method, seconds, ok);
        break;
      case 'heap':
        this.heapBytes = message.bytes;
        break;
      case 'active': {
        const now = performance.now();
        const calls = message.calls.map(({ method, ageMs }) => ({ method, startedMs: now - ageMs }));
        this.#answer(message.id, calls);
        break;
      }
      case 'wallets':
        this.#names = message.names;
        break;
      case 'fault':
        guard.failed(`wallet ${message.name}`, message.text);
        break;
      case 'closed':
        if (message.error !== null) this.#failure = new Error(message.error);
        break;
    }
  }

  #onExit(): void {
    this.#worker = null;
    for (const id of [...this.#asked.keys()]) this.#answer(id, []);
    if (this.#closing) return;
    const { guard, log, stopping } = this.#deps;
    const why = this.#failure === null ? '' : `: ${this.#failure.message}`;
    const fault = new Error(`The thread of the wallets has ended${why}`);
    guard.failed('wallets thread', this.#failure?.stack ?? fault);
    this.#failure = null;
    if (this.#loaded !== null) this.#loaded.reject(fault);
    else if (!stopping.aborted) this.#startAgain(fault, log);
  }

  /**
   * Starts the thread again and loads its wallets. After a second end within a minute the wallets stay unloaded, because
   * one of them may be the cause. After a third end the thread is not started again, and calls of wallets fail.
   */
  #startAgain({ message }: Error, log: Logger): void {
    const now = performance.now();
    this.#quickEnds = now - this.#startedAgainMs < REPEAT_MS ? this.#quickEnds + 1 : 0;
    this.#startedAgainMs = now;
    if (this.#quickEnds > 1) {
      log.error(`${message}. The node continues without wallets. Restart the node to load them again.`);
      return;
    }
    const isRepeated = this.#quickEnds === 1;
    log.error(`${message}. The node restarts it${isRepeated ? ' without its wallets' : ''}.`);
    this.#link = this.#start(isRepeated ? message : null);
  }
}
