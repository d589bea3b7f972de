// Replies that a front gives again, found by the bytes of the request: of calls declared `kept`. A client repeats such
// a call with another id or the same one, so the id is left out of the comparison and put into the reply as it came;
// the rest is neither searched for secrets nor parsed nor checked again. Used by plan.ts.
//
// A reply of the front's own holds for the tip that it was made for. One of the node thread's holds for a moment: the
// front looks at it before the call goes there and keeps the reply only if it is still the same when the reply is
// there, so the reply tells of no less than what had been acknowledged then. The node thread moves on to another moment
// with every change, in the turn of the loop that makes it.
import { bufferOf } from '../wire/json-walker.js';
import { envelopeAround } from '../wire/reply.js';
import type { RequestEntry } from '../wire/request.js';
import type { FrontContext } from './context.js';

/** Longer requests and replies are not kept. */
const MOST_BODY_BYTES = 512;
const MOST_REPLY_BYTES = 64 * 1024;
/** All of them together; a few thousand headers. */
const MOST_BYTES = 4 << 20;
/** A reply takes the place of what lies in its slot; a power of two. */
const SLOTS = 2048;
/** No hash. */
const NONE = 0;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_I = 0x69;
const LOWER_D = 0x64;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LAST_ASCII = 0x7e;

/** What follows the id in a reply's body. */
const AFTER_ID = Buffer.from('}\n');

/** Where the id stands in a body: its first byte and the one behind its last; both 0 when it is compared like the rest. */
interface IdPlace {
  from: number;
  to: number;
}

/** What a reply holds for. */
export type Lasting = 'tip' | 'moment';

/** Takes the body of a reply with status 200. */
export type ReplyKeeper = (body: string | Uint8Array) => void;

/** What decides whether a reply still holds. */
export type Times = Pick<FrontContext, 'snapshot' | 'stateVersion'>;

/** A request and its reply. */
export class KnownReply {
  readonly method: string;
  readonly lasting: Lasting;
  readonly since: unknown;
  readonly #body: Uint8Array;
  readonly #id: IdPlace;
  #reply: Uint8Array;
  /** Bytes of the id in the reply. */
  #idSize: number;

  constructor(method: string, lasting: Lasting, since: unknown, body: Uint8Array, id: IdPlace, reply: Uint8Array) {
    this.method = method;
    this.lasting = lasting;
    this.since = since;
    this.#body = body;
    this.#id = id;
    this.#reply = reply;
    this.#idSize = id.to - id.from;
  }

  /** With the id that putId() wrote last. */
  get reply(): Uint8Array {
    return this.#reply;
  }

  get sizeBytes(): number {
    return this.#body.length + this.#reply.length;
  }

