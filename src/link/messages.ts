// Messages between a front and a thread that runs calls. Small calls and replies go through rings (frames.ts). Larger
// calls and rarer items travel packed by msgpackr, one message per event-loop tick and direction. News (tips,
// templates, slabs) and everything that carries shared memory travel as plain objects. The message null wakes the other
// side.

import type { MessagePort } from 'node:worker_threads';
import { Packr } from 'msgpackr';
import type { TemplateFacts } from '../template/index.js';
import type { SlabInfo, SlabRef } from './slab-ring.js';

/** Facts of the tip, published by the node thread at every tip change. */
export interface TipSnapshot {
  readonly height: number;
  /** Hash as it is displayed: byte order reversed. */
  readonly hashHex: string;
  readonly difficulty: number;
}

/** The block argument that was taken out of a body, and the token that replaces it in the body. */
export interface TakenBlock {
  /** Random for each body, so that no argument equals it by chance. */
  readonly token: string;
  /** Has an ArrayBuffer of its own, so that it can be transferred. */
  readonly bytes: Uint8Array;
}

/** Secrets that were taken out of a body and travel with it to another thread. Each has an ArrayBuffer of its own. */
export interface PassedSecrets {
  /** Private keys, by the tokens that replace them in the body. */
  readonly keys: readonly (readonly [token: string, key: Uint8Array])[];
  /** Passphrases, by position of the argument. */
  readonly passphrases: readonly (readonly [at: number, passphrase: Uint8Array])[];
}

/** Ports of one side, and the shared memory of the rings (frames.ts). */
export interface LinkPorts {
  readonly main: MessagePort;
  /** Port for submissions, and for calls with secrets. */
  readonly priority: MessagePort;
  readonly calls: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
}

/** Facts of a tip with its chain work, so that two tips can be compared. */
export interface WorkedTip extends TipSnapshot {
  /** Total work of the chain up to the tip, 64 hex digits. */
  readonly chainWorkHex: string;
}

/** Facts of a tip as they are posted. `epoch` is the value of the shared state once the facts are in force. */
export interface PublishedTip extends WorkedTip {
  readonly epoch: number;
}

/** Body of a reply with bytes that several replies share. They lie in shared memory and cross without a copy. */
export interface SharedBody {
  readonly before: string;
  readonly shared: Uint8Array;
  readonly after: string;
}

/** Body of a reply. Text is sent as UTF-8. */
export type ReplyBody = string | Uint8Array | SharedBody;

/** Returns whether a body contains shared bytes. */
export const isShared = (body: ReplyBody): body is SharedBody => typeof body !== 'string' && 'shared' in body;

/** Returns the parts of a body with shared bytes. */
export const partsOf = ({ before, shared, after }: SharedBody): Uint8Array[] => [Buffer.from(before), shared, Buffer.from(after)];

/** Returns a body in one piece. */
export const wholeBody = (body: ReplyBody): string | Uint8Array => (isShared(body) ? Buffer.concat(partsOf(body)) : body);

/** Kinds of packed items: the first member of each. */
export const ITEM = {
  /** from a front: id, user, uri, method, body | number of the part, index of the body | number of the part | null */
  REQUEST: 0,
  /** from a front: id; the client has disconnected. Also for calls in the ring, if the ring has no space */
  CANCEL: 1,
  /** from a front: id; requests a template of the current tip */
  TEMPLATE: 2,
  /**
   * from a front: method, calls, errors, seconds, bucket counts...; calls that the front answered since the last report
   */
  COUNTS: 3,
  /** to a front: id, status, body | number of the part | [text before, number of the part, text after, number of the shared bytes] */
  REPLY: 4,
  /** to a front: id, error code | 0, text; answers TEMPLATE, after the template itself was posted */
  TEMPLATE_READY: 5,
} as const;

/** A packed item: its kind, then the members that ITEM lists. */
export type Item = readonly [kind: number, ...rest: unknown[]];

