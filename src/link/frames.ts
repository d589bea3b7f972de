// Encodes small calls and their replies as frames of a ring. Calls and replies that do not fit go through the port
// (messages.ts).
//
// call    int32  0 kind · 1 number · 2 state · 3 caller · 4 bytes of the body · 5, 6 bytes of user and target · 7 words of the index
//         index, body, user, target
// cancel  int32  0 kind · 1 number
// reply   int32  0 number · 1 status · 2 messages on the port before it · 3 bytes of the body                      body
//
// A caller is a user with a request target. The first frame of a caller contains both; later frames contain only its
// number.
import { RingReader, RingWriter } from './byte-ring.js';

/**
 * Capacity of a ring, for one front and direction: enough for a full queue of ordinary calls, small enough for a
 * processor cache.
 */
export const RING_BYTES = 256 * 1024;

/** Largest body in a ring, with its index. Larger bodies go through the port. */
const MOST_BODY_BYTES = 32 * 1024;

const KIND = { CALL: 0, CANCEL: 1, PLAIN_CALL: 2 } as const;
// No state is 0, because the memory of frames that were read is filled with 0.
const STATE = { WAITING: 1, TAKEN: 2, CANCELLED: 3 } as const;
const CALL_WORDS = 8;
const REPLY_WORDS = 4;
const MOST_CALLERS = 256;
const MOST_CALLER_BYTES = 1024;

const wordsFor = (bytes: number): number => (bytes + 3) >> 2;

/** A user with a request target. */
export interface Caller {
  readonly user: string;
  readonly uri: string;
}

/** A call in a frame. */
interface FramedCall extends Caller {
  readonly body: Uint8Array;
  /** True if the body contains no secret. */
  readonly plain: boolean;
}

/** A front's end of the ring for calls. */
export class CallWriter {
  readonly ring: RingWriter;
  readonly #callers = new Map<string, Map<string, number>>();
  #count = 0;
  #last: Caller & { readonly index: number } = { user: '', uri: '', index: -1 };

  constructor(buffer: SharedArrayBuffer) {
    this.ring = new RingWriter(buffer);
  }

  /**
   * Writes a call.
   * @param index of the body; empty if it was not scanned
   * @returns position of the frame, for cancel(); -1 if the call must go through the port
   */
  write(id: number, { user, uri, body, plain }: FramedCall, index: Int32Array): number {
    const { ring } = this;
    if (body.length + index.length * 4 > MOST_BODY_BYTES || uri.length + user.length > MOST_CALLER_BYTES / 3) return -1;
    const size = CALL_WORDS + index.length + wordsFor(body.length);
    let caller = this.#callerOf(user, uri);
    const at = ring.reserveFrame(caller < 0 ? size + wordsFor(MOST_CALLER_BYTES) : size);
    if (at < 0) return -1;
    const { words, bytes } = ring;
    words.set(index, at + CALL_WORDS);
    let end = (at + CALL_WORDS + index.length) * 4;
    bytes.set(body, end);
    end += body.length;
    let userBytes = 0;
    let uriBytes = 0;
    if (caller < 0) {
      caller = this.#newCaller(user, uri);
      userBytes = bytes.write(user, end);
      uriBytes = bytes.write(uri, end + userBytes);
    }
    words[at] = plain ? KIND.PLAIN_CALL : KIND.CALL;
    words[at + 1] = id;
    words[at + 2] = STATE.WAITING;
    words[at + 3] = caller;
    words[at + 4] = body.length;
    words[at + 5] = userBytes;
    words[at + 6] = uriBytes;
    words[at + 7] = index.length;
    return ring.commit(CALL_WORDS + index.length + wordsFor(body.length + userBytes + uriBytes));
  }

  /**
   * Cancels a call: marks it if the receiver has not read it, otherwise writes a cancel frame.
   * @returns false if the ring has no space: send the cancellation through the port
   */
  cancel(id: number, position: number): boolean {
    const { ring } = this;
    if (ring.isUnread(position)) {
      const { words } = ring;
      const at = (position + 1) & (words.length - 1);
      // Positions wrap around: a call that was read long ago may seem unread, while its place belongs to another frame
      // or is empty.
      const isItself = Atomics.load(words, at + 1) === id;
      if (isItself && Atomics.compareExchange(words, at + 2, STATE.WAITING, STATE.CANCELLED) === STATE.WAITING) return true;
    }
    const at = ring.reserveFrame(2);
    if (at < 0) return false;
    ring.words[at] = KIND.CANCEL;
    ring.words[at + 1] = id;
    ring.commit(2);
    return true;
  }