  /** Whether a body is this one but for its id. */
  isOf(body: Uint8Array, { from, to }: IdPlace): boolean {
    const known = this.#body;
    const shift = this.#id.to - to;
    if (from !== this.#id.from || to > 0 !== this.#id.to > 0 || body.length + shift !== known.length) return false;
    for (let at = 0; at < from; at++) if (body[at] !== known[at]) return false;
    for (let at = to; at < body.length; at++) if (body[at] !== known[at + shift]) return false;
    return true;
  }

  /** Writes the id of a request into the reply, which ends with it. */
  putId(body: Uint8Array, { from, to }: IdPlace): void {
    const size = to - from;
    const head = this.#reply.length - this.#idSize - AFTER_ID.length;
    if (size !== this.#idSize) {
      const other = new Uint8Array(head + size + AFTER_ID.length);
      other.set(this.#reply.subarray(0, head));
      other.set(AFTER_ID, head + size);
      this.#reply = other;
      this.#idSize = size;
    }
    for (let i = 0; i < size; i++) this.#reply[head + i] = body[from + i]!;
  }
}

export class KnownReplies {
  readonly #times: Times;
  readonly #slots = new Array<KnownReply | null>(SLOTS).fill(null);
  #bytes = 0;
  /** Hashes of what was asked last, by slot: only what is asked twice is kept, since keeping costs half a plan. */
  readonly #asked = new Int32Array(SLOTS);
  /** Of the body that was scanned last. */
  readonly #id: IdPlace = { from: 0, to: 0 };
  #hash = NONE;
  #scanned: Uint8Array | null = null;

  constructor(times: Times) {
    this.#times = times;
  }

  /** The reply to a body if it is known and holds; its bytes are right until the next call. */
  find(body: Uint8Array): KnownReply | null {
    const hash = this.#scan(body);
    if (hash === NONE) return null;
    const known = this.#slots[slotOf(hash)]!;
    if (known === null || !known.isOf(body, this.#id)) return null;
    if (this.#id.to > 0) known.putId(body, this.#id);
    return known.since === this.#now(known.lasting) ? known : null;
  }

  /** What is to be shown the reply; to be asked for before the call runs. Null: it is not kept. */
  replyKeeper(body: Uint8Array, entry: RequestEntry, lasting: Lasting): ReplyKeeper | null {
    const hash = body === this.#scanned ? this.#hash : this.#scan(body);
    if (hash === NONE) return null;
    const slot = slotOf(hash);
    if (this.#asked[slot] !== hash) {
      this.#asked[slot] = hash;
      return null;
    }
    const own = new Uint8Array(body);
    const id = { ...this.#id };
    const since = this.#now(lasting);
    if (since === 0) return null;
    const [prefix, suffix] = envelopeAround(entry);
    return (reply) => {
      if (reply.length > MOST_REPLY_BYTES || since !== this.#now(lasting)) return;
      const text = typeof reply === 'string' ? reply : bufferOf(reply).toString();
      // The envelope of anything else than a result looks different.
      if (!text.startsWith(prefix) || !text.endsWith(suffix)) return;
      this.#storeReply(slot, new KnownReply(entry.method, lasting, since, own, id, new Uint8Array(Buffer.from(text))));
    };
  }

  #now(lasting: Lasting): unknown {
    return lasting === 'tip' ? this.#times.snapshot() : this.#times.stateVersion();
  }

  #storeReply(slot: number, known: KnownReply): void {
    this.#bytes += known.sizeBytes - (this.#slots[slot]?.sizeBytes ?? 0);
    if (this.#bytes > MOST_BYTES) {
      this.#slots.fill(null);
      this.#bytes = known.sizeBytes;
    }
    this.#slots[slot] = known;
  }

  #scan(body: Uint8Array): number {
    this.#hash = this.#hashOf(body);
    this.#scanned = this.#hash === NONE ? null : body;
    return this.#hash;
  }

  /**
   * Finds where the id stands.
   * @returns a hash of what is left; NONE for a body that is not a short object with strings of plain ASCII
   */
  #hashOf(body: Uint8Array): number {
    const { length } = body;
    const id = this.#id;
    id.from = id.to = 0;
    if (length > MOST_BODY_BYTES || body[0] !== OPEN_BRACE) return NONE;
    let hash = 0;
    let depth = 0;
    let start = 0;
    let hadId = false;
    for (let at = 0; at < length; at++) {
      const c = body[at]!;
      hash = Math.imul(hash ^ c, 0x0100_0193);
      if (start > 0) {
        if (c < SPACE || c === BACKSLASH || c > LAST_ASCII) return NONE;
        if (c !== QUOTE) continue;
        // Of several ids the parser takes the first.
        if (depth === 1 && !hadId && at - start === 2 && body[start] === LOWER_I && body[start + 1] === LOWER_D) {
          const value = valueAfter(body, at + 1);
          hadId = value > 0;
          const end = hadId ? idEnd(body, value) : 0;
          if (end > 0) {
            id.from = value;
            id.to = end;
            at = end - 1;
          }
        }
        start = 0;
      } else if (c === QUOTE) start = at + 1;
      else if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
      else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--;
    }
    return hash | 1;
  }
}

/** Hashes are odd. */
const slotOf = (hash: number): number => ((hash ^ (hash >>> 15)) >>> 1) & (SLOTS - 1);

/** Where the value of a member begins whose name ends before; 0 when no colon follows: it was no name. */
function valueAfter(body: Uint8Array, from: number): number {
  let at = from;
  while (body[at] === SPACE) at++;
  if (body[at++] !== COLON) return 0;
  while (body[at] === SPACE) at++;
  return at;
}

/** Where an id ends that is a string or a number without sign and exponent, which go back as they came; 0 for any other. */
function idEnd(body: Uint8Array, from: number): number {
  let at = from;
  if (body[at] === QUOTE) {
    while (++at < body.length && body[at] !== QUOTE) if (body[at]! < SPACE || body[at] === BACKSLASH || body[at]! > LAST_ASCII) return 0;
    return at < body.length ? at + 1 : 0;
  }
  at = digitsEnd(body, from);
  if (at === from || (body[from] === ZERO && at > from + 1)) return 0;
  if (body[at] === POINT) {
    const point = at++;
    at = digitsEnd(body, at);
    if (at === point + 1) return 0;
  }
  return body[at] === COMMA || body[at] === CLOSE_BRACE || body[at] === SPACE ? at : 0;
}

function digitsEnd(body: Uint8Array, from: number): number {
  let at = from;
  while (body[at]! >= ZERO && body[at]! <= NINE) at++;
  return at;
}
