// The peers' thread: it owns the sockets (InlineConnectionFactory) and delivers their messages to the node thread in
// bundles, as many at a time as the node thread has handled. The connection that used the least time of this thread
// lately is served next. The limits of SocketConnection apply; delivered messages come on top.
import type { MessagePort } from 'node:worker_threads';
import type { Hashes } from '../../crypto/crypto.js';
import type { EllSwift } from '../../crypto/ellswift.js';
import { ImmediateTask } from '../../lib/immediate-task.js';
import { FairQueue } from '../fair-queue.js';
import { InlineConnectionFactory } from '../peer/inline-connection-factory.js';
import { type NewConnection, UNREAD } from '../peer/peer-connection.js';
import type { SocketConnection } from '../peer/socket-connection.js';
import { Traffic } from '../peer/traffic.js';
import { KeyExchangeQueue } from '../transport/key-exchange-queue.js';
import { KNOWN_MESSAGES } from '../wire/protocol.js';
import { BundleReader, type PackedMessage, packMessages } from './bundle.js';
import {
  between,
  commonMs,
  type Delivery,
  type Fault,
  Figures,
  LONG_BYTES,
  type Part,
  postedWeight,
  type ThreadInit,
  type ToNode,
  type ToThread,
  WINDOW_BYTES,
  weightOf,
} from './messages.js';

/** Milliseconds of work on connections per tick of the event loop. */
const SLICE_MS = 1;
/** Milliseconds for one connection before others are served. */
const SHARE_MS = 0.5;
/** Maximum number of inbound connections that the node thread has not taken yet; further ones are refused. */
const MOST_FRESH = 256;
const NOTHING = new Uint8Array(0);

/** A connection in use. */
interface ServedConnection {
  readonly id: number;
  readonly connection: SocketConnection;
  readonly figures: Figures;
  /** Weight delivered since the start; wraps as Figures.handled does. */
  given: number;
  /** Content of the next delivery, in order, before the messages of `short`. */
  parts: Part[];
  /** Short messages of the next delivery that are not packed into a part yet. */
  short: PackedMessage[];
  /** Total size in bytes of the messages of `short`. */
  shortBytes: number;
  skipped: number;
  /** Messages from the node thread, from index `next` on. */
  outgoing: PackedMessage[];
  next: number;
  /** True if the node thread knows the transport. */
  transportKnown: boolean;
}

type Post = (message: ToNode, transferred?: ArrayBuffer[]) => void;

/** Runs the thread. @param ellSwift null: no encrypted connections */
export function serveConnections(init: ThreadInit, port: MessagePort, hashes: Hashes, ellSwift: EllSwift | null): void {
  const { magic, maxSendBytes, maxReceiveBytes, traffic: buffer } = init;
  const traffic = new Traffic(buffer);
  const post: Post = (message, transferred = []) => port.postMessage(message, transferred);
  const factory = new InlineConnectionFactory(
    { magic, maxSendBytes, maxReceiveBytes },
    {
      hashes,
      keys: ellSwift && new KeyExchangeQueue(ellSwift),
      nowSeconds: () => Math.floor(Date.now() / 1000),
      traffic,
      warn: (text) => post({ kind: 'warning', text }),
    },
  );
  const server = new ConnectionServer(factory, traffic, hashes, post);
  port.on('message', (message: ToThread) => {
    if (message.kind === 'end') void factory.close().then(() => port.close());
    else server.onMessage(message);
  });
  post({ kind: 'alive' });
}

class ConnectionServer {
  /** Connections that the node thread has not started yet. */
  readonly #fresh = new Map<number, NewConnection<SocketConnection>>();
  readonly #served = new Map<number, ServedConnection>();
  /** Connections that may have something to send or to deliver. */
  readonly #ready = new FairQueue<ServedConnection>(() => performance.now());
  /** Connections with something for the next delivery. */
  readonly #delivering = new Set<ServedConnection>();
  readonly #nextSlice = new ImmediateTask(() => this.#runSlice());
  #lastId = 0;
  readonly #factory: InlineConnectionFactory;
  readonly #traffic: Traffic;
  readonly #hashes: Hashes;
  readonly #post: Post;

  constructor(factory: InlineConnectionFactory, traffic: Traffic, hashes: Hashes, post: Post) {
    this.#factory = factory;
    this.#traffic = traffic;
    this.#hashes = hashes;
    this.#post = post;
  }

