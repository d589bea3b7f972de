// Messages of peers, one after the other for each peer: what a message means before and after the handshake, which
// handler gets it, and what happens when it doesn't parse (Core's ProcessMessage). All peers together get a few
// milliseconds of each turn of the event loop, and the peer that used least of them lately is served first.
import { DecodeError } from '../consensus/bytes/reader.js';
import { ImmediateTask } from '../lib/immediate-task.js';
import type { Handler, NetContext, Steps } from './context.js';
import { FairQueue } from './fair-queue.js';
import type { Peer } from './peer/peer.js';
import type { Frame } from './wire/frame.js';
import { encodeInv, type InvItem, sanitized } from './wire/messages.js';
import { INV, KNOWN_MESSAGES } from './wire/protocol.js';

/** Messages that may come before verack. */
const early = new Set(['version', 'verack', 'wtxidrelay', 'sendaddrv2']);
/**
 * Milliseconds of messages in one turn of the event loop, of all peers and of one of them. From a block to the answers
 * of long polls it takes some ten turns, and in a flood each of them is as long as this.
 */
const SLICE_MS = 1;
const PEER_MS = 0.5;
/**
 * Transactions of a peer that are read ahead so that their scripts run, and how many of them, and bytes, in one step and
 * before another: tenths of a millisecond of this thread. When half of them are done with more are read, so that no thread waits for
 * another.
 */
const PREFETCH_MAX = 128;
const PREFETCH_STEP = 64;
const PREFETCH_BYTES = 32_000;
/** Transactions that are looked up for getdata in one step at most. */
const LOOKUPS = 64;

export interface MessageServers {
  /** Sends a block that was asked for. @returns false when it is not here, or not for this peer */
  sendBlock(peer: Peer, item: InvItem): Promise<boolean>;
  /** Resolves when a message of this peer may be handled; undefined when it may be at once. Never rejects. */
  settled(peer: Peer, command: string): Promise<void> | undefined;
  /** These transactions come next, in this order. */
  prefetch(peer: Peer, frames: readonly Frame[]): void;
  /** Sends a transaction. @returns false when it isn't there */
  sendTransaction(peer: Peer, item: InvItem): boolean;
  /** A message is about to be handled in this turn of the loop, or what one has set off is over. */
  stepped(): void;
}

export class Dispatcher {
  /** Peers whose message is being handled elsewhere: storage, the chain's queue, the verifier. */
  readonly #busy = new Set<Peer>();
  /** Messages that are handled in steps and are not done. */
  readonly #steps = new Map<Peer, { readonly command: string; readonly bytes: number; readonly steps: Steps }>();
  /** Messages that were read to see what comes next: transactions, and whatever stood behind the last. */
  readonly #prefetched = new Map<Peer, Frame[]>();
  readonly #queue = new FairQueue<Peer>(() => performance.now());
  readonly #nextSlice = new ImmediateTask(() => this.#runSlice());
  readonly #context: NetContext;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #servers: MessageServers;

  constructor(context: NetContext, handlers: ReadonlyMap<string, Handler>, servers: MessageServers) {
    this.#context = context;
    this.#handlers = handlers;
    this.#servers = servers;
  }

  /** There may be something to do for a peer. */
  pump(peer: Peer): void {
    if (this.#busy.has(peer) || !this.#mayGoOn(peer)) return;
    this.#queue.add(peer);
    this.#nextSlice.schedule();
  }

  /** See NetContext. */
  chargeTo<T>(peer: Peer, work: () => T): T {
    const began = performance.now();
    try {
      return work();
    } finally {
      this.#queue.charge(peer, performance.now() - began);
    }
  }

  /** The peer is gone. */
  forgetPeer(peer: Peer): void {
    this.#steps.delete(peer);
    this.#prefetched.delete(peer);
  }

  #runSlice(): void {
    const until = performance.now() + SLICE_MS;
    do {
      const peer = this.#queue.takeNext();
      if (peer === undefined) return;
      this.#serveFor(peer);
    } while (performance.now() < until);
    if (this.#queue.size > 0) this.#nextSlice.schedule();
  }

  /** A peer's share of the turn. */
  #serveFor(peer: Peer): void {
    const began = performance.now();
    let now = began;
    while (!this.#busy.has(peer) && this.#mayGoOn(peer)) {
      this.#step(peer);
      now = performance.now();
      if (now - began >= PEER_MS) break;
    }
    this.#queue.charge(peer, now - began);
    this.pump(peer);
  }

