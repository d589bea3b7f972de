// Caches replies on a front and finds them by the bytes of the request, for methods declared `cacheable`. Clients
// repeat such a call with another id or the same one. So the comparison skips the id, and the id of the request is
// copied into the cached reply. The rest of a known request is not searched for secrets, parsed, or checked again.
//
// A reply that the front made is valid as long as its tip. A reply of the node thread is valid for one state version
// (SharedState.stateVersion): the front reads the version before it sends the call, and caches the reply only if the
// version is the same when the reply arrives. The node thread changes the version with every change, in the same
// event-loop tick. So a cached reply is never older than a reply that was sent before the request. A read job about
// stored blocks is cached instead of its result, and is valid for one version of the blocks (SharedState.blocksVersion).
// Replies of methods declared `cacheable: 'blocks'` are valid as long.
//
// The entries of a batch are found like single requests, and requests of the REST interface by their target.
import { isShared, type ReplyBody, type SharedBody } from '../../link/messages.js';
import { isBlockJob } from '../reads/read-job.js';
import { decodeUnfilled, type Hole, UNFILLED } from '../reads/unfilled.js';
import { bufferOf } from '../wire/json-tokens.js';
import type { FrontContext } from './context.js';

/** Largest request and largest reply that is cached. */
const MOST_BODY_BYTES = 512;
const MOST_REPLY_BYTES = 64 * 1024;
/** Maximum size in bytes of all cached requests and replies: a few thousand headers. */
const MOST_BYTES = 4 << 20;
/** Most shared bytes of all cached replies. Other threads and fronts may hold the same bytes. */
const MOST_SHARED_BYTES = 32 << 20;
/** Number of slots, a power of two. A new reply replaces the one in its slot. */
const SLOTS = 2048;
/** Hash of a request that cannot be cached. */
const NONE = 0;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const SLASH = 0x2f;
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

/** Bytes after the id in the body of a reply. */
const AFTER_ID = Buffer.from('}\n');
const NOTHING = new Uint8Array(0);

/** Part of the reply about a header whose block is not stored: its number of transactions changes when the block arrives. */
const NO_TRANSACTIONS = '"nTx":0,';

/**
 * Position of the id in a body: its first byte, and the byte after its last. Both are 0 if the id is compared like the
 * rest.
 */
interface IdPlace {
  from: number;
  to: number;
}

/** Limits of the validity of a reply. */
export type Lasting = 'tip' | 'moment' | 'blocks';

/** Receives a reply, and caches it if its status is 200 or UNFILLED. The read job of a batch's entry comes decoded. */
export type ReplyKeeper = (status: number, body: ReplyBody | Hole) => void;

/** Facts about a request whose reply is cached. */
export interface KnownRequest {
  readonly method: string;
  /** Text before and after the result; empty for REST. */
  readonly around: readonly [prefix: string, suffix: string];
}

/** Current tip and versions, which decide whether a reply is still valid. */
export type Times = Pick<FrontContext, 'snapshot' | 'stateVersion' | 'blocksVersion'>;

/** A cached reply: its body, or the read job that makes it. */
export type KnownBody = ReplyBody | Hole;

export const isHole = (body: KnownBody): body is Hole => typeof body !== 'string' && 'job' in body;

/** A cached request and its reply. */
export class KnownReply {
  readonly method: string;
  readonly lasting: Lasting;
  readonly since: unknown;
  /** Bytes that only this reply holds, as they are counted: a later id may be longer. */
  readonly sizeBytes: number;
  readonly #body: Uint8Array;
  readonly #id: IdPlace;
  /** The part before `#reply` in a reply with shared bytes; null for other replies. */
  readonly #shared: Omit<SharedBody, 'after'> | null;
  /** The read job; null for other replies. */
  #hole: Hole | null;
  /** The reply, or the text after its shared bytes; empty for a read job. */
  #reply: Uint8Array;
  /** Length of the id in the reply. */
  #idSize: number;

  constructor(method: string, lasting: Lasting, since: unknown, body: Uint8Array, id: IdPlace, reply: Uint8Array | SharedBody | Hole) {
    this.method = method;
    this.lasting = lasting;
    this.since = since;
    this.#body = body;
    this.#id = id;
    this.#hole = isHole(reply) ? reply : null;
    this.#shared = !isHole(reply) && isShared(reply) ? reply : null;
    if (isHole(reply)) this.#reply = NOTHING;
    else this.#reply = isShared(reply) ? new Uint8Array(Buffer.from(reply.after)) : reply;
    this.#idSize = id.to - id.from;
    this.sizeBytes = body.length + this.#reply.length + (isHole(reply) ? reply.job.length : 0);
  }

