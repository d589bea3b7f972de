// One request and its reply. The connection supplies and sends the bytes; the front decides what happens with the request.
import type { FrontCall } from '../../rpc/front/request-router.js';
import { BodyPieces } from './body-pieces.js';
import type { RequestHead } from './head.js';
import { httpDate, statusLine, TYPE_DEFAULT } from './pages.js';

/** Handles a whole body. If `shared` is true, the connection owns the bytes and they are valid until the handler returns. */
export type BodyHandler = (exchange: Exchange, body: Uint8Array, shared: boolean) => void;

/** Functions of the front that exchanges call; one record for all exchanges of a front. */
export interface ExchangeOwner {
  /**
   * Reserves memory for a body.
   * @param submits whether the user may submit blocks
   * @returns false if the quota is used up
   */
  reserve(sizeBytes: number, submits: boolean): boolean;
  /**
   * Called instead of the body handler: the body is larger than the limit (413), or there is no memory for it (500).
   */
  refuse(exchange: Exchange, status: 413 | 500): void;
  /** Returns whether a body that begins with these bytes may contain secrets. */
  maySecret(first: Uint8Array): boolean;
  /** Called when the exchange has ended, for whatever reason. */
  ended(exchange: Exchange): void;
}

/** Functions of the connection that an exchange calls (see connection.ts). */
export interface ExchangeWire {
  readonly remoteAddress: Uint8Array;
  readonly remoteAddressText: string;
  /** Bytes that the kernel has not accepted yet. */
  readonly unsent: number;
  /** Sends all parts at once without copying them. Strings are ASCII. @returns bytes that the kernel has not accepted yet */
  send(parts: readonly (string | Uint8Array)[]): number;
  /** Sends one string. @param ascii whether it is pure ASCII @returns bytes that the kernel has not accepted yet */
  sendText(text: string, ascii: boolean): number;
  /** Called when the reply was written. @param closes whether the connection ends with it */
  replied(closes: boolean): void;
  /** Called when the reply waits for an event. */
  parked(): void;
  /** Closes the connection immediately. */
  cut(): void;
}

/** A call of an authenticated user. */
export interface ExchangeCall extends FrontCall {
  /** True if the user may submit blocks. */
  readonly submits: boolean;
}

const NO_CALL: ExchangeCall = { user: '', uri: '', allowed: null, submits: false };

/** An additional header of a reply. */
export type Header = readonly [name: string, value: string];

/** A body up to this size is sent with its head in one piece of memory. */
const COPIED_BYTES = 256 * 1024;

/** If at most this many bytes of a reply are unsent, the connection sends them without the caller's help. */
const UNATTENDED_BYTES = 4096;

function sizeOf(body: string | Uint8Array | readonly Uint8Array[]): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.byteLength : body.reduce((sum, part) => sum + part.byteLength, 0);
}

export class Exchange {
  readonly #head: RequestHead;
  readonly #connection: ExchangeWire;
  readonly #owner: ExchangeOwner;
  /** The call that the request makes; set when its user is known. */
  call: ExchangeCall = NO_CALL;
  #closing: RequestHead['closing'];
  #state: 'open' | 'sending' | 'ended' | 'gone' = 'open';
  #reserved = 0;
  #onBody: { readonly limit: number; readonly done: BodyHandler } | null = null;
  #pieces: BodyPieces | null = null;
  /** Content type and extra header of a reply in pieces; null once its head was written. */
  #pieceHead: { readonly type: string; readonly extra: Header | undefined } | null = null;
  /** Bytes of the body that were given to the connection, and the number that push() last returned. */
  #handed = 0;
  #reported = 0;
  /** True if the pieces of a stream are sent as chunks. */
  #framed = false;
  #parked = false;
  #onFlushed: (() => void) | null = null;
  #onDisconnect: (() => void) | null = null;

  /** @param waits whether the client sends the body only after 100 Continue */
  constructor(connection: ExchangeWire, head: RequestHead, owner: ExchangeOwner, waits = false) {
    this.#connection = connection;
    this.#head = head;
    this.#owner = owner;
    this.#closing = head.closing;
    // If the reply precedes 100 Continue, the client may send the body or its next request. The connection cannot tell
    // which of the two the next bytes are, so it closes.
    if (waits) this.closeAfterReply();
  }

  /** Method as sent, upper or lower case. */
  get method(): string {
    return this.#head.method;
  }

  /** Request target with its query. */
  get uri(): string {
    return this.#head.target;
  }

  get authorization(): string {
    return this.#head.authorization;
  }

  /** Content-Length of the request; -1 if the request has none (chunked, or no body). */
  get contentLength(): number {
    return this.#head.contentLength;
  }

