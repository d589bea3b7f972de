// Connections whose sockets are on the peers' thread: the node thread's side. The peers' thread does what needs bytes
// alone (sockets, key exchange, encryption, framing, checksums), and the node thread gets whole messages in bundles. If
// the thread dies, all connections are lost, and another thread listens at the same ports soon after.
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../lib/clock.js';
import { endWhenGivenUp, noteLoading } from '../../lib/loading-threads.js';
import { type ListeningThread, SupervisedThread, type SupervisedThreadDeps, timerAfter } from '../../lib/supervised-thread.js';
import { WORKER_ENTRY } from '../../lib/worker-entries.js';
import type { Logger } from '../../log/logger.js';
import type { ConnectionSettings } from '../peer/inline-connection-factory.js';
import type {
  ConnectionFactory,
  Endpoint,
  IncomingConnection,
  NewConnection,
  PeerConnectionOptions,
  SocksProxy,
} from '../peer/peer-connection.js';
import type { Traffic } from '../peer/traffic.js';
import { type PackedMessage, packedBytes, packMessages } from './bundle.js';
import { type ConnectionEnds, type Delivery, Figures, type ThreadInit, type ToNode, type ToThread } from './messages.js';
import { partBytes, ThreadedConnection } from './threaded-connection.js';

/** Milliseconds after which a thread that does not end by itself is terminated. */
const CLOSE_MS = 3_000;
/** Milliseconds between attempts to listen on a port that another program has taken. */
const LISTEN_AGAIN_MS = 5_000;

/** A listener, which is opened again for each new thread. */
interface Listener {
  /** Address of the listener. A port of 0 is replaced by the port that the system chose. */
  at: Endpoint;
  readonly onConnection: (incoming: IncomingConnection) => void;
  /** Promise of the caller; null once it was resolved. */
  answer: { resolve(port: number): void; reject(error: Error): void } | null;
}

export interface ThreadedConnectionSettings extends ConnectionSettings {
  /** True if encrypted connections are possible. */
  readonly encrypts: boolean;
}

export interface ThreadedConnectionFactoryDeps extends Partial<Pick<SupervisedThreadDeps<ThreadLife>, 'after' | 'every'>> {
  readonly traffic: Traffic;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
  /** Called when another thread has started, so that connections may be opened again. */
  readonly startedAgain: () => void;
  /** Entry module of the thread; workers/peers.js unless a test brings its own. */
  readonly entry?: URL;
}

export class ThreadedConnectionFactory implements ConnectionFactory {
  /** Thread supervisor, from the first listener or outbound connection on. */
  #thread: Promise<SupervisedThread<ThreadLife>> | null = null;
  /** The current thread. */
  #life: ThreadLife | null = null;
  readonly #listeners = new Set<Listener>();
  readonly #closed = new AbortController();
  readonly #settings: ThreadedConnectionSettings;
  readonly #deps: ThreadedConnectionFactoryDeps;

  constructor(settings: ThreadedConnectionSettings, deps: ThreadedConnectionFactoryDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** True if a thread runs, or if no listener or connection has needed a thread yet. */
  get ready(): boolean {
    return this.#thread === null || this.#life !== null;
  }

  async listen({ host, port }: Endpoint, onConnection: Listener['onConnection']): Promise<number> {
    return new Promise((resolve, reject) => {
      const listener: Listener = { at: { host, port }, onConnection: onConnection, answer: { resolve, reject } };
      this.#listeners.add(listener);
      // A starting thread opens all listeners itself.
      if (this.#life !== null) void this.#attach(this.#life, listener);
      else
        this.#running().catch((error: Error) => {
          this.#listeners.delete(listener);
          listener.answer?.reject(error);
        });
    });
  }

