// The node thread's side of the HTTP server: starts front threads, publishes tips and templates to them, runs their
// calls, and stops them. After publishTip() the caller must increment the epoch of the shared state before it replies
// to the client that submitted the block.

import { MessageChannel, Worker } from 'node:worker_threads';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { endWhenGivenUp, noteLoading } from '../lib/loading-threads.js';
import { type ListeningThread, SupervisedThread, timerAfter } from '../lib/supervised-thread.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { CallLinks, type CallLinksStats, type TemplateAnswer } from '../link/call-links.js';
import { FrontCounters, type FrontFigures } from '../link/front-counters.js';
import { newLink } from '../link/link.js';
import type { FrontNews, LinkPorts, NodeNews, WorkedTip } from '../link/messages.js';
import type { ExecuteBody } from '../link/running-call.js';
import { type SharedState, STATE_FLAG } from '../link/shared-state.js';
import type { SlabRing, SlabStats } from '../link/slab-ring.js';
import type { Logger } from '../log/logger.js';
import { RPC_CODE, RpcError } from '../rpc/errors.js';
import type { TemplateFacts } from '../template/index.js';
import { bindFault } from './bind-fault.js';
import type { FrontInit } from './front/start-front.js';
import type { HttpOptions } from './options.js';

/** Source of templates (src/template/service.ts). */
export interface TemplatePublisher {
  /** Returns a template of the current tip. Builds one if the last one is too old; concurrent callers share a build. */
  refresh(): Promise<TemplateFacts>;
  current(): TemplateFacts | null;
  onPublish(listener: (facts: TemplateFacts) => void, name: string): unknown;
}

/** Dependencies of the server. */
export interface FrontsDeps {
  readonly execute: ExecuteBody;
  readonly templates: TemplatePublisher;
  readonly state: SharedState;
  readonly slabs: SlabRing;
  readonly params: ChainParams;
  readonly logger: Logger;
  /** Start of the process in seconds since 1970. */
  readonly startedSeconds: number;
  readonly tip: WorkedTip;
  /** Text of -28 replies until setWarmup(null) is called; null if the node is ready. */
  readonly warmup?: string | null;
  /** A thread that uses a link like a front but serves no sockets (src/fleet). */
  readonly remote?: RemoteThread | null;
}

/** A thread that uses a link like a front but serves no sockets. The server restarts the thread when it ends. */
export interface RemoteThread {
  readonly entry: URL;
  readonly name: string;
  /** Returns the figures of the thread, for stats(). */
  readonly figures: () => Record<string, number>;
  /** Options of the thread; it receives them as member `remote` of its workerData. */
  readonly options: unknown;
}

/** Figures of all fronts. */
export interface FrontsStats {
  readonly fronts: readonly FrontFigures[];
  readonly link: CallLinksStats;
  readonly slabs: SlabStats;
  readonly waiters: number;
  readonly evictedReaders: number;
  /** Figures of the thread without sockets; undefined if there is none. */
  readonly remote: Record<string, number> | undefined;
}

/** The running HTTP server. */
export interface Fronts {
  /** Addresses on which the server listens: one per configured address that worked. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  publishTip(tip: WorkedTip): void;
  /**
   * Posts a template to every front. A second call with the same template does nothing. Templates that deps.templates
   * publishes are posted automatically.
   */
  publishTemplate(facts: TemplateFacts): void;
  /**
   * Creates a link from every front to the wallets' thread.
   * @param take receives the wallets' thread's end of each link, with the number of the front
   */
  linkWallets(take: (front: number, link: LinkPorts) => void): void;
  setWarmup(text: string | null): void;
  /**
   * Gives records of shares to the thread without sockets, which publishes them on the broker.
   * @returns false if the broker may not have them
   */
  publishShares(records: Uint8Array): Promise<boolean>;
  stats(): FrontsStats;
  /**
   * Makes fronts answer new requests with 503 and parked long polls with -9, and close connections after their replies.
   */
  stopAccepting(): void;
  /** Waits for calls in progress, at most `graceMs`, then closes all sockets and threads. */
  close(graceMs?: number): Promise<void>;
}

/** Error: no address could be bound, or a front did not start. The message is what Core prints after `Error: `. */
export class HttpStartError extends Error {
  /** Marks an error that the operator can fix: only its message is shown. */
  readonly code = 'HTTP_START';
  constructor(message = 'Unable to start HTTP server. See debug log for details.') {
    super(message);
    this.name = 'HttpStartError';
  }
}

