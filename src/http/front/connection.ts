// One client's connection. It reads requests, passes them to the front as Exchanges, one at a time, and sends the replies.
// Pipelined requests wait here; the socket is not read while they exceed a limit. A client that closes its sending side
// after a request still gets the reply.
import { Socket, type SocketConstructorOpts } from 'node:net';
import { TLSSocket } from 'node:tls';
import { addressBytes } from './access.js';
import { BodyReader } from './body-reader.js';
import { Exchange, type ExchangeOwner, type ExchangeWire } from './exchange.js';
import { emptyLines, findHead, HeadFault, newSearch, type RequestHead, readHead } from './head.js';

/** Functions of the front that a connection calls. */
export interface ConnectionOwner {
  readonly exchanges: ExchangeOwner;
  /** Handles a request. */
  handle(exchange: Exchange): void;
  /** Answers a malformed request, after which the connection ends. @param cause for the log */
  refuse(exchange: Exchange, cause: string): void;
}

/** Bytes of pipelined requests beyond which the socket is not read. */
const MAX_PIPELINED_BYTES = 64 * 1024;

/** Seconds in which a client must read the last reply and close the connection. */
const LINGER_SECONDS = 3;

/** Interval of keep-alive probes to a client that closed its sending side, ms. */
const PROBE_MS = 10_000;

const NOTHING = Buffer.alloc(0);
const GO_ON = 'HTTP/1.1 100 Continue\r\n\r\n';
/** Placeholder for the head of a malformed request. */
const NO_HEAD: RequestHead = {
  method: '',
  target: '',
  minor: 1,
  authorization: '',
  acceptEncoding: '',
  contentLength: -1,
  chunked: false,
  closing: 'server',
  keepAliveHttp10: false,
  expectsContinue: false,
};

/** Read buffer of all sockets of this thread. A new ArrayBuffer per read would take a sixth of the time of a small call. */
const READ = Buffer.allocUnsafeSlow(64 * 1024);

/** Members of node:net's handles that its types do not declare. */
interface Handle {
  /** Number of bytes that the kernel has not accepted yet. Unlike the socket's writableLength, this number shrinks during a write. */
  readonly writeQueueSize?: number;
  useUserBuffer?(buffer: Uint8Array): void;
}
type WithHandle = Socket & { _handle?: Handle | null };

