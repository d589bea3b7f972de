// The side of the thread that has the sockets: connections as InlineLines makes them, whose messages are handed to the
// node thread in bundles, as many at a time as it has handled. A connection's own bounds are Connection's, with what
// was handed over counted among what it holds.
import type { MessagePort } from 'node:worker_threads';
import type { Hashes } from '../../crypto/crypto.js';
import type { EllSwift } from '../../crypto/ellswift.js';
import type { Connection } from '../peer/connection.js';
import { InlineLines } from '../peer/inline-lines.js';
import { type FreshLine, UNREAD } from '../peer/line.js';
import { Traffic } from '../peer/traffic.js';
import { KeyDesk } from '../transport/key-desk.js';
import { MESSAGES } from '../wire/protocol.js';
import { BundleReader, type Packed, pack } from './bundle.js';
import {
  between,
  commonMs,
  type Delivery,
  type Fault,
  Figures,
  type Part,
  type ThreadInit,
  type ToNode,
  type ToThread,
  WINDOW_BYTES,
  weightOf,
} from './messages.js';

/** Milliseconds of handing over between two turns of the event loop. */
const TURN_MS = 2;
/** Payloads from so many bytes on are handed over as they lie; shorter ones are copied together. */
const LONG_BYTES = 32 << 10;
/** Bytes that one connection hands over before the others have their turn. */
const SHARE_BYTES = 64 << 10;
/** Connections that came in and were not looked at by the node thread; further ones are turned away. */
const MOST_FRESH = 256;
const NOTHING = new Uint8Array(0);
const known = new Set<string>(MESSAGES);

/** A connection in use. */
interface Served {
  readonly id: number;
  readonly connection: Connection;
  readonly figures: Figures;
  /** Bytes handed over since the beginning; wraps as Figures.handled does. */
  given: number;
  /** What goes with the next delivery: parts, and behind them messages that are not packed yet, and their bytes. */
  parts: Part[];
  short: Packed[];
  shortBytes: number;
  skipped: number;
  /** The node thread knows how it speaks. */
  spoke: boolean;
}

type Say = (message: ToNode, transferred?: ArrayBuffer[]) => void;

/** Runs the thread. @param ellSwift null: no encrypted connections */
export function serveLines(init: ThreadInit, port: MessagePort, hashes: Hashes, ellSwift: EllSwift | null): void {
  const { magic, maxSendBytes, maxReceiveBytes, traffic: buffer } = init;
  const traffic = new Traffic(buffer);
  const say: Say = (message, transferred = []) => port.postMessage(message, transferred);
  const lines = new InlineLines(
    { magic, maxSendBytes, maxReceiveBytes },
    {
      hashes,
      keys: ellSwift && new KeyDesk(ellSwift),
      nowSeconds: () => Math.floor(Date.now() / 1000),
      traffic,
      warn: (text) => say({ kind: 'warning', text }),
    },
  );
  const server = new LineServer(lines, traffic, hashes, say);
  port.on('message', (message: ToThread) => {
    if (message.kind === 'end') void lines.close().then(() => port.close());
    else server.take(message);
  });
  say({ kind: 'alive' });
}

class LineServer {
  /** Not begun yet. */
  readonly #fresh = new Map<number, FreshLine<Connection>>();
  readonly #served = new Map<number, Served>();
  /** Those that may have something to hand over, and those that have something for the next delivery. */
  readonly #ready = new Set<Served>();
  readonly #delivering = new Set<Served>();
  #called = false;
  #lastId = 0;
  readonly #lines: InlineLines;
  readonly #traffic: Traffic;
  readonly #hashes: Hashes;
  readonly #say: Say;

  constructor(lines: InlineLines, traffic: Traffic, hashes: Hashes, say: Say) {
    this.#lines = lines;
    this.#traffic = traffic;
    this.#hashes = hashes;
    this.#say = say;
  }

  take(message: Exclude<ToThread, { kind: 'end' }>): void {
    switch (message.kind) {
      case 'listen':
        this.#listen(message);
        break;
      case 'open':
        this.#open(message);
        break;
      case 'begin':
        this.#begin(message);
        break;
      case 'send':
        this.#send(message.bundle);
        break;
      case 'more':
        for (const id of message.lines) this.#look(this.#served.get(id));
        break;
      case 'close':
        this.#fresh.get(message.line)?.drop();
        this.#fresh.delete(message.line);
        this.#served.get(message.line)?.connection.close();
        break;
      case 'alive':
        this.#say({ kind: 'alive' });
        break;
      default:
        message satisfies never;
    }
  }