  /** The reply, with the id that putId() wrote last. */
  get reply(): KnownBody {
    if (this.#hole !== null) return this.#hole;
    return this.#shared === null ? this.#reply : { ...this.#shared, after: bufferOf(this.#reply).toString() };
  }

  get sharedBytes(): number {
    return this.#shared?.shared.length ?? 0;
  }

  /** Returns whether a body equals this request except for the id. */
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
    const hole = this.#hole;
    if (hole !== null) {
      const idText = bufferOf(body).toString('latin1', from, to);
      if (idText !== hole.entry.idText) this.#hole = { ...hole, entry: { ...hole.entry, idText } };
      return;
    }
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
  #sharedBytes = 0;
  /**
   * Hashes of the newest requests by slot. Only a request that comes twice is cached, because caching costs half as
   * much as planning a call.
   */
  readonly #asked = new Int32Array(SLOTS);
  /** Position of the id in the body that was scanned last. */
  readonly #id: IdPlace = { from: 0, to: 0 };
  #hash = NONE;
  #scanned: Uint8Array | null = null;

  constructor(times: Times) {
    this.#times = times;
  }

  /** Returns the cached reply to a body if it is still valid. Its bytes are valid until the next call. */
  find(body: Uint8Array): KnownReply | null {
    const hash = this.#scan(body);
    if (hash === NONE) return null;
    const known = this.#slots[slotOf(hash)]!;
    if (known === null || !known.isOf(body, this.#id)) return null;
    if (this.#id.to > 0) known.putId(body, this.#id);
    return known.since === this.#now(known.lasting) ? known : null;
  }

  /** Returns a function that caches the reply; null if the reply must not be cached. Call it before the method runs. */
  replyKeeper(body: Uint8Array, { method, around: [prefix, suffix] }: KnownRequest, lasting: Lasting): ReplyKeeper | null {
    const hash = body === this.#scanned ? this.#hash : this.#scan(body);
    if (hash === NONE) return null;
    const slot = slotOf(hash);
    if (this.#asked[slot] !== hash) {
      this.#asked[slot] = hash;
      return null;
    }
    const own = new Uint8Array(body);
    const id = { ...this.#id };
    const times: Partial<Record<Lasting, unknown>> = {};
    for (const one of [lasting, 'blocks', 'moment'] as const) times[one] ??= this.#now(one);
    if (times[lasting] === 0) return null;
    const store = (until: Lasting, reply: Uint8Array | SharedBody | Hole): void => {
      const since = times[until];
      if (since !== 0 && since === this.#now(until)) this.#storeReply(slot, new KnownReply(method, until, since, own, id, reply));
    };
    return (status, reply) => {
      if (status === UNFILLED) {
        const hole = holeOf(reply);
        if (hole !== null && isBlockJob(hole.job)) store('blocks', { ...hole, seconds: 0 });
        return;
      }
      if (status !== 200 || isHole(reply)) return;
      if (isShared(reply)) {
        if (reply.shared.length <= MOST_SHARED_BYTES) store(lasting, reply);
        return;
      }
      if (reply.length > MOST_REPLY_BYTES) return;
      const bytes = typeof reply === 'string' ? Buffer.from(reply) : Buffer.from(reply.buffer, reply.byteOffset, reply.length);
      // Errors have another envelope and are not cached.
      const whole =
        bytes.toString('latin1', 0, prefix.length) === prefix && bytes.toString('latin1', bytes.length - suffix.length) === suffix;
      if (whole) store(lasting === 'blocks' && bytes.includes(NO_TRANSACTIONS) ? 'moment' : lasting, new Uint8Array(bytes));
    };
  }

  #now(lasting: Lasting): unknown {
    if (lasting === 'blocks') return this.#times.blocksVersion();
    return lasting === 'tip' ? this.#times.snapshot() : this.#times.stateVersion();
  }

  #storeReply(slot: number, known: KnownReply): void {
    this.#bytes += known.sizeBytes - (this.#slots[slot]?.sizeBytes ?? 0);
    this.#sharedBytes += known.sharedBytes - (this.#slots[slot]?.sharedBytes ?? 0);
    if (this.#bytes > MOST_BYTES || this.#sharedBytes > MOST_SHARED_BYTES) {
      this.#slots.fill(null);
      this.#bytes = known.sizeBytes;
      this.#sharedBytes = known.sharedBytes;
    }
    this.#slots[slot] = known;
  }

  #scan(body: Uint8Array): number {
    this.#hash = this.#hashOf(body);
    this.#scanned = this.#hash === NONE ? null : body;
    return this.#hash;
  }

  /**
   * Finds the position of the id.
   * @returns a hash of the other bytes; NONE if the body is neither a short object with strings of plain ASCII nor a
   *   REST target
   */
  #hashOf(body: Uint8Array): number {
    const { length } = body;
    const id = this.#id;
    id.from = id.to = 0;
    if (length > MOST_BODY_BYTES || (body[0] !== OPEN_BRACE && body[0] !== SLASH)) return NONE;
    let hash = 0;
    if (body[0] === SLASH) {
      for (const c of body) hash = Math.imul(hash ^ c, 0x0100_0193);
      return hash | 1;
    }
    let depth = 0;
    let start = 0;
    let hadId = false;
    for (let at = 0; at < length; at++) {
      const c = body[at]!;
      hash = Math.imul(hash ^ c, 0x0100_0193);
      if (start > 0) {
        if (c < SPACE || c === BACKSLASH || c > LAST_ASCII) return NONE;
        if (c !== QUOTE) continue;
        // The parser uses the first of several ids.
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

/** Returns the only read job of an unfilled reply; null if the reply has other parts or is too long. */
function holeOf(reply: ReplyBody | Hole): Hole | null {
  if (typeof reply !== 'string' && 'job' in reply) return reply.job.length > MOST_REPLY_BYTES ? null : reply;
  if (isShared(reply) || reply.length > MOST_REPLY_BYTES) return null;
  const [hole, ...more] = decodeUnfilled(reply);
  return typeof hole === 'object' && more.length === 0 ? hole : null;
}

/** Hashes are odd, so the lowest bit is not used. */
const slotOf = (hash: number): number => ((hash ^ (hash >>> 15)) >>> 1) & (SLOTS - 1);

/**
 * Returns the start of a member's value.
 * @param from position after the string that may be its name
 * @returns 0 if no colon follows, so that the string was not a name
 */
function valueAfter(body: Uint8Array, from: number): number {
  let at = from;
  while (body[at] === SPACE) at++;
  if (body[at++] !== COLON) return 0;
  while (body[at] === SPACE) at++;
  return at;
}

/**
 * Returns the end of an id that is a string, or a number without sign and exponent: these return in the reply exactly
 * as they came. 0 for any other id.
 */
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