/**
 * Moves the handle of a socket, which must not have been read yet, to a new socket that reads into READ.
 * @param take receives the bytes, which are valid until it returns
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
  /** Seconds since the start of the front, by a timer that ticks once a second. */
  now = 0;

  constructor(timeoutSeconds: number) {
    this.#timeoutSeconds = timeoutSeconds;
    this.#timer = setInterval(() => {
      this.now++;
      for (const connection of this.#open) connection.checkTimeout(this.#timeoutSeconds);
    }, 1000);
    this.#timer.unref();
  }

  /** Serves a socket. @returns the socket to use instead, which emits 'close' */
  add(socket: Socket, owner: ConnectionOwner): Socket {
    const connection: Connection = new Connection(
      socket instanceof TLSSocket
        ? socket.on('data', (bytes: Buffer) => connection.takeBytes(bytes))
        : readInPlace(socket, (bytes) => connection.takeBytes(bytes)),
      owner,
      this,
    );
    this.#open.add(connection);
    return connection.socket.once('close', () => this.#open.delete(connection));
  }

  /** Closes all connections immediately. */
  close(): void {
    clearInterval(this.#timer);
    for (const connection of this.#open) connection.cut();
  }
}

export class Connection implements ExchangeWire {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #clock: Connections;
  /** Bytes that were read and not parsed yet. */
  #data: Buffer | null = null;
  /** The current request, until its body was read and its reply was written. */
  #exchange: Exchange | null = null;
  #replied = false;
  /** Reader of the current request's body; null after the body was read. */
  #body: BodyReader | null = null;
  /** The previous head, to compare the next one with: most clients send the same head again. */
  #lastHead: Buffer | null = null;
  #last: RequestHead = NO_HEAD;
  /** Progress of the search for the end of the current head, so that no byte is scanned twice. */
  #search = newSearch();
  #running = false;
  #paused = false;
  /** True if the client has closed its sending side. */
  #ended = false;
  /** True if the last reply was written. */
  #ending = false;
  /** Time when the connection began to wait for the client to send or to read, in seconds of Connections.now. */
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
      // The callback runs after the socket has written everything that was sent before.
      this.socket.write(NOTHING, () => this.#exchange?.flushed());
    }
    return unsent;
  }

  replied(closes: boolean): void {
    this.#replied = true;
    if (closes) this.#endConnection();
    else this.#next();
    this.#run();
  }

  parked(): void {
    if (this.#ended) this.#endIfNoReplyDue();
  }

  cut(): void {
    this.#ending = true;
    this.#data = null;
    this.#exchange?.aborted();
    this.socket.destroy();
  }

  /** Runs once a second. Closes the connection if the client has neither sent nor read for too long. */
  checkTimeout(timeoutSeconds: number): void {
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

  /** Handles bytes from the client. The caller may overwrite them after this returns. */
  takeBytes(bytes: Buffer): void {
    if (this.#ending) return;
    if (this.#data !== null) this.#data = Buffer.concat([this.#data, bytes]);
    else {
      this.#data = bytes;
      // The timeout of a head counts from its first byte, that of a body from the newest byte.
      if (this.#exchange === null || this.#body !== null) this.#since = this.#clock.now;
    }
    this.#run();
  }

  /** Parses the bytes that were read, until more bytes or a reply are needed. */
  #run(): void {
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#data !== null && (this.#body !== null ? this.#takeBody(this.#data) : this.#takeHead(this.#data)));
    } catch (error) {
      if (!(error instanceof HeadFault)) {
        // Close the connection. Its unread bytes lie in READ, and the next read of any client overwrites them.
        this.cut();
        throw error;
      }
      this.#refuse(error.message);
    } finally {
      this.#running = false;
    }
    if (this.#data?.buffer === READ.buffer) this.#data = Buffer.from(this.#data);
    const full = this.#data !== null && this.#data.length > MAX_PIPELINED_BYTES;
    if (full !== this.#paused) {
      this.#paused = full;
      if (full) this.socket.pause();
      else this.socket.resume();
    }
    if (this.#ended && !this.#ending) this.#endIfNoReplyDue();
  }

  /** Parses a head. @returns whether the rest of the bytes can be parsed now */
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
    this.#beginExchange(this.#last);
    return true;
  }

  #beginExchange(head: RequestHead): void {
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
    const taken = body.takeBytes(data, (bytes, last) => {
      // Set #body before the call, because the exchange may reply during it.
      if (last) this.#body = null;
      exchange.takePiece(bytes, last);
    });
    // Stop if the connection was closed while the exchange handled the bytes.
    if (this.#data === null) return false;
    this.#data = taken === data.length ? null : data.subarray(taken);
    this.#next();
    return true;
  }

  /** Prepares for the next request if the current one has its body and its reply. */
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
    // The request already has its reply, so the malformed rest of its body only ends the connection.
    if (begun !== null && this.#replied) {
      this.#endConnection();
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
    this.#endIfNoReplyDue();
  }

  /** Ends the connection of a client that closed its sending side, unless a complete request still needs its reply. */
  #endIfNoReplyDue(): void {
    if (this.#exchange !== null && this.#body === null && !this.#exchange.parked) return;
    this.#exchange?.aborted();
    this.#endConnection();
  }

  /** Writes nothing to the socket. The write fails if the client has closed both sides. */
  #probe(): void {
    this.socket.write(NOTHING);
  }

  /** Ends the connection after the last byte. Ignores what the client still sends. */
  #endConnection(): void {
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
