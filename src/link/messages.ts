// What crosses between a front and the node thread on their port. Small calls and replies go by rings (frames.ts);
// larger ones and rarer items travel packed, one post per turn of the loop and direction; news (tips, templates, slabs)
// and everything that carries shared memory travels as plain objects, and null wakes the other side. Both ends of the
// link are the only users.

import type { MessagePort } from 'node:worker_threads';
import { Packr } from 'msgpackr';
import type { TemplateFacts } from '../template/facts.js';
import type { SlabInfo, SlabRef } from './slab-ring.js';

/** Facts of the tip, published by the node thread with every change. */
export interface TipSnapshot {
  readonly height: number;
  /** Display hex. */
  readonly hashHex: string;
  readonly difficulty: number;
}

/** Bytes of an argument that was taken out of a body, and the text that stands for it there. */
export interface TakenBlock {
  /** No argument has it by chance: it is drawn for each body. */
  readonly token: string;
  /** Has an ArrayBuffer of its own. */
  readonly bytes: Uint8Array;
}

/** What was taken out of a body that is passed on from thread to thread. Each has an ArrayBuffer of its own. */
export interface PassedSecrets {
  /** By the texts that stand for them in the body. */
  readonly keys: readonly (readonly [token: string, key: Uint8Array])[];
  /** By position of the argument. */
  readonly passphrases: readonly (readonly [at: number, passphrase: Uint8Array])[];
}

/** One side's ports, and the shared memory of the rings (frames.ts). */
export interface LinkPorts {
  readonly main: MessagePort;
  /** Submissions, and whatever else goes before everything. */
  readonly priority: MessagePort;
  readonly calls: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
}

/** Facts of a tip with what tells which of two is the better one. */
export interface WorkedTip extends TipSnapshot {
  /** Work of the chain up to it, 64 digits. */
  readonly chainWorkHex: string;
}

/** Facts of a tip as they cross: `epoch` is the shared state's value once they bind. */
export interface PublishedTip extends WorkedTip {
  readonly epoch: number;
}

/** First member of a packed item. */
export const ITEM = {
  /** front: id, user, uri, method, body | part number */
  REQUEST: 0,
  /** front: id; the client has gone. Also of calls that went by the ring, when that has no room */
  CANCEL: 1,
  /** front: id; asks for a template of the tip as it is now */
  TEMPLATE: 2,
  /** front: method, calls, errors, seconds, bucket counts...; calls answered alone since the last report */
  COUNTS: 3,
  /** node: id, status, body | part number */
  REPLY: 4,
  /** node: id, error code | 0, text; answers TEMPLATE, after the template itself was posted */
  TEMPLATE_READY: 5,
} as const;

/** A packed item: kind, then what ITEM says. */
export type Item = readonly [kind: number, ...rest: unknown[]];

/** A call that jumps the queue, on the priority port. */
export interface PriorityCall {
  readonly id: number;
  readonly user: string;
  readonly uri: string;
  readonly method: string;
  /** A block or header, which others let pass. */
  readonly submission: boolean;
  readonly body: Uint8Array;
  /** The block that the front took out of the body. */
  readonly block: TakenBlock | null;
  /** Null: they are in the body, if anywhere. */
  readonly taken: PassedSecrets | null;
}

/** Rare messages of the node to a front. */
export type FrontNews =
  | { readonly news: 'tip'; readonly tip: PublishedTip }
  | { readonly news: 'template'; readonly facts: TemplateFacts; readonly slab: SlabRef | null }
  | { readonly news: 'slab'; readonly slab: SlabInfo }
  /** Cut off every reader of this slab. */
  | { readonly news: 'evict'; readonly index: number }
  | { readonly news: 'warmup'; readonly text: string }
  /** A link to the wallets' thread. */
  | { readonly news: 'wallets'; readonly link: LinkPorts }
  /** Tells the first front to listen, and to distribute sockets over these ports. */
  | { readonly news: 'listen'; readonly others: readonly MessagePort[] }
  /** Gives another front the port on which it receives sockets as file descriptors. */
  | { readonly news: 'deal'; readonly sockets: MessagePort }
  | { readonly news: 'stopListening' }
  /** Wants a sign of life. */
  | { readonly news: 'alive' }
  | { readonly news: 'drain' }
  | { readonly news: 'close' };

/** Rare messages of a front to the node. */
export type NodeNews =
  | { readonly news: 'ready' }
  | { readonly news: 'listening'; readonly ports: readonly (number | null)[] }
  | { readonly news: 'notice'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly news: 'detail'; readonly category: 'http' | 'rpc'; readonly text: string }
  | { readonly news: 'evicted'; readonly count: number }
  | { readonly news: 'alive' }
  | { readonly news: 'drained' }
  | { readonly news: 'closed' };

/** Above this a body travels as a transferred part of its own, below it inside the packed items. */
export const PART_BYTES = 64 * 1024;

// Views of the message are fine: each end lets go of them within the turn, or copies.
const packr = new Packr({ useRecords: false, mapsAsObjects: true });

/** Whatever takes messages for the other side. */
export interface Post {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
}

/** A turn's worth of items in one direction. */
export class Outbox {
  readonly #port: Post;
  #items: Item[] = [];
  #parts: Uint8Array[] = [];
  #scheduled = false;

  constructor(port: Post) {
    this.#port = port;
  }

  /** Adds a part to be transferred and gives the number that stands for it. The bytes must own their ArrayBuffer. */
  part(bytes: Uint8Array): number {
    return this.#parts.push(bytes) - 1;
  }

  push(item: Item): void {
    this.#items.push(item);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.flush);
  }

  /** Posts what has gathered; also called where order against other messages matters. */
  flush = (): void => {
    this.#scheduled = false;
    if (this.#items.length === 0) return;
    // A packed result is a view of a shared pool: a copy of its own size is what may be posted.
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
      parts.map((part) => part.buffer as ArrayBuffer),
    );
  };
}

/** Items and parts of a packed message. */
export function unpackMessage(message: Uint8Array | [Uint8Array, ...Uint8Array[]]): { items: Item[]; parts: Uint8Array[] } {
  if (message instanceof Uint8Array) return { items: packr.unpack(message) as Item[], parts: [] };
  const [packed, ...parts] = message;
  return { items: packr.unpack(packed) as Item[], parts };
}

/** Whether a message is packed items rather than news. */
export function isPacked(message: unknown): message is Uint8Array | [Uint8Array, ...Uint8Array[]] {
  return message instanceof Uint8Array || Array.isArray(message);
}

/** A body as an item's member: itself when small, the number of a part when large. */
export function bodyMember(outbox: Outbox, body: Uint8Array | string): Uint8Array | string | number {
  if (typeof body === 'string') {
    // Three bytes at most for each UTF-16 unit: short texts need no measuring.
    if (body.length * 3 <= PART_BYTES) return body;
    const bytes = new Uint8Array(Buffer.byteLength(body));
    new TextEncoder().encodeInto(body, bytes);
    return outbox.part(bytes);
  }
  if (body.byteLength <= PART_BYTES) return body;
  const own = body.byteOffset === 0 && body.byteLength === body.buffer.byteLength && body.buffer instanceof ArrayBuffer;
  return outbox.part(own && !Buffer.isBuffer(body) ? body : new Uint8Array(body));
}

/** The body that a member stands for. */
export function memberBody(member: unknown, parts: readonly Uint8Array[]): Uint8Array | string {
  return typeof member === 'number' ? parts[member] : (member as Uint8Array | string);
}