  async open(where: Endpoint, proxy: SocksProxy | null, timeoutMs: number): Promise<{ connection: NewConnection; bindText: string }> {
    await this.#running();
    if (this.#life === null) throw new Error("the peers' thread is being restarted");
    return this.#life.open(where, proxy, timeoutMs);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const thread = await this.#thread?.catch(() => null);
    await thread?.close();
  }

  /** Starts the supervisor. @throws Error if no thread can be started at all; the next caller tries again */
  #running(): Promise<unknown> {
    this.#thread ??= this.#start().catch((error: Error) => {
      this.#thread = null;
      this.#deps.log.error(`The peers' thread cannot be started: ${error.message}`);
      throw error;
    });
    return this.#thread;
  }

  #start(): Promise<SupervisedThread<ThreadLife>> {
    const { traffic, clock, log, startedAgain, after = timerAfter, every, entry = WORKER_ENTRY.peers } = this.#deps;
    return SupervisedThread.start({
      name: 'Peers',
      clock,
      log,
      after,
      every,
      start: async (_, onEnd, givenUp) => {
        traffic.forgetOther();
        const ended = (reason: Error): void => {
          this.#life = null;
          onEnd(reason);
        };
        const life = await ThreadLife.start(
          entry,
          this.#settings,
          { traffic, log, onEnd: ended },
          AbortSignal.any([givenUp, this.#closed.signal]),
        );
        this.#life = life;
        for (const listener of this.#listeners) void this.#attach(life, listener);
        return life;
      },
      ended: async () => traffic.forgetOther(),
      startedAgain,
    });
  }

  /** Opens a listener on a started thread. Retries if another program took the port while no thread was running. */
  async #attach(life: ThreadLife, listener: Listener): Promise<void> {
    const { host } = listener.at;
    try {
      const port = await life.listen(listener.at, listener.onConnection);
      listener.at = { host, port };
      listener.answer?.resolve(port);
      listener.answer = null;
    } catch (error) {
      // The next thread opens the listener.
      if (life.ended) return;
      if (listener.answer !== null) {
        this.#listeners.delete(listener);
        listener.answer.reject(error as Error);
        return;
      }
      const { log, after = timerAfter } = this.#deps;
      log.warn(
        `Cannot listen on ${host}:${listener.at.port} after the restart of the peers' thread: ${(error as Error).message}. Retrying.`,
      );
      after(LISTEN_AGAIN_MS, () => {
        if (this.#life === life) void this.#attach(life, listener);
      });
    }
  }
}

interface LifeDeps {
  readonly traffic: Traffic;
  readonly log: Logger;
  readonly onEnd: (reason: Error) => void;
}

type Answer = ToNode & { readonly kind: 'listening' | 'opened' };

/** The peers' thread from one start to its end. A thread that died is followed by another instance. */
class ThreadLife implements ListeningThread {
  readonly addresses = [];
  readonly #worker: Worker;
  readonly #loaded: Promise<void>;
  readonly #exited: Promise<void>;
  readonly #settings: ThreadedConnectionSettings;
  readonly #deps: LifeDeps;
  readonly #connections = new Map<number, ThreadedConnection>();
  /** Promises by the number of the request. */
  readonly #asked = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  readonly #listeners = new Map<number, Listener['onConnection']>();
  #signs: (() => void)[] = [];
  #lastId = 0;
  #reason: Error | null = null;
  #started = false;
  #closing = false;
  #ended = false;
  /** Messages to post at the end of the current tick. */
  #outbox: PackedMessage[] = [];
  #outboxBytes = 0;
  readonly #more = new Set<number>();
  #spares: ArrayBuffer[] = [];

  /** @throws Error if the thread ends before it has started */
  static async start(entry: URL, settings: ThreadedConnectionSettings, deps: LifeDeps, givenUp: AbortSignal): Promise<ThreadLife> {
    const life = new ThreadLife(entry, settings, deps);
    endWhenGivenUp(givenUp, life.#loaded, () => {
      if (!life.#started) life.abandon();
    });
    await life.#loaded;
    if (life.#ended) throw life.#reason;
    life.#started = true;
    return life;
  }

  private constructor(entry: URL, settings: ThreadedConnectionSettings, deps: LifeDeps) {
    this.#settings = settings;
    this.#deps = deps;
    const workerData: ThreadInit = { ...settings, traffic: deps.traffic.buffer };
    this.#worker = new Worker(entry, { name: 'adit-peers', workerData });
    this.#worker.on('message', (message: ToNode) => this.#onMessage(message));
    this.#worker.on('error', (error: Error) => {
      this.#reason = error;
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#reason ??= new Error(`it ended with code ${code}`);
        this.#onExit(this.#reason);
        resolve();
      });
    });
    this.#loaded = this.#nextSign();
    noteLoading(this.#loaded);
  }

  /** Resolves with the next sign of life, or when the thread has ended. */
  #nextSign(): Promise<void> {
    return this.#ended ? Promise.resolve() : new Promise((resolve) => this.#signs.push(resolve));
  }

  #onExit(reason: Error): void {
    this.#ended = true;
    for (const { reject } of this.#asked.values()) reject(endedBy(reason));
    this.#asked.clear();
    for (const connection of [...this.#connections.values()]) connection.onClosed();
    for (const given of this.#signs.splice(0)) given();
    if (this.#started && !this.#closing) this.#deps.onEnd(reason);
  }

  get ended(): boolean {
    return this.#ended;
  }

  alive(): Promise<void> {
    this.#post({ kind: 'alive' });
    return this.#nextSign();
  }

  abandon(): void {
    void this.#worker.terminate();
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#post({ kind: 'end' });
    const late = setTimeout(() => void this.#worker.terminate(), CLOSE_MS);
    await this.#exited;
    clearTimeout(late);
  }

  /** @returns the port @throws Error with the system's code, or without one if the thread ends */
  async listen(at: Endpoint, onConnection: Listener['onConnection']): Promise<number> {
    const id = ++this.#lastId;
    this.#listeners.set(id, onConnection);
    const answer = await this.#request(id, { kind: 'listen', id, at });
    return (answer as Answer & { kind: 'listening' }).port;
  }

  async open(where: Endpoint, proxy: SocksProxy | null, timeoutMs: number): Promise<{ connection: NewConnection; bindText: string }> {
    const id = ++this.#lastId;
    const answer = await this.#request(id, { kind: 'open', id, where, proxy, timeoutMs });
    return this.#newConnection((answer as Answer & { kind: 'opened' }).ends);
  }

  #request(id: number, message: ToThread): Promise<Answer> {
    if (this.#ended) return Promise.reject(endedBy(this.#reason as Error));
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#post(message);
    });
  }

  #newConnection({ connection: id, bindText }: ConnectionEnds): { connection: NewConnection; bindText: string } {
    return {
      bindText,
      connection: {
        start: (options, events) => {
          const figures = new Figures();
          const connection = new ThreadedConnection(this.#connectionDeps(id, options, figures), {
            ...events,
            closed: () => {
              this.#connections.delete(id);
              events.closed();
            },
          });
          this.#connections.set(id, connection);
          this.#post({ kind: 'begin', connection: id, options, figures: figures.buffer });
          // The thread has ended, so it cannot report the end of this connection.
          if (this.#ended) setImmediate(() => connection.onClosed());
          return connection;
        },
        drop: () => this.#post({ kind: 'close', connection: id }),
      },
    };
  }

  #connectionDeps(id: number, options: PeerConnectionOptions, figures: Figures): ConstructorParameters<typeof ThreadedConnection>[0] {
    return {
      id,
      figures,
      options,
      maxSendBytes: this.#settings.maxSendBytes,
      traffic: this.#deps.traffic,
      send: (message) => {
        this.#outbox.push(message);
        this.#outboxBytes += packedBytes(message);
        this.#scheduleFlush();
      },
      more: () => {
        this.#more.add(id);
        this.#scheduleFlush();
      },
      reuse: (memory) => {
        this.#spares.push(memory);
        this.#scheduleFlush();
      },
      close: () => {
        this.#flush();
        this.#post({ kind: 'close', connection: id });
      },
    };
  }

  #scheduleFlush(): void {
    if (this.#outbox.length + this.#more.size + this.#spares.length === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    if (this.#outbox.length > 0) {
      const bundle = packMessages(this.#outbox, this.#outboxBytes);
      this.#outbox = [];
      this.#outboxBytes = 0;
      this.#post({ kind: 'send', bundle }, [bundle.buffer]);
    }
    if (this.#more.size + this.#spares.length > 0) {
      this.#post({ kind: 'more', connections: [...this.#more], spares: this.#spares }, this.#spares);
      this.#more.clear();
      this.#spares = [];
    }
  }

  #post(message: ToThread, transferred: ArrayBuffer[] = []): void {
    if (!this.#ended) this.#worker.postMessage(message, transferred);
  }

  #onMessage(message: ToNode): void {
    switch (message.kind) {
      case 'listening':
      case 'opened':
        this.#asked.get(message.id)?.resolve(message);
        this.#asked.delete(message.id);
        break;
      case 'failed':
        this.#asked
          .get(message.id)
          ?.reject(Object.assign(new Error(message.text), message.code === undefined ? {} : { code: message.code }));
        this.#asked.delete(message.id);
        break;
      case 'incoming':
        this.#listeners.get(message.listener)?.({ ...this.#newConnection(message.ends), remote: message.ends.remote });
        break;
      case 'transport':
        this.#setTransport(message);
        break;
      case 'messages':
        for (const delivery of message.deliveries) this.#deliver(delivery);
        break;
      case 'drained':
        this.#connections.get(message.connection)?.deliver([], 0);
        break;
      case 'unread':
        this.#connections.get(message.connection)?.onUnread();
        break;
      case 'closed':
        this.#closed(message.connection);
        break;
      case 'warning':
        this.#deps.log.warn(message.text);
        break;
      case 'alive':
        for (const given of this.#signs.splice(0)) given();
        break;
      default:
        message satisfies never;
    }
  }

  #deliver({ connection: id, parts, skipped }: Delivery): void {
    const connection = this.#connections.get(id);
    if (connection !== undefined) connection.deliver(parts, skipped);
    // The connection was closed on this side meanwhile.
    else for (const part of parts) this.#deps.traffic.addHandedOver(-partBytes(part));
  }

  #setTransport({ connection: id, type, sessionId }: ToNode & { kind: 'transport' }): void {
    const connection = this.#connections.get(id);
    if (connection === undefined) return;
    connection.transportType = type;
    connection.sessionId = sessionId;
  }

  /** Reports the end of a connection in a later tick, so that earlier messages of the peer are handled as far as possible. */
  #closed(id: number): void {
    setImmediate(() => {
      this.#connections.get(id)?.onClosed();
    });
  }
}

const endedBy = (reason: Error): Error => new Error(`the peers' thread ended: ${reason.message}`);
