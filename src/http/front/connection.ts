// One client's connection: reads requests, one at a time, hands each to the front as an Exchange, and sends what the
// exchange writes. What a client sends ahead of a reply waits here, and its socket is left unread when that is much. A
// client that ends its side behind a request gets its reply. Made by start-front.ts, which also counts sockets.
import { Socket, type SocketConstructorOpts } from 'node:net';
import { TLSSocket } from 'node:tls';
import { addressBytes } from './access.js';
import { BodyReader } from './body-reader.js';
import { Exchange, type ExchangeOwner, type ExchangeWire } from './exchange.js';
import { emptyLines, findHead, HeadFault, newSearch, type RequestHead, readHead } from './head.js';

/** What a connection needs of its front. */
export interface ConnectionOwner {
  readonly exchanges: ExchangeOwner;
  /** Takes a request. */
  handle(exchange: Exchange): void;
  /** A request that cannot be read: to be answered, and the connection ends. @param cause for the log */
  refuse(exchange: Exchange, cause: string): void;
}

/** Requests that wait for the one before them, in bytes: beyond it the socket is not read. */
const MOST_AHEAD_BYTES = 64 * 1024;

/** Seconds that a client has to read the last reply and to close. */
const LINGER_SECONDS = 3;

/** A client whose end was seen is asked so often whether it is there at all, ms. */
const PROBE_MS = 10_000;

const NOTHING = Buffer.alloc(0);
const GO_ON = 'HTTP/1.1 100 Continue\r\n\r\n';
/** Stands in for a head that cannot be read. */
const NO_HEAD: RequestHead = {
  method: '',
  target: '',
  minor: 1,
  authorization: '',
  acceptEncoding: '',
  contentLength: -1,
  chunked: false,
  closing: 'server',
  keepsOld: false,
  expectsContinue: false,
};

/** Where the sockets of this thread are read into: an ArrayBuffer for each read costs a sixth of a small call. */
const READ = Buffer.allocUnsafeSlow(64 * 1024);

/** What node:net has, and does not declare. */
interface Handle {
  /** What the kernel has not taken; a socket's own count does not grow less while it writes. */
  readonly writeQueueSize?: number;
  useUserBuffer?(buffer: Uint8Array): void;
}
type WithHandle = Socket & { _handle?: Handle | null };

/**
 * Puts the handle of a socket that was not read yet into one that reads in place.
 * @param take is given what was read, which is gone when it returns
 */
function readInPlace(socket: Socket, take: (bytes: Buffer) => void): Socket {
  const accepted = socket as WithHandle;
  const { _handle: handle } = accepted;
  if (!handle?.useUserBuffer) {
    socket.on('data', take);
    return socket;
  }
  accepted._handle = null;
  const callback = (size: number): boolean => {
    take(READ.subarray(0, size));
    return true;
  };
  return new Socket({ handle, allowHalfOpen: true, onread: { buffer: READ, callback } } as SocketConstructorOpts);
}

/** All connections of a front, and their clock. */
export class Connections {
  readonly #open = new Set<Connection>();
  readonly #timer: NodeJS.Timeout;
  readonly #timeoutSeconds: number;
  /** Seconds since the first; good enough for what takes many. */
  now = 0;