  #callerOf(user: string, uri: string): number {
    const last = this.#last;
    if (uri === last.uri && user === last.user) return last.index;
    const index = this.#callers.get(user)?.get(uri);
    if (index === undefined) return -1;
    this.#last = { user, uri, index };
    return index;
  }

  #newCaller(user: string, uri: string): number {
    // Both ends store at most MOST_CALLERS callers. Then the numbers start again at 0 and the old callers are
    // overwritten one by one.
    if (this.#count === MOST_CALLERS) {
      this.#callers.clear();
      this.#count = 0;
    }
    const index = this.#count++;
    let targets = this.#callers.get(user);
    if (!targets) {
      targets = new Map();
      this.#callers.set(user, targets);
    }
    targets.set(uri, index);
    this.#last = { user, uri, index };
    return index;
  }
}

/** The receiver's end of the ring for calls. The fields describe the call that next() found. */
export class CallReader {
  readonly ring: RingReader;
  readonly #callers: Caller[] = [];
  id = 0;
  /** True if the client has disconnected: end the call if it runs, skip the call if it has not started. */
  cancelled = false;
  /** True if the frame is a call; false: it only cancels one. */
  isCall = false;
  /** True if the body contains no secret. */
  plain = false;
  #at = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.ring = new RingReader(buffer);
  }

  /** Reads the next frame. @returns false if there is none; otherwise call done() afterwards */
  next(): boolean {
    const at = this.ring.next();
    if (at < 0) return false;
    const { words, bytes } = this.ring;
    this.#at = at;
    this.id = words[at + 1];
    this.isCall = words[at] !== KIND.CANCEL;
    this.plain = words[at] === KIND.PLAIN_CALL;
    if (!this.isCall) {
      this.cancelled = true;
      return true;
    }
    this.cancelled = Atomics.compareExchange(words, at + 2, STATE.WAITING, STATE.TAKEN) !== STATE.WAITING;
    const uriBytes = words[at + 6];
    if (uriBytes > 0) {
      const user = this.#bodyStart + words[at + 4];
      const uri = user + words[at + 5];
      this.#callers[words[at + 3]] = { user: bytes.toString('utf8', user, uri), uri: bytes.toString('utf8', uri, uri + uriBytes) };
    }
    return true;
  }

  get caller(): Caller {
    return this.#callers[this.ring.words[this.#at + 3]];
  }

  get #bodyStart(): number {
    return (this.#at + CALL_WORDS + this.ring.words[this.#at + 7]) * 4;
  }

  /** Returns the index of the body, which is valid until done(); null if the body was not scanned. */
  index(): Int32Array | null {
    const words = this.ring.words[this.#at + 7];
    const start = this.#at + CALL_WORDS;
    return words === 0 ? null : this.ring.words.subarray(start, start + words);
  }

  /** Returns the bytes of the body, which are valid until done(). */
  body(): Uint8Array {
    const start = this.#bodyStart;
    return this.ring.bytes.subarray(start, start + this.ring.words[this.#at + 4]);
  }

  done(): void {
    this.ring.done();
  }
}

/** The receiver's end of the ring for replies. */
export class ReplyWriter {
  readonly ring: RingWriter;

  constructor(buffer: SharedArrayBuffer) {
    this.ring = new RingWriter(buffer);
  }

  /**
   * Writes a reply.
   * @param messages number of messages that were posted on the port before this reply
   * @returns false if the reply must go through the port
   */
  write(id: number, status: number, body: Uint8Array | string, messages: number): boolean {
    if (body.length > MOST_BODY_BYTES) return false;
    // A UTF-16 unit takes at most three bytes, so the text need not be measured.
    const most = typeof body === 'string' ? body.length * 3 : body.length;
    const { ring } = this;
    const at = ring.reserveFrame(REPLY_WORDS + wordsFor(most));
    if (at < 0) return false;
    const { words, bytes } = ring;
    const start = (at + REPLY_WORDS) * 4;
    let size = body.length;
    if (typeof body === 'string') size = bytes.write(body, start);
    else bytes.set(body, start);
    words[at] = id;
    words[at + 1] = status;
    words[at + 2] = messages;
    words[at + 3] = size;
    ring.commit(REPLY_WORDS + wordsFor(size));
    return true;
  }
}

/** A front's end of the ring for replies. The fields describe the reply that next() found. */
export class ReplyReader {
  readonly ring: RingReader;
  id = 0;
  status = 0;
  /** Number of messages on the port that come before this reply. */
  messages = 0;
  #at = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.ring = new RingReader(buffer);
  }

  /** Reads the next reply. @returns false if there is none; otherwise call done() afterwards */
  next(): boolean {
    const at = this.ring.next();
    if (at < 0) return false;
    const { words } = this.ring;
    this.#at = at;
    this.id = words[at];
    this.status = words[at + 1];
    this.messages = words[at + 2];
    return true;
  }

  /** View of the body's bytes, valid until done(). */
  body(): Uint8Array {
    const start = (this.#at + REPLY_WORDS) * 4;
    return this.ring.bytes.subarray(start, start + this.ring.words[this.#at + 3]);
  }

  done(): void {
    this.ring.done();
  }
}