// Limit of a front's bodies in progress on other threads, as a multiple of the largest body.
const LINK_BODIES = 4;
const CLOSE_GRACE_MS = 10_000;
const EXIT_GRACE_MS = 3_000;

/** Starts the fronts and listens. @throws HttpStartError if no address can be bound, or if a front ends before the server listens */
export async function createFronts(options: HttpOptions, deps: FrontsDeps): Promise<Fronts> {
  const server = new FrontServer(options, deps);
  try {
    await server.start();
  } catch (error) {
    await server.close(0);
    throw error;
  }
  return server;
}

interface FrontHandle {
  readonly worker: Worker;
  readonly counters: FrontCounters;
  readonly leases: SharedArrayBuffer;
  readonly exited: Promise<void>;
  /** Resolves when the thread has sent its first message. */
  readonly ready: Promise<void>;
  readonly loaded: () => void;
  drained: boolean;
  ended: boolean;
  /** Why the thread ended, if known. */
  reason: Error | null;
}

class FrontServer implements Fronts {
  readonly #options: HttpOptions;
  readonly #deps: FrontsDeps;
  readonly #links: CallLinks;
  readonly #fronts: FrontHandle[] = [];
  readonly #seen = new WeakSet<TemplateFacts>();
  #remote: SupervisedThread<ListeningThread> | null = null;
  /** Current tip and template, for a thread that starts later. */
  #tip: WorkedTip;
  #template: FrontNews | null = null;
  /** Shares that the thread without sockets has not published yet, by number. */
  readonly #shares = new Map<number, (published: boolean) => void>();
  #lastShares = 0;
  readonly #awaited: { news: NodeNews['news']; count: number; done: () => void }[] = [];
  #ports: readonly (number | null)[] = [];
  #warmup: string | null;
  #evicted = 0;
  #stopping = false;
  #closing: Promise<void> | null = null;
  addresses: { host: string; port: number }[] = [];