  constructor(timeoutSeconds: number) {
    this.#timeoutSeconds = timeoutSeconds;
    this.#timer = setInterval(() => {
      this.now++;
      for (const connection of this.#open) connection.look(this.#timeoutSeconds);
    }, 1000);
    this.#timer.unref();
  }

  /** Takes over a socket. @returns the one that stands in its place, which says when it is closed */
  add(socket: Socket, owner: ConnectionOwner): Socket {
    const connection: Connection = new Connection(
      socket instanceof TLSSocket
        ? socket.on('data', (bytes: Buffer) => connection.take(bytes))
        : readInPlace(socket, (bytes) => connection.take(bytes)),
      owner,
      this,
    );
    this.#open.add(connection);
    return connection.socket.once('close', () => this.#open.delete(connection));
  }

  /** Cuts all of them. */
  close(): void {
    clearInterval(this.#timer);
    for (const connection of this.#open) connection.cut();
  }
}

export class Connection implements ExchangeWire {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #clock: Connections;
  /** What was read and belongs to nothing yet. */
  #data: Buffer | null = null;
  /** The request under way, until its body was read and its reply is out. */
  #exchange: Exchange | null = null;
  #replied = false;
  /** Of that request; null when it was read. */
  #body: BodyReader | null = null;
  /** Clients that keep a connection mostly send the same head again. */
  #lastHead: Buffer | null = null;
  #last: RequestHead = NO_HEAD;
  /** For the end of a head that has begun: one that comes byte by byte is gone through once. */
  #search = newSearch();
  #running = false;
  #paused = false;
  /** The client has ended its side. */
  #ended = false;
  /** The last reply was sent. */
  #ending = false;
  /** Since when the client, or its socket, is waited for. */
  #since: number;
  #unsentBefore = 0;
  #address: Uint8Array | null = null;

  constructor(socket: Socket, owner: ConnectionOwner, clock: Connections) {
    this.socket = socket;
    this.#owner = owner;
    this.#clock = clock;
    this.#since = clock.now;
    socket.on('error', () => {});
    socket.on('end', () => this.#onEnd());
    socket.on('close', () => this.#onClose());
    socket.resume();
  }

  get remoteAddress(): Uint8Array {
    this.#address ??= addressBytes(this.socket.remoteAddress);
    return this.#address;
  }

  get remoteAddressText(): string {
    return this.socket.remoteAddress ?? '';
  }

  get unsent(): number {
    const { writableLength, _handle } = this.socket as WithHandle;
    return writableLength === 0 ? 0 : _handle?.writeQueueSize || writableLength;
  }

  send(parts: readonly (string | Uint8Array)[]): number {
    const socket = this.socket;
    if (socket.destroyed) return 0;
    if (parts.length === 1) socket.write(parts[0]);
    else {
      socket.cork();
      for (const part of parts) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
      socket.uncork();
    }
    return this.#sent();
  }

  sendText(text: string, ascii: boolean): number {
    if (this.socket.destroyed) return 0;
    this.socket.write(text, ascii ? 'latin1' : 'utf8');
    return this.#sent();
  }

  #sent(): number {
    const { unsent } = this;
    if (unsent > 0) {
      this.#unsentBefore = unsent;
      this.#since = this.#clock.now;
      // Called behind everything that was written.
      this.socket.write(NOTHING, () => this.#exchange?.flushed());
    }
    return unsent;
  }

  replied(closes: boolean): void {
    this.#replied = true;
    if (closes) this.#end();
    else this.#next();
    this.#run();
  }

  parked(): void {
    if (this.#ended) this.#leave();
  }

  cut(): void {
    this.#ending = true;
    this.#data = null;
    this.#exchange?.aborted();
    this.socket.destroy();
  }

  /** Once a second: closes what the client has left standing for too long. */
  look(timeoutSeconds: number): void {
    const waited = this.#clock.now - this.#since;
    if (this.#ending) {
      if (waited > LINGER_SECONDS && this.unsent === 0) this.cut();
    } else if (this.#exchange === null || this.#body !== null) {
      if (waited > timeoutSeconds) this.cut();
      return;
    }
    const { unsent } = this;
    if (unsent !== this.#unsentBefore) {
      this.#unsentBefore = unsent;
      this.#since = this.#clock.now;
    } else if (unsent > 0 && waited > timeoutSeconds) this.cut();
    else if (unsent === 0 && this.#ended && !this.#ending) this.#probe();
  }

  /** Takes what the client has sent. The bytes may be gone when this returns. */
  take(bytes: Buffer): void {
    if (this.#ending) return;
    if (this.#data !== null) this.#data = Buffer.concat([this.#data, bytes]);
    else {
      this.#data = bytes;
      // A head has its time from the first byte on, a body from the last one.
      if (this.#exchange === null || this.#body !== null) this.#since = this.#clock.now;
    }
    this.#run();
  }

  /** Goes through what was read, as far as it may. */
  #run(): void {
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#data !== null && (this.#body !== null ? this.#takeBody(this.#data) : this.#takeHead(this.#data)));
    } catch (error) {
      if (!(error instanceof HeadFault)) {
        // What is left lies where the next read of any client goes.
        this.cut();
        throw error;
      }
      this.#refuse(error.message);
    } finally {
      this.#running = false;
    }
    if (this.#data?.buffer === READ.buffer) this.#data = Buffer.from(this.#data);
    const full = this.#data !== null && this.#data.length > MOST_AHEAD_BYTES;
    if (full !== this.#paused) {
      this.#paused = full;
      if (full) this.socket.pause();
      else this.socket.resume();
    }
    if (this.#ended && !this.#ending) this.#leave();
  }

  /** @returns whether there may be more to do */
  #takeHead(data: Buffer): boolean {
    if (this.#exchange !== null) return false;
    const known = this.#lastHead;
    let end: number;
    if (known !== null && data.length >= known.length && known.compare(data, 0, known.length) === 0) end = known.length;
    else {
      const empty = emptyLines(data);
      if (empty > 0) {
        this.#data = empty === data.length ? null : data.subarray(empty);
        return true;
      }
      end = findHead(data, this.#search);
      if (end < 0) return false;
      this.#last = readHead(data.toString('latin1', 0, end));
      this.#lastHead = Buffer.from(data.subarray(0, end));
    }
    if (this.#search.lineStart > 0) this.#search = newSearch();
    this.#data = end === data.length ? null : data.subarray(end);
    this.#begin(this.#last);
    return true;
  }

  #begin(head: RequestHead): void {
    const body = new BodyReader(head);
    const waits = head.expectsContinue && !body.done && this.#data === null;
    const exchange = new Exchange(this, head, this.#owner.exchanges, waits);
    this.#exchange = exchange;
    this.#replied = false;
    this.#body = body;
    this.#owner.handle(exchange);
    if (body.done) {
      this.#body = null;
      exchange.takePiece(NOTHING, true);
      this.#next();
    } else if (waits && exchange.wantsBody) this.send([GO_ON]);
  }

  #takeBody(data: Buffer): boolean {
    const body = this.#body!;
    const exchange = this.#exchange!;
    const taken = body.take(data, (bytes, last) => {
      // Whatever comes of the last piece finds the body read.
      if (last) this.#body = null;
      exchange.takePiece(bytes, last);
    });
    // Cut, or ended, meanwhile.
    if (this.#data === null) return false;
    this.#data = taken === data.length ? null : data.subarray(taken);
    this.#next();
    return true;
  }

  /** Is ready for the next request when this one is over. */
  #next(): void {
    if (!this.#replied || this.#body !== null) return;
    this.#exchange = null;
    this.#replied = false;
    this.#since = this.#clock.now;
  }

  #refuse(cause: string): void {
    this.#data = null;
    this.#body = null;
    const begun = this.#exchange;
    // A body that goes wrong behind a reply concerns no request any more.
    if (begun !== null && this.#replied) {
      this.#end();
      return;
    }
    const exchange = begun ?? new Exchange(this, NO_HEAD, this.#owner.exchanges);
    this.#exchange = exchange;
    this.#owner.refuse(exchange, cause);
  }

  #onEnd(): void {
    this.#ended = true;
    if (this.#ending) return;
    this.socket.setKeepAlive(true, PROBE_MS);
    this.#probe();
    this.#leave();
  }

  /** Behind the client's end: what it has asked for is answered, half a request is none, and nobody waits for ever. */
  #leave(): void {
    if (this.#exchange !== null && this.#body === null && !this.#exchange.parked) return;
    this.#exchange?.aborted();
    this.#end();
  }

  /** Fails when the client has gone altogether, which the end of its side alone does not say. */
  #probe(): void {
    this.socket.write(NOTHING);
  }

  /** The last byte is written; the client may read it in its own time, and what it still sends is passed over. */
  #end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#data = null;
    this.#body = null;
    this.#exchange = null;
    this.#since = this.#clock.now;
    this.socket.end();
    if (this.#paused) this.socket.resume();
    this.#paused = false;
  }

  #onClose(): void {
    this.#ending = true;
    this.#data = null;
    this.#exchange?.aborted();
  }
}