  #failed(id: number, error: NodeJS.ErrnoException): void {
    this.#say({ kind: 'failed', id, text: error.message, code: error.code });
  }

  #keep(line: FreshLine<Connection>): number {
    const id = ++this.#lastId;
    this.#fresh.set(id, line);
    return id;
  }

  #listen({ id, at }: ToThread & { kind: 'listen' }): void {
    this.#lines
      .listen(at, ({ line, remote, bindText }) => {
        if (this.#fresh.size >= MOST_FRESH) line.drop();
        else this.#say({ kind: 'incoming', listener: id, ends: { line: this.#keep(line), remote, bindText } });
      })
      .then(
        (port) => this.#say({ kind: 'listening', id, port }),
        (error) => this.#failed(id, error),
      );
  }

  #open({ id, where, proxy, timeoutMs }: ToThread & { kind: 'open' }): void {
    this.#lines.open(where, proxy, timeoutMs).then(
      ({ line, bindText }) => this.#say({ kind: 'opened', id, ends: { line: this.#keep(line), remote: where, bindText } }),
      (error) => this.#failed(id, error),
    );
  }

  #begin({ line: id, options, figures }: ToThread & { kind: 'begin' }): void {
    const line = this.#fresh.get(id) as FreshLine<Connection>;
    this.#fresh.delete(id);
    const connection = line.begin(options, {
      wake: () => {
        this.#look(served);
        this.#roomFor(served);
      },
      fault: (fault, fatal) => {
        // That has no turn among the messages: they wait for the peer to read.
        if (fault === UNREAD) this.#say({ kind: 'unread', line: id });
        else this.#add(served, { fault, fatal });
      },
      sent: () => {},
      received: (_, bytes) => {
        served.skipped += bytes;
        this.#delivering.add(served);
      },
      moved: () => this.#tell(served),
      closed: () => this.#closed(served),
    });
    const served: Served = {
      id,
      connection,
      figures: new Figures(figures),
      given: 0,
      parts: [],
      short: [],
      shortBytes: 0,
      skipped: 0,
      spoke: !options.encrypted,
    };
    this.#served.set(id, served);
  }

  /** Passes messages of the node thread on to their connections. */
  #send(bundle: Uint8Array): void {
    const reached = new Set<Served>();
    for (const reader = new BundleReader(bundle); !reader.done; ) {
      const { line, command, payload } = reader.next(false);
      const served = this.#served.get(line);
      if (served === undefined) continue;
      served.connection.send(command, payload);
      served.figures.addTaken(payload.length);
      reached.add(served);
    }
    for (const served of reached) this.#roomFor(served);
  }

  /** Tells the node thread that it may send again, if it waits for that. */
  #roomFor({ id, connection, figures }: Served): void {
    if (!figures.wantsRoom || connection.sendPaused) return;
    figures.setWantsRoom(false);
    this.#say({ kind: 'room', line: id });
  }

  #tell(served: Served): void {
    const { id, connection, figures } = served;
    const { lastSend, lastReceive, bytesSent, bytesReceived, unsent, held, stuckSinceMs } = connection;
    const stuckSince = stuckSinceMs === 0 ? 0 : commonMs(stuckSinceMs);
    figures.tell({ lastSend, lastReceive, bytesSent, bytesReceived, unsent, held, stuckSince });
    if (served.spoke || connection.transportType === 'detecting') return;
    served.spoke = true;
    this.#say({ kind: 'spoke', line: id, type: connection.transportType, sessionId: connection.sessionId });
  }

  #closed(served: Served): void {
    this.#ready.delete(served);
    this.#deliver();
    this.#served.delete(served.id);
    this.#say({ kind: 'closed', line: served.id });
  }

  /** A connection may have something to hand over. */
  #look(served: Served | undefined): void {
    if (served === undefined) return;
    this.#ready.add(served);
    this.#call();
  }

  #call(): void {
    if (this.#called) return;
    this.#called = true;
    setImmediate(() => {
      this.#called = false;
      this.#turn();
    });
  }

  #turn(): void {
    const until = performance.now() + TURN_MS;
    do {
      const [served] = this.#ready;
      if (served === undefined) break;
      this.#ready.delete(served);
      if (this.#share(served)) this.#ready.add(served);
    } while (performance.now() < until);
    this.#deliver();
    if (this.#ready.size > 0) this.#call();
  }

  /** A connection's share of a turn. @returns whether it has more that may be handed over */
  #share(served: Served): boolean {
    const { connection } = served;
    for (const begin = served.given; connection.hasMessage; ) {
      if (this.#mustWait(served)) return false;
      if (between(served.given, begin) >= SHARE_BYTES) return true;
      const frame = connection.shift();
      // Unusable, or so long that more steps follow: others have their turn before.
      if (frame === undefined) return true;
      served.skipped -= frame.size;
      const { command, payload } = frame;
      // Of a transaction it is an id; messages in the clear have it by their checksum.
      const hash = frame.hash ?? (command === 'tx' ? this.#hashes.sha256d(payload) : null);
      this.#add(served, { ...frame, line: served.id, payload: known.has(command) ? payload : NOTHING, hash });
    }
    return false;
  }

  /** Whether the node thread has to handle something first; it tells then. */
  #mustWait({ given, figures }: Served): boolean {
    if (between(given, figures.handled) < WINDOW_BYTES) return false;
    figures.setWaits(true);
    // It may have handled the last of it before it could see that.
    return between(given, figures.handled) >= WINDOW_BYTES || !figures.takeWaits();
  }

  #add(served: Served, part: Packed | Fault): void {
    const bytes = weightOf(part);
    served.given = (served.given + bytes) | 0;
    this.#traffic.addLent(bytes);
    this.#delivering.add(served);
    if ('fault' in part || part.payload.length >= LONG_BYTES) {
      packShort(served);
      served.parts.push(part);
    } else {
      served.short.push(part);
      served.shortBytes += bytes;
    }
  }

  /** Hands over what there is. */
  #deliver(): void {
    if (this.#delivering.size === 0) return;
    const transferred: ArrayBuffer[] = [];
    const deliveries: Delivery[] = [];
    for (const served of this.#delivering) {
      packShort(served);
      for (const part of served.parts)
        if (!('fault' in part)) transferred.push(('payload' in part ? part.payload : part).buffer as ArrayBuffer);
      deliveries.push({ line: served.id, parts: served.parts, skipped: served.skipped });
      served.parts = [];
      served.skipped = 0;
    }
    this.#delivering.clear();
    this.#say({ kind: 'came', deliveries }, transferred);
  }
}

/** Makes a part of what is not packed. */
function packShort(served: Served): void {
  if (served.short.length === 0) return;
  served.parts.push(pack(served.short, served.shortBytes));
  served.short = [];
  served.shortBytes = 0;
}