  get acceptEncoding(): string {
    return this.#head.acceptEncoding;
  }

  /** True if the client disconnected, or the connection was closed, before the whole reply was sent. */
  get disconnected(): boolean {
    return this.#state === 'gone';
  }

  /** Peer's address, 4 or 16 bytes. */
  get remoteAddress(): Uint8Array {
    return this.#connection.remoteAddress;
  }

  /** Peer's address as text, for the log. */
  get remoteAddressText(): string {
    return this.#connection.remoteAddressText;
  }

  /** Function that is called once if the client disconnects before the whole reply was sent. */
  set onDisconnect(handler: (() => void) | null) {
    this.#onDisconnect = handler;
  }

  /** Closes the connection after the reply, which announces it in its head. */
  closeAfterReply(): void {
    if (this.#closing === 'no') this.#closing = 'server';
  }

  /** Bytes reserved for the body; the caller that reserved them releases them. */
  get reservedBytes(): number {
    return this.#reserved;
  }

  /**
   * Marks a reply that waits for an event, or has no end. A client that closes its sending side during this time counts as
   * disconnected.
   */
  park(): void {
    if (this.#state === 'ended' || this.#state === 'gone') return;
    this.#parked = true;
    this.#connection.parked();
  }

  get parked(): boolean {
    return this.#parked;
  }

  /** True if readBody() was called and the request is not answered. */
  get wantsBody(): boolean {
    return this.#onBody !== null && this.#state === 'open';
  }

  /** Reads the body. A body that arrives in one piece is not copied. @param limit most bytes that are accepted */
  readBody(limit: number, done: BodyHandler): void {
    this.#onBody = { limit, done };
    this.#closing = this.#head.closing;
  }

  /** Called by the connection with the next bytes of the body. Ignores them if readBody() was not called. */
  takePiece(bytes: Buffer, isLast: boolean): void {
    if (!this.wantsBody) return;
    const { limit, done } = this.#onBody!;
    if (isLast && this.#pieces === null && bytes.byteLength <= limit) {
      done(this, bytes, true);
      return;
    }
    this.#pieces ??= new BodyPieces(limit, this.contentLength, this.#owner, this.call.submits);
    const status = this.#pieces.add(bytes);
    this.#reserved = this.#pieces.reservedBytes;
    if (status === 'refused') return;
    if (status !== 'taken') this.#owner.refuse(this, status);
    else if (isLast) done(this, this.#pieces.whole(), false);
  }

  /**
   * Sends a whole reply. Does nothing when the client has gone.
   * @param body parts are sent without a copy, and the caller must not change them
   * @returns bytes of the body that are unsent and that the caller must send with resumeWith() and push(); 0 when nothing
   *   is left to do
   */
  reply(status: number, type: string, body: string | Uint8Array | readonly Uint8Array[], extra?: Header): number {
    if (this.#state !== 'open') return 0;
    this.#state = 'sending';
    this.#parked = false;
    const size = sizeOf(body);
    const head = this.#headText(status, type, size, extra);
    let unsent: number;
    if (status === 204 || this.method === 'HEAD' || size === 0) unsent = this.#connection.send([head]);
    else if (typeof body === 'string') unsent = this.#connection.sendText(head + body, size === body.length);
    else if (!(body instanceof Uint8Array)) unsent = this.#connection.send([head, ...body]);
    else if (size > COPIED_BYTES) unsent = this.#connection.send([head, new Uint8Array(body)]);
    else {
      // Copied: the caller may overwrite the body after this returns.
      const whole = Buffer.allocUnsafe(head.length + size);
      whole.write(head, 'latin1');
      whole.set(body, head.length);
      unsent = this.#connection.send([whole]);
    }
    return this.#sent(size, unsent);
  }

  /** @param unsent bytes that the kernel has not accepted @returns bytes that the caller must send */
  #sent(size: number, unsent: number): number {
    if (unsent === 0) {
      this.#over();
      return 0;
    }
    this.#handed = size;
    const left = Math.min(unsent, size);
    if (left <= UNATTENDED_BYTES) {
      this.#onFlushed = () => this.#over();
      return 0;
    }
    this.#reported = size - left;
    return left;
  }

  /** Builds the head in the order and words of Core. @param size of the body; null when it is unknown */
  #headText(status: number, type: string, size: number | null, extra: Header | undefined): string {
    const { minor, keepAliveHttp10 } = this.#head;
    let head = `HTTP/1.${minor === 0 ? 0 : 1} ${statusLine(status)}\r\n`;
    if (extra) head += `${extra[0]}: ${extra[1]}\r\n`;
    const typed = status !== 204;
    if (typed && type !== TYPE_DEFAULT) head += `Content-Type: ${type}\r\n`;
    if (this.#closing === 'server') head += 'Connection: close\r\n';
    else if (keepAliveHttp10 && this.#closing === 'no') head += 'Connection: keep-alive\r\n';
    if (minor > 0) head += `Date: ${httpDate()}\r\n`;
    if (size === null) head += this.#framed ? 'Transfer-Encoding: chunked\r\n' : '';
    else if (typed) head += `Content-Length: ${size}\r\n`;
    if (typed && type === TYPE_DEFAULT) head += `Content-Type: ${type}\r\n`;
    if (this.#closing === 'client') head += 'Connection: close\r\n';
    return `${head}\r\n`;
  }

  /** Sets the function that is called when a stalled socket has sent what reply() left unsent. */
  resumeWith(onWritable: () => void): void {
    this.#onFlushed = onWritable;
  }

  /**
   * Starts a reply that push() or writeStream() sends in pieces. Its head is sent with the first piece.
   * @param onWritable called when a stalled socket accepts more bytes
   * @returns false if the reply cannot start, because the client has disconnected
   */
  startPieces(type: string, extra: Header | undefined, onWritable: () => void): boolean {
    if (this.#state !== 'open') return false;
    this.#state = 'sending';
    this.#parked = false;
    this.#onFlushed = onWritable;
    this.#pieceHead = { type, extra };
    return true;
  }

  /** Returns the head of a reply in pieces at the first call, and nothing afterwards. */
  #takeHead(size: number | null): string[] {
    const head = this.#pieceHead;
    if (head === null) return [];
    this.#pieceHead = null;
    return [this.#headText(200, head.type, size, head.extra)];
  }

  /**
   * Offers the next pieces of the body.
   * @param total bytes of the whole body
   * @returns bytes of the body that the socket has accepted so far, or -1 if the client disconnected. If these are fewer
   *   than offered, the socket is full.
   */
  push(pieces: readonly Uint8Array[], total: number): number {
    if (this.#state !== 'sending') return -1;
    if (this.#connection.unsent === 0) {
      // The pieces start at the position that push() last returned. Skip the bytes that were written since then.
      let skipped = this.#handed - this.#reported;
      const parts: (string | Uint8Array)[] = this.#takeHead(total);
      for (const piece of pieces) {
        const from = Math.min(skipped, piece.byteLength);
        skipped -= from;
        if (from === piece.byteLength) continue;
        parts.push(from === 0 ? piece : piece.subarray(from));
        this.#handed += piece.byteLength - from;
      }
      if (parts.length > 0) this.#connection.send(parts);
    }
    if (this.disconnected) return -1;
    this.#reported = Math.max(this.#reported, this.#handed - this.#connection.unsent);
    const taken = this.#reported;
    if (taken === total) this.#over();
    return taken;
  }

  /**
   * Writes to a reply of unknown length that startPieces() started.
   * @returns false if the socket is full; the bytes are sent all the same
   */
  writeStream(bytes: Uint8Array): boolean {
    if (this.#state !== 'sending') return false;
    this.#framed = this.#head.minor > 0;
    if (!this.#framed && this.#closing === 'no') this.#closing = 'old';
    const head = this.#takeHead(null);
    const unsent = this.#framed
      ? this.#connection.send([...head, `${bytes.byteLength.toString(16)}\r\n`, bytes, '\r\n'])
      : this.#connection.send([...head, bytes]);
    return unsent === 0;
  }

  /** Ends a reply of unknown length. */
  endStream(): void {
    if (this.#state !== 'sending') return;
    const head = this.#takeHead(null);
    if (this.#framed) this.#connection.send([...head, '0\r\n\r\n']);
    this.#over();
  }

  /** Closes the connection without a reply. */
  close(): void {
    if (this.#state === 'open' || this.#state === 'sending') this.#connection.cut();
  }

  /** Called by the connection when the socket has sent everything. */
  flushed(): void {
    if (this.#state === 'sending' && this.#connection.unsent === 0) this.#onFlushed?.();
  }

  /** Called by the connection when it was closed. */
  aborted(): void {
    if (this.#state === 'ended' || this.#state === 'gone') return;
    this.#state = 'gone';
    const onDisconnect = this.#onDisconnect;
    this.#onDisconnect = null;
    onDisconnect?.();
    this.#owner.ended(this);
  }

  #over(): void {
    this.#state = 'ended';
    this.#onDisconnect = null;
    this.#owner.ended(this);
    this.#connection.replied(this.#closing !== 'no');
  }
}
