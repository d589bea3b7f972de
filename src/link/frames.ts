// Small calls and their replies as frames of a ring. What does not fit goes by the port (messages.ts). Used by both
// ends of the link.
//
//   call    int32  0 kind · 1 number · 2 state · 3 caller · 4 bytes of the body · 5, 6 bytes of user and target      body, user, target
//   cancel  int32  0 kind · 1 number
//   reply   int32  0 number · 1 status · 2 messages on the port before it · 3 bytes of the body                      body
//
// A caller is a user with a request target; the first frame of one says who it is, later ones only its number.
import { RingReader, RingWriter } from './byte-ring.js';

/**
 * Room for the frames of one direction and front: enough for a full queue of ordinary calls, small enough for a cache.
 */
export const RING_BYTES = 256 * 1024;

/** Larger bodies go by the port. */
const MOST_BODY_BYTES = 32 * 1024;

const KIND = { CALL: 0, CANCEL: 1, PLAIN_CALL: 2 } as const;
// None is zero: memory of frames that were read is.
const STATE = { WAITING: 1, TAKEN: 2, CANCELLED: 3 } as const;
const CALL_WORDS = 7;
const REPLY_WORDS = 4;
const MOST_CALLERS = 256;
const MOST_CALLER_BYTES = 1024;

const wordsFor = (bytes: number): number => (bytes + 3) >> 2;

/** A user with a request target. */
export interface Caller {
  readonly user: string;
  readonly uri: string;
}

/** A front's end of the calls' ring. */
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
   * @param plain the front has looked: no passphrase in it
   * @returns its position, for cancel(); -1 when it must go by the port
   */
  write(id: number, user: string, uri: string, body: Uint8Array, plain: boolean): number {
    const { ring } = this;
    if (body.length > MOST_BODY_BYTES || uri.length + user.length > MOST_CALLER_BYTES / 3) return -1;
    const size = CALL_WORDS + wordsFor(body.length);
    let caller = this.#callerOf(user, uri);
    const at = ring.reserveFrame(caller < 0 ? size + wordsFor(MOST_CALLER_BYTES) : size);
    if (at < 0) return -1;
    const { words, bytes } = ring;
    let end = (at + CALL_WORDS) * 4;
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
    return ring.commit(CALL_WORDS + wordsFor(body.length + userBytes + uriBytes));
  }

  /**
   * Takes a call back, or tells the reader to end it.
   * @returns false when there is no room for that: say it by the port
   */
  cancel(id: number, position: number): boolean {
    const { ring } = this;
    if (ring.isUnread(position)) {
      const { words } = ring;
      const at = (position + 1) & (words.length - 1);
      // Positions come round: a call that was read long ago may seem unread, and its place is another frame's or empty.
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
    // Both ends keep at most so many: then numbers begin anew and their old meanings are overwritten one by one.
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

/** The node thread's end. Fields describe the call that next() found. */
export class CallReader {
  readonly ring: RingReader;
  readonly #callers: Caller[] = [];
  id = 0;
  /** The client has gone: to be ended if it runs, to be left out if it does not. */
  cancelled = false;
  /** The call's text; false: this is only word that a call is cancelled. */
  isCall = false;
  /** The front has looked: no passphrase in it. */
  plain = false;
  #at = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.ring = new RingReader(buffer);
  }

  /** Looks at the next frame. @returns false when there is none; otherwise done() gives it back */
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
      const user = (at + CALL_WORDS) * 4 + words[at + 4];
      const uri = user + words[at + 5];
      this.#callers[words[at + 3]] = { user: bytes.toString('utf8', user, uri), uri: bytes.toString('utf8', uri, uri + uriBytes) };
    }
    return true;
  }

  get caller(): Caller {
    return this.#callers[this.ring.words[this.#at + 3]];
  }

  /** The body's bytes, which are gone after done(). */
  body(): Uint8Array {
    const start = (this.#at + CALL_WORDS) * 4;
    return this.ring.bytes.subarray(start, start + this.ring.words[this.#at + 4]);
  }

  done(): void {
    this.ring.done();
  }
}

/** The node thread's end of the replies' ring. */
export class ReplyWriter {
  readonly ring: RingWriter;

  constructor(buffer: SharedArrayBuffer) {
    this.ring = new RingWriter(buffer);
  }

  /** Writes a reply. @param messages posted before it @returns false when it must go by the port */
  write(id: number, status: number, body: Uint8Array | string, messages: number): boolean {
    if (body.length > MOST_BODY_BYTES) return false;
    // Three bytes at most for each UTF-16 unit: texts need no measuring.
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

/** A front's end. Fields describe the reply that next() found. */
export class ReplyReader {
  readonly ring: RingReader;
  id = 0;
  status = 0;
  /** Messages on the port that come before it. */
  messages = 0;
  #at = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.ring = new RingReader(buffer);
  }

  /** Looks at the next reply. @returns false when there is none; otherwise done() gives it back */
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

  /** The body's bytes, which are gone after done(). */
  body(): Uint8Array {
    const start = (this.#at + REPLY_WORDS) * 4;
    return this.ring.bytes.subarray(start, start + this.ring.words[this.#at + 3]);
  }

  done(): void {
    this.ring.done();
  }
}