/** A call on the priority port, which runs before waiting calls. */
export interface PriorityCall {
  readonly id: number;
  readonly user: string;
  readonly uri: string;
  readonly method: string;
  /** True for a block or header, which other calls wait for. */
  readonly submission: boolean;
  readonly body: Uint8Array;
  /** Index of the body; null if it was not scanned. */
  readonly index: Int32Array | null;
  /** Block that the front took out of the body. */
  readonly block: TakenBlock | null;
  /** Secrets that were taken out of the body; null: any secrets are still in the body. */
  readonly taken: PassedSecrets | null;
}

/** Messages to a front that are not replies. */
export type FrontNews =
  | { readonly news: 'tip'; readonly tip: PublishedTip }
  | { readonly news: 'template'; readonly facts: TemplateFacts; readonly slab: SlabRef | null }
  | { readonly news: 'slab'; readonly slab: SlabInfo }
  /** Disconnects every reader of this slab. */
  | { readonly news: 'evict'; readonly index: number }
  | { readonly news: 'warmup'; readonly text: string }
  /** Gives the front a link to the wallets' thread. */
  | { readonly news: 'wallets'; readonly link: LinkPorts }
  /** Tells the first front to listen, and to distribute sockets over these ports. */
  | { readonly news: 'listen'; readonly others: readonly MessagePort[] }
  /** Gives each front except the first the port on which it receives sockets as file descriptors. */
  | { readonly news: 'deal'; readonly sockets: MessagePort }
  | { readonly news: 'stopListening' }
  /** Records of shares of Stratum V1 miners, for the fleet's thread to publish. */
  | { readonly news: 'shares'; readonly number: number; readonly records: Uint8Array }
  /** Asks whether the thread still works. */
  | { readonly news: 'alive' }
  | { readonly news: 'drain' }
  | { readonly news: 'close' };

/** Messages of a front that are not calls. */
export type NodeNews =
  | { readonly news: 'ready' }
  | { readonly news: 'listening'; readonly ports: readonly (number | null)[] }
  | { readonly news: 'notice'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly news: 'detail'; readonly category: 'http' | 'rpc'; readonly text: string }
  | { readonly news: 'evicted'; readonly count: number }
  /** Answer to `shares`. published: false if the broker may not have the records. */
  | { readonly news: 'shares'; readonly number: number; readonly published: boolean }
  | { readonly news: 'alive' }
  | { readonly news: 'drained' }
  | { readonly news: 'closed' };

/** Bodies above this size are transferred as parts of the message, without a copy. Smaller ones are inside the packed items. */
export const PART_BYTES = 64 * 1024;

// Unpacked bytes may be views of the message: each end copies them, or releases them within the tick.
const packr = new Packr({ useRecords: false, mapsAsObjects: true });

/** Port to the other side. */
export interface Post {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
}

/** Collects the items of one tick in one direction, and posts them as one message. */
export class Outbox {
  readonly #port: Post;
  #items: Item[] = [];
  #parts: Uint8Array[] = [];
  #scheduled = false;

  constructor(port: Post) {
    this.#port = port;
  }

  /** Adds a part that is transferred, or shared. Bytes to transfer must own their ArrayBuffer. @returns number of the part */
  part(bytes: Uint8Array): number {
    return this.#parts.push(bytes) - 1;
  }

  push(item: Item): void {
    this.#items.push(item);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.flush);
  }

  /**
   * Posts the collected items. Called at the end of the tick, and wherever the order relative to other messages
   * matters.
   */
  flush = (): void => {
    this.#scheduled = false;
    if (this.#items.length === 0) return;
    // The packed bytes are a view of a shared pool, so post a copy of their exact size.
    const packed = new Uint8Array(packr.pack(this.#items));
    this.#items = [];
    const parts = this.#parts;
    if (parts.length === 0) {
      this.#port.postMessage(packed);
      return;
    }
    this.#parts = [];
    this.#port.postMessage(
      [packed, ...parts],
      parts.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? buffer : [])),
    );
  };
}