  /** There is something to do, and the peer takes what it is sent. */
  #mayGoOn(peer: Peer): boolean {
    if (peer.leaving) return false;
    if (this.#steps.has(peer)) return true;
    return !peer.connection.sendPaused && (peer.wanted.some || this.#prefetched.has(peer) || peer.connection.hasMessage);
  }

  #step(peer: Peer): void {
    const under = this.#steps.get(peer);
    if (under !== undefined) {
      this.#guarded(peer, under.command, under.bytes, () => {
        if (under.steps.next().done === true) this.#steps.delete(peer);
      });
    } else if (peer.wanted.some) this.#serveWanted(peer);
    else this.#next(peer);
  }

  #next(peer: Peer): void {
    const frame = this.#shift(peer);
    if (frame === undefined) return;
    const { command, length } = frame;
    const { log } = this.#context;
    if (log.shows('net')) log.debug('net', `received: ${sanitized(command)} (${length} bytes) peer=${peer.id}`);
    if (!peer.greeted && command !== 'version') {
      this.#context.misbehaving(peer, 1, `non-version message before version handshake. Message "${sanitized(command)}"`);
      return;
    }
    if (!peer.ready && !early.has(command)) {
      log.debug('net', `Unsupported message "${sanitized(command)}" prior to verack from peer=${peer.id}`);
      return;
    }
    if (peer.isPrivate && peer.ready && command !== 'pong' && command !== 'getdata') {
      log.debug('net', `Ignoring incoming message '${sanitized(command)}', peer=${peer.id}`);
      return;
    }
    const handler = this.#handlers.get(command);
    if (handler === undefined) {
      if (!KNOWN_MESSAGES.has(command)) log.debug('net', `Unknown command "${sanitized(command)}" from peer=${peer.id}`);
      return;
    }
    const before = this.#servers.settled(peer, command);
    if (before === undefined) this.#handle(peer, frame, handler);
    else this.#after(peer, before, () => this.#handle(peer, frame, handler));
  }

  #handle(peer: Peer, { command, payload }: Frame, handler: Handler): void {
    this.#guarded(peer, command, payload.length, () => {
      const going = handler(peer, payload);
      if (going === undefined) return;
      if ('next' in going) this.#steps.set(peer, { command, bytes: payload.length, steps: going });
      else this.#await(peer, command, payload.length, going);
    });
  }

  /** The next message. Transactions in a row are announced to the mempool together. */
  #shift(peer: Peer): Frame | undefined {
    const { connection } = peer;
    const frames = this.#prefetched.get(peer) ?? [];
    const before = frames.shift();
    const frame = before ?? connection.shift();
    const last = frames.at(-1) ?? frame;
    const held = frames.reduce((sum, { payload }) => sum + payload.length, 0);
    if (frames.length > PREFETCH_MAX / 2 || held > PREFETCH_BYTES || last?.command !== 'tx' || !peer.ready || !connection.hasWhole) {
      if (frames.length === 0) this.#prefetched.delete(peer);
      return frame;
    }
    const prefetched = before === undefined && frame !== undefined ? [frame] : [];
    let bytes = prefetched.reduce((sum, { payload }) => sum + payload.length, 0);
    while (prefetched.length < PREFETCH_STEP && bytes < PREFETCH_BYTES && connection.hasWhole) {
      const next = connection.shift();
      // Unusable, or so long that it is taken in steps.
      if (next === undefined) break;
      frames.push(next);
      if (next.command !== 'tx') break;
      prefetched.push(next);
      bytes += next.payload.length;
    }
    if (frames.length > 0) this.#prefetched.set(peer, frames);
    else this.#prefetched.delete(peer);
    // The scripts of one whose turn it is run then.
    if (prefetched.length > (before === undefined ? 1 : 0)) this.#servers.prefetch(peer, prefetched);
    return frame;
  }

  /** Handles a message once what it may count on is over. */
  #after(peer: Peer, before: Promise<void>, handle: () => void): void {
    this.#busy.add(peer);
    void before.then(() => {
      this.#busy.delete(peer);
      if (!peer.leaving) handle();
      this.pump(peer);
    });
  }

  /** Waits for what is done elsewhere; meanwhile others are served. */
  #await(peer: Peer, command: string, bytes: number, going: Promise<unknown>): void {
    this.#busy.add(peer);
    going
      .catch((error: unknown) => this.#failed(peer, command, bytes, error))
      .finally(() => {
        this.#servers.stepped();
        this.#busy.delete(peer);
        this.pump(peer);
      });
  }

  #guarded(peer: Peer, command: string, bytes: number, run: () => void): void {
    this.#servers.stepped();
    try {
      run();
    } catch (error) {
      this.#steps.delete(peer);
      this.#failed(peer, command, bytes, error);
    }
  }

  #failed(peer: Peer, command: string, bytes: number, error: unknown): void {
    const { log } = this.#context;
    if (error instanceof DecodeError) {
      log.debug('net', `ProcessMessages(${sanitized(command)}, ${bytes} bytes): Exception '${error.message}' caught`);
      return;
    }
    // A fault of ours, not of the peer: storage, or a stopping node.
    log.error(`Message of peer=${peer.id}: ${error instanceof Error ? error.message : String(error)}`);
    this.#context.disconnect(peer);
  }

  /** Answers getdata: transactions as many as fit, then one block. */
  #serveWanted(peer: Peer): void {
    const { wanted } = peer;
    const missing: InvItem[] = [];
    const until = performance.now() + PEER_MS;
    for (let lookups = 0; lookups < LOOKUPS && !peer.connection.sendPaused; lookups++) {
      if (lookups > 0 && performance.now() > until) break;
      const item = wanted.first;
      if (item === undefined || !isTransaction(item)) break;
      wanted.drop();
      // A peer for blocks only gets no answer.
      if (!this.#servers.sendTransaction(peer, item) && peer.relaysTransactions) missing.push(item);
    }
    // So that it can ask another peer without waiting.
    const notFound = (): void => {
      if (missing.length > 0 && !peer.leaving) peer.send('notfound', encodeInv(missing));
    };
    const next = wanted.first;
    if (next === undefined || isTransaction(next) || peer.connection.sendPaused) {
      notFound();
      return;
    }
    wanted.drop();
    const { type } = next;
    if (type === INV.BLOCK || type === INV.WITNESS_BLOCK || type === INV.CMPCT_BLOCK || type === INV.FILTERED_BLOCK) {
      const served = this.#servers.sendBlock(peer, next).then((sent) => {
        // Core says nothing of blocks, and passes such an answer over; others ask elsewhere at once.
        if (!sent) missing.push(next);
        notFound();
      });
      this.#await(peer, 'getdata', 0, served);
    } else notFound();
  }
}

function isTransaction({ type }: InvItem): boolean {
  return type === INV.TX || type === INV.WTX || type === INV.WITNESS_TX;
}
