// One request and its reply. The only file that handles uWebSockets.js request and response objects: it copies what the
// library takes back, attaches the abort handler first, corks late replies, and never writes after an abort. Made by
// start-front.ts, used by front.ts, template-exchange.ts and fan-out.ts.
import { RELAY_HEADER } from '../options.js';
import { statusLine } from './pages.js';
import type { HttpRequest, HttpResponse } from './uws.js';

/** Takes a whole body. `shared` bytes are the library's own and gone when the handler returns. */
export type BodyHandler = (body: Uint8Array, shared: boolean) => void;

/** A header beyond the usual ones. */
export type Header = readonly [name: string, value: string];

const EMPTY = new Uint8Array(0);

/**
 * The transport closes a connection that was idle for 8 to 12 s, and has no option for it. A client that reads this
 * (RFC 2068, 19.7.1.1; node's agent, urllib3, hyper) opens a new one rather than meet that moment with a request.
 */
const KEEP_ALIVE_SECONDS = 'timeout=7';

export class Exchange {
  /** Method as sent, upper or lower case. */
  readonly method: string;
  /** Request target with its query. */
  readonly target: string;
  readonly authorization: string;
  /** Declared length; -1 when none was (chunked, or no body). NaN never: the library refuses such requests. */
  readonly contentLength: number;
  readonly acceptEncoding: string;
  /** The lenient listener's token and its client's address. Any client may send this; only the token makes it count. */
  readonly relayed: string;
  readonly #res: HttpResponse;
  /** When bytes of the request came last, by performance.now(). */
  lastDataMs = performance.now();
  #closing: 'no' | 'client' | 'server';
  #state: 'open' | 'sending' | 'ended' | 'gone' = 'open';
  #reserved = 0;
  /** Writes the headers of a reply in pieces; null once that was done. */
  #pieceHead: (() => void) | null = null;
  #onGone: (() => void) | null = null;
  #onEnd: (() => void) | null = null;

  constructor(res: HttpResponse, req: HttpRequest) {
    this.#res = res;
    res.onAborted(() => this.#aborted());
    this.method = req.getCaseSensitiveMethod();
    const query = req.getQuery() as string | undefined;
    this.target = query === undefined ? req.getUrl() : `${req.getUrl()}?${query}`;
    this.authorization = req.getHeader('authorization');
    const length = req.getHeader('content-length');
    this.contentLength = length === '' ? -1 : Number(length);
    this.acceptEncoding = req.getHeader('accept-encoding');
    this.relayed = req.getHeader(RELAY_HEADER);
    this.#closing = req.getHeader('connection').toLowerCase() === 'close' ? 'client' : 'no';
  }

  /** The client went away, or the connection was closed, before the reply was out. */
  get gone(): boolean {
    return this.#state === 'gone';
  }

  /** Peer's address, 4 or 16 bytes. */
  get remoteAddress(): Uint8Array {
    return new Uint8Array(this.#res.getRemoteAddress());
  }

  /** Peer's address as text, for the log. */
  get remoteAddressText(): string {
    return Buffer.from(this.#res.getRemoteAddressAsText()).toString();
  }

  /** Called once when the client goes away before the reply is out. */
  set onGone(handler: (() => void) | null) {
    this.#onGone = handler;
  }

  /** Called once when the exchange is over, however it ended. */
  set onEnd(handler: () => void) {
    this.#onEnd = handler;
  }

  /** The connection ends with this reply, and the reply says so. */
  closeAfterReply(): void {
    if (this.#closing === 'no') this.#closing = 'server';
  }

  /** Bytes reserved for the body; the caller that reserved them releases them. */
  get reservedBytes(): number {
    return this.#reserved;
  }

  /**
   * Reads the body. Of a body that comes in one piece nothing is copied.
   * @param limit most bytes accepted
   * @param reserve whether so many more bytes may be held
   * @param refuse called once instead of done: the body is larger than the limit (413), or there is no room for it
   * (500)
   * @param maySecret whether a body that begins like this may hold secrets: of one that comes in pieces nothing is left
   * anywhere else then
   */
  readBody(
    limit: number,
    done: BodyHandler,
    reserve: (sizeBytes: number) => boolean,
    refuse: (status: 413 | 500) => void,
    maySecret: (first: Uint8Array) => boolean,
  ): void {
    let buffer = EMPTY;
    let length = 0;
    let overwrites = false;
    this.#res.onData((chunk, isLast) => {
      if (this.#state !== 'open' || length < 0) return;
      if (!isLast) this.lastDataMs = performance.now();
      // All who look for something in a body share this view: one for each would cost more than the looking.
      const bytes = Buffer.from(chunk);
      const needed = length + bytes.byteLength;
      if (isLast && length === 0 && needed <= limit) {
        done(bytes, true);
        return;
      }
      const capacity = needed <= buffer.byteLength ? buffer.byteLength : this.#capacity(buffer.byteLength, needed);
      if (needed > limit || !reserve(capacity - buffer.byteLength)) {
        length = -1;
        buffer = EMPTY;
        refuse(needed > limit ? 413 : 500);
        return;
      }
      this.#reserved += capacity - buffer.byteLength;
      if (capacity > buffer.byteLength) {
        if (length === 0) overwrites = maySecret(bytes);
        buffer = moved(buffer, length, capacity, overwrites);
      }
      buffer.set(bytes, length);
      if (overwrites) bytes.fill(0);
      length = needed;
      if (isLast) done(length === buffer.byteLength ? buffer : moved(buffer, length, length, overwrites), false);
    });
  }

  /**
   * Sends a whole reply. Does nothing when the client has gone.
   * @returns bytes of the body that the socket did not take: they are to be sent by push(). 0 when it is done
   */
  reply(status: number, type: string, body: string | Uint8Array, extra?: Header): number {
    if (this.#state !== 'open') return 0;
    this.#state = 'ended';
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    let left = 0;
    this.#res.cork(() => {
      const res = this.#res;
      if (status !== 200) res.writeStatus(statusLine(status));
      if (extra) res.writeHeader(extra[0], extra[1]);
      if (status !== 204) res.writeHeader('Content-Type', type);
      if (this.#closing === 'client') res.writeHeader('Connection', 'close');
      else if (this.#closing === 'no') res.writeHeader('Keep-Alive', KEEP_ALIVE_SECONDS);
      // Told to close, the library writes that header by itself, unless the client has asked for it.
      const close = this.#closing === 'server';
      if (status === 204) res.endWithoutBody();
      else if (this.method === 'HEAD') res.endWithoutBody(size, close);
      else if (close || size === 0) res.end(body, close);
      else {
        // Not end(): the library would keep what the socket does not take, for as many requests as a client sends
        // without reading.
        const [, done] = res.tryEnd(body, size);
        if (!done) left = size - res.getWriteOffset();
      }
    });
    if (left === 0) this.#over();
    else this.#state = 'sending';
    return left;
  }

  /** Tells when a stalled socket takes more of a reply that reply() could not send whole. */
  resumeWith(onWritable: () => void): void {
    this.#res.onWritable(() => {
      onWritable();
      return true;
    });
  }

  /**
   * Begins a reply that push() or writeStream() sends in pieces, its headers with the first; onWritable is called when
   * a stalled socket takes more.
   */
  startPieces(type: string, extra: Header | undefined, onWritable: () => void): boolean {
    if (this.#state !== 'open') return false;
    this.#state = 'sending';
    this.#res.onWritable(() => {
      onWritable();
      // Always success: the scheduler writes in its own turn and asks to be told again when it could not.
      return true;
    });
    this.#pieceHead = () => {
      if (extra) this.#res.writeHeader(extra[0], extra[1]);
      this.#res.writeHeader('Content-Type', type);
      if (this.#closing === 'no') this.#res.writeHeader('Keep-Alive', KEEP_ALIVE_SECONDS);
      else this.#res.writeHeader('Connection', 'close');
    };
    return true;
  }

  /** Within a cork: small pieces beside large ones cost no system call of their own. */
  #writePieceHead(): void {
    this.#pieceHead?.();
    this.#pieceHead = null;
  }