  onMessage(message: Exclude<ToThread, { kind: 'end' }>): void {
    switch (message.kind) {
      case 'listen':
        this.#listen(message);
        break;
      case 'open':
        this.#open(message);
        break;
      case 'begin':
        this.#startConnection(message);
        break;
      case 'send':
        this.#send(message.bundle);
        break;
      case 'more':
        for (const spare of message.spares) this.#factory.spare.giveBuffer(spare);
        for (const id of message.connections) this.#schedule(this.#served.get(id));
        break;
      case 'close':
        this.#fresh.get(message.connection)?.drop();
        this.#fresh.delete(message.connection);
        this.#close(this.#served.get(message.connection));
        break;
      case 'alive':
        this.#post({ kind: 'alive' });
        break;
      default:
        message satisfies never;
    }
  }

  #failed(id: number, error: NodeJS.ErrnoException): void {
    this.#post({ kind: 'failed', id, text: error.message, code: error.code });
  }

  #register(connection: NewConnection<SocketConnection>): number {
    const id = ++this.#lastId;
    this.#fresh.set(id, connection);
    return id;
  }

  #listen({ id, at }: ToThread & { kind: 'listen' }): void {
    this.#factory
      .listen(at, ({ connection: line, remote, bindText }) => {
        if (this.#fresh.size >= MOST_FRESH) line.drop();
        else this.#post({ kind: 'incoming', listener: id, ends: { connection: this.#register(line), remote, bindText } });
      })
      .then(
        (port) => this.#post({ kind: 'listening', id, port }),
        (error) => this.#failed(id, error),
      );
  }

  #open({ id, where, proxy, timeoutMs }: ToThread & { kind: 'open' }): void {
    this.#factory.open(where, proxy, timeoutMs).then(
      ({ connection, bindText }) =>
        this.#post({ kind: 'opened', id, ends: { connection: this.#register(connection), remote: where, bindText } }),
      (error) => this.#failed(id, error),
    );
  }

  #startConnection({ connection: id, options, figures }: ToThread & { kind: 'begin' }): void {
    const line = this.#fresh.get(id) as NewConnection<SocketConnection>;
    this.#fresh.delete(id);
    const connection = line.start(options, {
      workPending: () => {
        this.#schedule(served);
        this.#notifyDrained(served);
      },
      fault: (fault, fatal) => {
        // Post this fault ahead of the peer's messages: the node thread handles no messages of a peer that does not read.
        if (fault === UNREAD) this.#post({ kind: 'unread', connection: id });
        else this.#addPart(served, { fault, fatal });
      },
      sent: () => {},
      received: (_, bytes) => {
        served.skipped += bytes;
        this.#delivering.add(served);
      },
      figuresChanged: () => this.#writeFigures(served),
      closed: () => this.#closed(served),
    });
    const served: ServedConnection = {
      id,
      connection,
      figures: new Figures(figures),
      given: 0,
      parts: [],
      short: [],
      shortBytes: 0,
      skipped: 0,
      outgoing: [],
      next: 0,
      transportKnown: !options.encrypted,
    };
    this.#served.set(id, served);
  }

  /** Queues messages from the node thread, which their connections send in turn. */
  #send(bundle: Uint8Array): void {
    for (const reader = new BundleReader(bundle); !reader.done; ) {
      const message = reader.next(false);
      const served = this.#served.get(message.connection);
      if (served === undefined) this.#traffic.addPosted(-postedWeight(message.length));
      else {
        served.outgoing.push(message);
        this.#schedule(served);
      }
    }
  }

  /** Sends queued messages of a connection. @returns whether there are more */
  #sendSome(served: ServedConnection, until: number): boolean {
    const { connection, figures } = served;
    // Sending may close the connection, which empties the queue.
    while (served.next < served.outgoing.length) {
      const { command, payload, length } = served.outgoing[served.next++] as PackedMessage;
      connection.send(command, payload);
      const weight = postedWeight(length);
      figures.addTaken(weight);
      this.#traffic.addPosted(-weight);
      if (performance.now() >= until) break;
    }
    if (served.next < served.outgoing.length) return true;
    served.outgoing = [];
    served.next = 0;
    this.#notifyDrained(served);
    return false;
  }

  /** Closes a connection after sending what was queued before. */
  #close(served: ServedConnection | undefined): void {
    if (served === undefined) return;
    this.#sendSome(served, Number.POSITIVE_INFINITY);
    served.connection.close();
  }

  /** Tells the node thread that it may send again, if it waits for that. */
  #notifyDrained({ id, connection, figures, outgoing }: ServedConnection): void {
    if (outgoing.length > 0 || !figures.wantsDrain || connection.sendPaused) return;
    figures.setWantsDrain(false);
    this.#post({ kind: 'drained', connection: id });
  }

  #writeFigures(served: ServedConnection): void {
    const { id, connection, figures } = served;
    const { lastSend, lastReceive, bytesSent, bytesReceived, unsent, held, stuckSinceMs } = connection;
    const stuckSince = stuckSinceMs === 0 ? 0 : commonMs(stuckSinceMs);
    const progress = commonMs(connection.progressMs);
    const whole = Number(connection.hasMessage);
    figures.writeFigures({ lastSend, lastReceive, bytesSent, bytesReceived, unsent, held, stuckSince, progress, whole });
    if (served.transportKnown || connection.transportType === 'detecting') return;
    served.transportKnown = true;
    this.#post({ kind: 'transport', connection: id, type: connection.transportType, sessionId: connection.sessionId });
  }

  #closed(served: ServedConnection): void {
    for (const { length } of served.outgoing.slice(served.next)) this.#traffic.addPosted(-postedWeight(length));
    served.outgoing = [];
    served.next = 0;
    this.#deliver();
    this.#served.delete(served.id);
    this.#post({ kind: 'closed', connection: served.id });
  }

  /** Schedules a connection that may have work. */
  #schedule(served: ServedConnection | undefined): void {
    if (served === undefined) return;
    this.#ready.add(served);
    this.#nextSlice.schedule();
  }

  #runSlice(): void {
    const until = performance.now() + SLICE_MS;
    let now = performance.now();
    do {
      const served = this.#ready.takeNext();
      if (served === undefined) break;
      const end = now + SHARE_MS;
      const more = this.#sendSome(served, end) || this.#handOver(served, end);
      const after = performance.now();
      this.#ready.charge(served, after - now);
      now = after;
      if (more) this.#ready.add(served);
    } while (now < until);
    this.#deliver();
    if (this.#ready.size > 0) this.#nextSlice.schedule();
  }

  /** Prepares messages of a connection for delivery. @returns whether more may be delivered */
  #handOver(served: ServedConnection, until: number): boolean {
    const { connection } = served;
    while (connection.hasMessage) {
      if (this.#mustWait(served)) return false;
      const frame = connection.shift();
      if (frame !== undefined) {
        const { command, length, size } = frame;
        served.skipped -= size;
        // The hash of a tx message is a transaction id. Unencrypted messages have it from their checksum.
        const hash = frame.hash ?? (command === 'tx' ? this.#hashes.sha256d(frame.payload) : null);
        const payload = KNOWN_MESSAGES.has(command) ? frame.payload : NOTHING;
        // A literal with fixed fields, because one that spreads the frame gets a new hidden class each time.
        this.#addPart(served, { connection: served.id, command, payload, length, size, hash });
      }
      if (performance.now() >= until) return true;
    }
    return false;
  }

  /** Returns whether delivery must wait until the node thread has handled earlier messages. The node thread then posts a message. */
  #mustWait({ given, figures }: ServedConnection): boolean {
    if (between(given, figures.handled) < WINDOW_BYTES) return false;
    figures.setWaits(true);
    // Check again: the node thread may have handled the last message before it could see the flag.
    return between(given, figures.handled) >= WINDOW_BYTES || !figures.takeWaits();
  }

  #addPart(served: ServedConnection, part: PackedMessage | Fault): void {
    const bytes = weightOf(part);
    served.given = (served.given + bytes) | 0;
    this.#traffic.addHandedOver(bytes);
    this.#delivering.add(served);
    if ('fault' in part || part.payload.length >= LONG_BYTES) {
      packShort(served);
      served.parts.push(part);
    } else {
      served.short.push(part);
      served.shortBytes += bytes;
    }
  }

  /** Posts all prepared deliveries. */
  #deliver(): void {
    if (this.#delivering.size === 0) return;
    const transferred: ArrayBuffer[] = [];
    const deliveries: Delivery[] = [];
    for (const served of this.#delivering) {
      packShort(served);
      for (const part of served.parts)
        if (!('fault' in part)) transferred.push(('payload' in part ? part.payload : part).buffer as ArrayBuffer);
      deliveries.push({ connection: served.id, parts: served.parts, skipped: served.skipped });
      served.parts = [];
      served.skipped = 0;
    }
    this.#delivering.clear();
    this.#post({ kind: 'messages', deliveries }, transferred);
  }
}

/** Packs the short messages of a connection. */
function packShort(served: ServedConnection): void {
  if (served.short.length === 0) return;
  served.parts.push(packMessages(served.short, served.shortBytes));
  served.short = [];
  served.shortBytes = 0;
}
