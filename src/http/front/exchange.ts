// One request and its reply. The only file that handles uWebSockets.js request and response objects: it copies what the
// library takes back, attaches the abort handler first, corks late replies, and never writes after an abort. Made by
// start-front.ts, used by front.ts, template-exchange.ts and fan-out.ts.
import { RELAY_HEADER } from '../options.js';
import { BodyPieces } from './body-pieces.js';
import { statusLine, TYPE_JSON } from './pages.js';
import type { HttpRequest, HttpResponse } from './uws.js';

/** Takes a whole body. `shared` bytes are the library's own and gone when the handler returns. */
export type BodyHandler = (exchange: Exchange, body: Uint8Array, shared: boolean) => void;

/** What an exchange asks and tells; one record for all exchanges of a front. */
export interface ExchangeOwner {
  /** Whether Accept-Encoding matters: every header that is read costs a call into the library. */
  readsEncoding: boolean;
  /** The same of what the lenient listener says of its clients. */
  readonly readsRelayed: boolean;
  /** Whether so many more bytes of a body may be held. @param submits of a client that may submit blocks */
  reserve(sizeBytes: number, submits: boolean): boolean;
  /** Instead of the body: it is larger than the limit (413), or there is no room for it (500). */
  refuse(exchange: Exchange, status: 413 | 500): void;
  /** Whether a body that begins like this may hold secrets. */
  maySecret(first: Uint8Array): boolean;
  /** The exchange is over, however it ended. */
  ended(exchange: Exchange): void;
}

/** A header beyond the usual ones. */
export type Header = readonly [name: string, value: string];

/** A text as the library takes it at half the cost: strings it encodes anew for every call. */
const fixed = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text)).buffer;

const AUTHORIZATION = fixed('authorization');
const CONTENT_LENGTH = fixed('content-length');
const ACCEPT_ENCODING = fixed('accept-encoding');
const CONNECTION = fixed('connection');
const RELAYED = fixed(RELAY_HEADER);

/**
 * The transport closes a connection that was idle for 8 to 12 s, and has no option for it. A client that reads this
 * (RFC 2068, 19.7.1.1; node's agent, urllib3, hyper) opens a new one rather than meet that moment with a request.
 */
const KEEP_ALIVE_SECONDS = 'timeout=7';

/** The two headers of nearly every reply, written as one. */
const CONTENT_TYPE = fixed('Content-Type');
const JSON_KEPT_ALIVE = fixed(`${TYPE_JSON}\r\nKeep-Alive: ${KEEP_ALIVE_SECONDS}`);

export class Exchange {
  /** Method as sent, upper or lower case. */
  readonly method: string;
  /** Request target with its query. */
  readonly target: string;
  readonly authorization: string;
  /** Declared length; -1 when none was (chunked, or no body). NaN never: the library refuses such requests. */
  readonly contentLength: number;
  /** Empty when the owner does not want it. */
  readonly acceptEncoding: string;
  /**
   * The lenient listener's token and its client's address. Any client may send this; only the token makes it count.
   * Empty when the owner does not want it.
   */
  readonly relayed: string;
  readonly #res: HttpResponse;
  /** Who calls, once that is known. */
  user = '';
  /** Whether that user may submit blocks. */
  submits = false;
  /** When bytes of the body came last, by performance.now(); 0 as long as nobody has looked at the clock for it. */
  lastDataMs = 0;
  readonly #owner: ExchangeOwner;
  #closing: 'no' | 'client' | 'server';
  #state: 'open' | 'sending' | 'ended' | 'gone' = 'open';
  #reserved = 0;
  /** Writes the headers of a reply in pieces; null once that was done. */
  #pieceHead: (() => void) | null = null;
  #onGone: (() => void) | null = null;

  constructor(res: HttpResponse, req: HttpRequest, owner: ExchangeOwner) {
    this.#res = res;
    this.#owner = owner;
    res.onAborted(() => this.#aborted());
    this.method = req.getCaseSensitiveMethod();
    const query = req.getQuery() as string | undefined;
    this.target = query === undefined ? req.getUrl() : `${req.getUrl()}?${query}`;
    this.authorization = req.getHeader(AUTHORIZATION);
    const length = req.getHeader(CONTENT_LENGTH);
    this.contentLength = length === '' ? -1 : Number(length);
    this.acceptEncoding = owner.readsEncoding ? req.getHeader(ACCEPT_ENCODING) : '';
    this.relayed = owner.readsRelayed ? req.getHeader(RELAYED) : '';
    this.#closing = req.getHeader(CONNECTION).toLowerCase() === 'close' ? 'client' : 'no';
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
   */
  readBody(limit: number, done: BodyHandler): void {
    let pieces: BodyPieces | null = null;
    this.#res.onData((chunk, isLast) => {
      if (this.#state !== 'open') return;
      // All who look for something in a body share this view: one for each would cost more than the looking.
      const bytes = Buffer.from(chunk);
      if (isLast && pieces === null && bytes.byteLength <= limit) {
        done(this, bytes, true);
        return;
      }
      if (!isLast) this.lastDataMs = performance.now();
      pieces ??= new BodyPieces(limit, this.contentLength, this.#owner, this.submits);
      const status = pieces.add(bytes);
      this.#reserved = pieces.reservedBytes;
      if (status === 'refused') return;
      if (status !== 'taken') this.#owner.refuse(this, status);
      else if (isLast) done(this, pieces.whole(), false);
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
      if (status === 200 && type === TYPE_JSON && extra === undefined && this.#closing === 'no') {
        res.writeHeader(CONTENT_TYPE, JSON_KEPT_ALIVE);
      } else this.#writeHead(status, type, extra);
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

  #writeHead(status: number, type: string, extra: Header | undefined): void {
    const res = this.#res;
    if (status !== 200) res.writeStatus(statusLine(status));
    if (extra) res.writeHeader(extra[0], extra[1]);
    if (status !== 204) res.writeHeader('Content-Type', type);
    if (this.#closing === 'client') res.writeHeader('Connection', 'close');
    else if (this.#closing === 'no') res.writeHeader('Keep-Alive', KEEP_ALIVE_SECONDS);
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
    this.#onGone = null;
    this.#owner.ended(this);
  }
}