  /**
   * Offers the next pieces of the body.
   * @param total bytes of the whole body
   * @returns bytes of the body taken until now, or -1 when the client has gone. Fewer than offered: the socket is full.
   */
  push(pieces: readonly Uint8Array[], total: number): number {
    if (this.#state !== 'sending') return -1;
    let taken = 0;
    this.#res.cork(() => {
      this.#writePieceHead();
      for (const piece of pieces) {
        const [whole, done] = this.#res.tryEnd(piece, total);
        if (done) taken = total;
        else taken = this.gone ? -1 : this.#res.getWriteOffset();
        if (done || !whole || taken < 0) break;
      }
    });
    if (taken === total) {
      this.#state = 'ended';
      this.#over();
    }
    return taken;
  }

  /**
   * Writes to a reply of unknown length that startPieces() began.
   * @returns false when the socket is full; the bytes are taken all the same
   */
  writeStream(bytes: Uint8Array): boolean {
    if (this.#state !== 'sending') return false;
    let room = false;
    this.#res.cork(() => {
      this.#writePieceHead();
      room = this.#res.write(bytes);
    });
    return room;
  }

  /** Ends such a reply. */
  endStream(): void {
    if (this.#state !== 'sending') return;
    this.#state = 'ended';
    this.#res.cork(() => {
      this.#writePieceHead();
      this.#res.end();
    });
    this.#over();
  }

  /** Cuts the connection without a reply. */
  close(): void {
    if (this.#state === 'open' || this.#state === 'sending') this.#res.close();
  }

  #aborted(): void {
    if (this.#state === 'ended' || this.#state === 'gone') return;
    this.#state = 'gone';
    const gone = this.#onGone;
    this.#onGone = null;
    gone?.();
    this.#over();
  }

  #over(): void {
    const end = this.#onEnd;
    this.#onEnd = null;
    this.#onGone = null;
    end?.();
  }

  // Exact from the start for a declared length of ordinary size; otherwise doubling, so that a length alone reserves
  // nothing.
  #capacity(old: number, needed: number): number {
    const declared = this.contentLength;
    const doubled = Math.max(needed, old * 2, 16 * 1024);
    return declared >= needed && (declared <= 1024 * 1024 || doubled > declared) ? declared : doubled;
  }
}

/** The first bytes of a buffer in one of another size. */
function moved(buffer: Uint8Array, length: number, capacity: number, overwrites: boolean): Uint8Array<ArrayBuffer> {
  const other = new Uint8Array(capacity);
  other.set(buffer.subarray(0, length));
  if (overwrites) buffer.fill(0);
  return other;
}