/** Returns the items and parts of a packed message. */
export function unpackMessage(message: Uint8Array | [Uint8Array, ...Uint8Array[]]): { items: Item[]; parts: Uint8Array[] } {
  if (message instanceof Uint8Array) return { items: packr.unpack(message) as Item[], parts: [] };
  const [packed, ...parts] = message;
  return { items: packr.unpack(packed) as Item[], parts };
}

/** Returns whether a message contains packed items and is not news. */
export function isPacked(message: unknown): message is Uint8Array | [Uint8Array, ...Uint8Array[]] {
  return message instanceof Uint8Array || Array.isArray(message);
}

/**
 * Returns a body in the form in which an item contains it: the body itself up to PART_BYTES; above, the number of the
 * part that this function adds to the outbox.
 */
export function bodyMember(outbox: Outbox, body: Uint8Array | string): Uint8Array | string | number {
  if (typeof body === 'string') {
    // A UTF-16 unit takes at most three bytes, so short texts need not be measured.
    if (body.length * 3 <= PART_BYTES) return body;
    const bytes = new Uint8Array(Buffer.byteLength(body));
    new TextEncoder().encodeInto(body, bytes);
    return outbox.part(bytes);
  }
  if (body.byteLength <= PART_BYTES) return body;
  const own = body.byteOffset === 0 && body.byteLength === body.buffer.byteLength && body.buffer instanceof ArrayBuffer;
  return outbox.part(own && !Buffer.isBuffer(body) ? body : new Uint8Array(body));
}

/** Numbers of shared bytes that this thread has sent. */
const sharedNumbers = new WeakMap<Uint8Array, number>();
let lastShared = 0;

function numberOf(shared: Uint8Array): number {
  let number = sharedNumbers.get(shared);
  if (number === undefined) sharedNumbers.set(shared, (number = ++lastShared));
  return number;
}

/** Returns the body of a reply in the form in which an item contains it. */
export function replyMember(outbox: Outbox, body: ReplyBody): unknown {
  if (!isShared(body)) return bodyMember(outbox, body);
  return [body.before, outbox.part(body.shared), body.after, numberOf(body.shared)];
}

/**
 * Converts received items to bodies of replies. Every message with shared memory makes another object for the same
 * memory. This class returns the same object for the same memory, so that the receiver can count its bytes once.
 */
export class ReplyMembers {
  /** Shared bytes by number, as long as the receiver uses them. */
  readonly #shared = new Map<number, WeakRef<Uint8Array>>();

  /** Returns the body of a reply from its form in an item (replyMember). */
  replyOf(member: unknown, parts: readonly Uint8Array[]): ReplyBody {
    if (!Array.isArray(member)) return memberBody(member, parts);
    const [before, part, after, number] = member as [string, number, string, number];
    return { before, shared: this.#known(number, parts[part]), after };
  }

  #known(number: number, received: Uint8Array): Uint8Array {
    const known = this.#shared.get(number)?.deref();
    if (known !== undefined) return known;
    for (const [old, ref] of this.#shared) if (ref.deref() === undefined) this.#shared.delete(old);
    this.#shared.set(number, new WeakRef(received));
    return received;
  }
}

/** Returns a copy of the index of a body in the form in which an item contains it. */
export function indexMember(outbox: Outbox, index: Int32Array | null): Uint8Array | number | null {
  if (index === null) return null;
  return bodyMember(outbox, new Uint8Array(new Int32Array(index).buffer)) as Uint8Array | number;
}

/** Returns the index from its form in an item (indexMember). */
export function memberIndex(member: unknown, parts: readonly Uint8Array[]): Int32Array | null {
  if (member === null) return null;
  const bytes = memberBody(member, parts) as Uint8Array;
  return new Int32Array(new Uint8Array(bytes).buffer);
}

/** Returns the body from its form in an item (bodyMember). */
export function memberBody(member: unknown, parts: readonly Uint8Array[]): Uint8Array | string {
  return typeof member === 'number' ? parts[member] : (member as Uint8Array | string);
}