  constructor(options: HttpOptions, deps: FrontsDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#warmup = deps.warmup ?? null;
    this.#tip = deps.tip;
    this.#links = new CallLinks({
      execute: deps.execute,
      askTemplate: () => this.#refreshTemplate(),
      onNews: (front, news) => this.#onNews(front, news),
      onFault: (what, error) => deps.logger.error(`HTTP: The ${what} failed. ${error instanceof Error ? error.stack : error}`),
    });
    deps.slabs.onGrow = (slab) => this.#links.postNewsToAll({ news: 'slab', slab });
    deps.slabs.onExhausted = (index) => this.#links.postNewsToAll({ news: 'evict', index });
  }

  async start(): Promise<void> {
    const { remote = null } = this.#deps;
    const ready = this.#wait('ready', this.#options.fronts);
    const entry = WORKER_ENTRY.front;
    for (let index = 0; index < this.#options.fronts; index++) this.#spawn(index, { entry, name: `adit-front-${index}`, options: null });
    const supervised = remote ? this.#superviseRemote(remote) : null;
    this.#deps.templates.onPublish((facts) => this.publishTemplate(facts), 'fronts');
    const current = this.#deps.templates.current();
    if (current) this.publishTemplate(current);
    [this.#remote] = await Promise.all([supervised, ready]);
    this.#assertRunning();
    const listening = this.#wait('listening', 1);
    const others = Array.from({ length: this.#options.fronts - 1 }, () => new MessageChannel());
    for (const [i, { port2 }] of others.entries()) this.#links.postNews(i + 1, { news: 'deal', sockets: port2 }, [port2]);
    const ports = others.map(({ port1 }) => port1);
    this.#links.postNews(0, { news: 'listen', others: ports }, ports);
    await listening;
    this.#assertRunning();
    const faults: string[] = [];
    for (const [i, { host, port }] of this.#options.binds.entries()) {
      const bound = this.#ports[i];
      if (bound) this.addresses.push({ host, port: bound });
      else {
        const fault = `Binding RPC on address ${host} port ${port} failed: ${await bindFault(host, port)}.`;
        this.#deps.logger.warn(fault);
        faults.push(fault);
      }
    }
    if (this.addresses.length > 0) return;
    this.#deps.logger.error('Unable to bind any endpoint for RPC server');
    throw new HttpStartError(`Unable to start HTTP server. ${faults.join(' ')} Choose another -rpcport or -rpcbind.`);
  }

  /**
   * Throws if a front has ended during the start. If the first front has ended, the server would wait for ever. If any
   * other front has ended, the first front would pass clients to a thread that does not exist.
   */
  #assertRunning(): void {
    if (this.#fronts.some(({ ended }) => ended)) throw new HttpStartError();
  }

  publishTip(tip: WorkedTip): void {
    this.#tip = tip;
    this.#links.postNewsToAll({ news: 'tip', tip: { ...tip, epoch: (this.#deps.state.epoch + 1) | 0 } });
  }

  publishTemplate(facts: TemplateFacts): void {
    if (this.#seen.has(facts)) return;
    this.#seen.add(facts);
    const slab = facts.slabIndex < 0 ? null : this.#deps.slabs.publish({ index: facts.slabIndex });
    this.#template = { news: 'template', facts, slab };
    this.#links.postNewsToAll(this.#template);
  }

  linkWallets(take: (front: number, link: LinkPorts) => void): void {
    for (let index = 0; index < this.#options.fronts; index++) {
      if (this.#fronts[index].ended) continue;
      const { front, thread } = newLink();
      this.#links.postNews(index, { news: 'wallets', link: front }, [front.main, front.priority]);
      take(index, thread);
    }
  }

  setWarmup(text: string | null): void {
    this.#warmup = text;
    if (text === null) this.#deps.state.set(STATE_FLAG.STARTED, true);
    else this.#links.postNewsToAll({ news: 'warmup', text });
  }

  publishShares(records: Uint8Array): Promise<boolean> {
    const index = this.#options.fronts;
    if (this.#fronts[index]?.ended !== false || this.#closing) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#shares.set(++this.#lastShares, resolve);
      this.#links.postNews(index, { news: 'shares', number: this.#lastShares, records });
    });
  }

  #endShares(number: number, published: boolean): void {
    this.#shares.get(number)?.(published);
    this.#shares.delete(number);
  }

  stats(): FrontsStats {
    const fronts = this.#fronts.slice(0, this.#options.fronts).map((front) => front.counters.read());
    const waiters = fronts.reduce((sum, front) => sum + front.waiters, 0);
    return {
      fronts,
      link: this.#links.stats(),
      slabs: this.#deps.slabs.stats(),
      waiters,
      evictedReaders: this.#evicted,
      remote: this.#deps.remote?.figures(),
    };
  }

  stopAccepting(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#deps.state.set(STATE_FLAG.SHUTTING_DOWN, true);
    // The thread without sockets ends with all others and is not restarted.
    void this.#remote?.close();
    this.#links.postNewsToAll({ news: 'drain' });
  }

  close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    const undrained = this.#fronts.filter((front) => !front.drained).length;
    const drained = this.#wait('drained', undrained);
    this.stopAccepting();
    if (graceMs > 0) await within(drained, graceMs);
    this.#links.postNews(0, { news: 'stopListening' });
    this.#links.postNewsToAll({ news: 'close' });
    const exited = Promise.all(this.#fronts.map((front) => front.exited));
    if (!(await within(exited, EXIT_GRACE_MS))) {
      this.#deps.logger.warn('A front thread did not end in time.');
      for (const { worker } of this.#fronts) worker.unref();
    }
    for (const index of this.#fronts.keys()) this.#links.remove(index);
  }

  /** Posts a template of the current tip to every front, unless the fronts already have that template. */
  async #refreshTemplate(): Promise<TemplateAnswer> {
    try {
      this.publishTemplate(await this.#deps.templates.refresh());
      return { code: 0, text: '' };
    } catch (error) {
      return this.#templateError(error);
    }
  }

  #templateError(error: unknown): TemplateAnswer {
    if (error instanceof RpcError) return { code: error.code, text: error.message };
    const text = error instanceof Error ? error.message : String(error);
    if ((error as { code?: string }).code === 'CLOCK_BEHIND') return { code: RPC_CODE.MISC_ERROR, text };
    this.#deps.logger.error(`Unable to build a template: ${error instanceof Error ? error.stack : text}`);
    return { code: RPC_CODE.MISC_ERROR, text };
  }

  /**
   * Starts the thread without sockets, and restarts it whenever it ends.
   * @throws HttpStartError if it ends before it is ready for the first time
   */
  #superviseRemote(remote: RemoteThread): Promise<SupervisedThread<ListeningThread>> {
    const index = this.#options.fronts;
    let leases: SharedArrayBuffer;
    return SupervisedThread.start<ListeningThread>({
      name: remote.name,
      clock: { monotonicMs: () => performance.now() },
      log: this.#deps.logger,
      after: timerAfter,
      start: async (_, onEnd, givenUp) => {
        const front = this.#spawn(index, remote);
        const { worker, exited, ready } = front;
        leases = front.leases;
        const begun = Promise.race([ready, exited]);
        let runs = false;
        endWhenGivenUp(givenUp, begun, () => runs || worker.terminate());
        await begun;
        runs = !front.ended;
        if (front.ended) throw front.reason ?? new Error('the thread ended');
        if (this.#template !== null) this.#links.postNews(index, this.#template);
        void exited.then(() => {
          if (!this.#closing) onEnd(front.reason ?? new Error('the thread ended'));
        });
        const alive = (): Promise<void> => {
          const answered = this.#wait('alive', 1);
          this.#links.postNews(index, { news: 'alive' });
          return answered;
        };
        return { addresses: [], alive, abandon: () => void worker.terminate(), close: () => exited };
      },
      ended: async () => this.#deps.slabs.endLeases(leases),
      startedAgain: () => {},
    }).catch(() => {
      throw new HttpStartError();
    });
  }

  #spawn(index: number, { entry, name, options }: Omit<RemoteThread, 'figures'>): FrontHandle {
    const link = newLink();
    const counters = new FrontCounters();
    const { state, slabs, params, startedSeconds } = this.#deps;
    const leases = new SharedArrayBuffer(slabs.slabs.length * 4);
    const init: FrontInit = {
      index,
      options: this.#options,
      params,
      startedSeconds,
      state: state.buffer,
      counters: counters.buffer,
      slabControl: slabs.control,
      slabs: slabs.slabs,
      leases,
      tip: { ...this.#tip, epoch: state.epoch },
      warmup: this.#warmup,
      linkBytes: LINK_BODIES * this.#options.bodyLimit,
      link: link.front,
    };
    const worker = new Worker(entry, {
      name,
      workerData: { ...init, remote: options },
      transferList: [link.front.main, link.front.priority],
    });
    worker.on('error', (error) => {
      front.reason = error;
      this.#deps.logger.error(`Front ${index} ended: ${error.stack ?? error.message}`);
    });
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    void exited.then(() => this.#onExit(front, index));
    let loaded = (): void => {};
    const ready = new Promise<void>((resolve) => {
      loaded = resolve;
    });
    noteLoading(Promise.race([ready, exited]));
    const life = { drained: false, ended: false, reason: null };
    const front: FrontHandle = { worker, counters, leases, exited, ready, loaded, ...life };
    this.#fronts[index] = front;
    // The thread without sockets sends replies to other machines, which have no block files.
    this.#links.add(index, link.thread, options === null);
    return front;
  }

  #onNews(index: number, news: NodeNews): void {
    switch (news.news) {
      case 'ready':
        this.#fronts[index].loaded();
        break;
      case 'listening':
        this.#ports = news.ports;
        break;
      case 'drained':
        this.#fronts[index].drained = true;
        break;
      case 'evicted':
        this.#evicted += news.count;
        this.#deps.slabs.retryWaiting();
        break;
      case 'shares':
        this.#endShares(news.number, news.published);
        break;
      case 'notice':
        this.#deps.logger[news.level](news.text);
        break;
      case 'detail':
        this.#deps.logger.debug(news.category, news.text);
        break;
      default:
    }
    this.#arrived(news.news);
  }

  /**
   * Handles the end of a front. A front that ends by itself sends no more news, so every wait for news of all fronts
   * continues without this front.
   */
  #onExit(front: FrontHandle, index: number): void {
    front.drained = true;
    front.ended = true;
    if (index === this.#options.fronts) for (const number of this.#shares.keys()) this.#endShares(number, false);
    if (this.#closing) return;
    this.#deps.logger.error(`Front ${index} ended unexpectedly.`);
    this.#links.remove(index);
    for (const { news } of [...this.#awaited]) this.#arrived(news);
  }

  #wait(news: NodeNews['news'], count: number): Promise<void> {
    if (count === 0) return Promise.resolve();
    return new Promise((done) => this.#awaited.push({ news, count, done }));
  }

  #arrived(news: NodeNews['news']): void {
    for (const waiting of [...this.#awaited]) {
      if (waiting.news !== news || --waiting.count > 0) continue;
      this.#awaited.splice(this.#awaited.indexOf(waiting), 1);
      waiting.done();
    }
  }
}

/** Returns whether the promise was fulfilled within `ms` milliseconds. */
async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const result = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return result;
}
