// Handles the messages of peers, one at a time for each peer: checks what is allowed before and after the handshake,
// calls the handler, and deals with payloads that do not parse (Core's ProcessMessage). All peers together get a short
// slice of each tick of the event loop. The peer with the least recent use is served first.
import { DecodeError } from '../consensus/bytes/reader.js';
import { ImmediateTask } from '../lib/immediate-task.js';
import type { Handler, NetContext, Steps } from './context.js';
import type { FairQueue } from './fair-queue.js';
import type { Peer } from './peer/peer.js';
import type { Frame } from './wire/frame.js';
import { encodeInv, type InvItem, sanitized } from './wire/messages.js';
import { INV, KNOWN_MESSAGES } from './wire/protocol.js';

/** Messages that are allowed before verack. */
const early = new Set(['version', 'verack', 'wtxidrelay', 'sendaddrv2']);
/**
 * Milliseconds of message handling per tick of the event loop: for all peers together, and for one peer. Between the
 * arrival of a block and the answers to long polls lie about ten ticks. When peers flood this node, each tick takes the
 * whole slice.
 */
const SLICE_MS = 1;
const PEER_MS = 0.5;
/**
 * Maximum number of transactions of a peer that are read ahead so that their scripts run early, and of transactions and
 * bytes in one step. A step costs tenths of a millisecond. More are read when half of them are handled, so that the
 * threads stay busy.
 */
const PREFETCH_MAX = 128;
const PREFETCH_STEP = 64;
const PREFETCH_BYTES = 32_000;
/** Maximum number of transactions that are looked up for getdata in one step. */
const LOOKUPS = 64;

export interface MessageServers {
  /** Sends a requested block. @returns false if the block is missing or must not be sent to this peer */
  sendBlock(peer: Peer, item: InvItem): Promise<boolean>;
  /** Resolves when the peer's next message may be handled; undefined if it may be handled at once. Never rejects. */
  settled(peer: Peer, command: string): Promise<void> | undefined;
  /** Starts to verify transactions of a peer that are handled next, in this order. */
  prefetch(peer: Peer, frames: readonly Frame[]): void;
  /** Sends a requested transaction. @returns false if it is missing */
  sendTransaction(peer: Peer, item: InvItem): boolean;
}

export class Dispatcher {
  /** Peers whose message is handled asynchronously: by storage, the chain's queue or the verifier. */
  readonly #busy = new Set<Peer>();
  /** Messages that are handled in steps and have steps left. */
  readonly #steps = new Map<Peer, { readonly command: string; readonly bytes: number; readonly steps: Steps }>();
  /** Frames that were read ahead: transactions, and the first frame after them. */
  readonly #prefetched = new Map<Peer, Frame[]>();
  readonly #queue: FairQueue<Peer>;
  readonly #nextSlice = new ImmediateTask(() => this.#runSlice());
  readonly #context: NetContext;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #servers: MessageServers;

  constructor(context: NetContext, queue: FairQueue<Peer>, handlers: ReadonlyMap<string, Handler>, servers: MessageServers) {
    this.#context = context;
    this.#queue = queue;
    this.#handlers = handlers;
    this.#servers = servers;
  }

  /** Schedules a peer that may have work. */
  pump(peer: Peer): void {
    if (this.#busy.has(peer) || !this.#mayGoOn(peer)) return;
    this.#queue.add(peer);
    this.#nextSlice.schedule();
  }

  /** Forgets a peer that disconnected. */
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

  /** Handles work of one peer for at most PEER_MS. */
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

  /** Returns whether work of a peer may continue. New work waits while the peer does not read what this node sends. */
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

  /** Takes the next message of a peer. Transactions that follow each other are passed to the mempool together for prefetching. */
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
      // The frame was unusable, or so long that its checksum takes several steps.
      if (next === undefined) break;
      frames.push(next);
      if (next.command !== 'tx') break;
      prefetched.push(next);
      bytes += next.payload.length;
    }
    if (frames.length > 0) this.#prefetched.set(peer, frames);
    else this.#prefetched.delete(peer);
    // A single transaction needs no prefetching: its scripts run when it is handled now.
    if (prefetched.length > (before === undefined ? 1 : 0)) this.#servers.prefetch(peer, prefetched);
    return frame;
  }

  /** Handles a message after `before` has resolved. */
  #after(peer: Peer, before: Promise<void>, handle: () => void): void {
    this.#busy.add(peer);
    void before.then(() => {
      this.#busy.delete(peer);
      if (!peer.leaving) handle();
      this.pump(peer);
    });
  }

  /** Waits for asynchronous work. Other peers are served meanwhile. */
  #await(peer: Peer, command: string, bytes: number, going: Promise<unknown>): void {
    this.#busy.add(peer);
    going
      .catch((error: unknown) => this.#failed(peer, command, bytes, error))
      .finally(() => {
        this.#context.events.emit('stepped');
        this.#busy.delete(peer);
        this.pump(peer);
      });
  }

  #guarded(peer: Peer, command: string, bytes: number, run: () => void): void {
    this.#context.events.emit('stepped');
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
    // The fault is this node's and not the peer's: storage failed, or the node is stopping.
    log.error(`Error in a message of peer=${peer.id}: ${error instanceof Error ? error.message : String(error)}`);
    this.#context.disconnect(peer);
  }

  /** Answers getdata: as many transactions as fit into a slice, then one block. */
  #serveWanted(peer: Peer): void {
    const { wanted } = peer;
    const missing: InvItem[] = [];
    const until = performance.now() + PEER_MS;
    for (let lookups = 0; lookups < LOOKUPS && !peer.connection.sendPaused; lookups++) {
      if (lookups > 0 && performance.now() > until) break;
      const item = wanted.first;
      if (item === undefined || !isTransaction(item)) break;
      wanted.drop();
      // A block-relay-only peer gets no answer.
      if (!this.#servers.sendTransaction(peer, item) && peer.relaysTransactions) missing.push(item);
    }
    // Tells the peer which entries are missing, so that the peer can ask another peer immediately.
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
        // Core sends no notfound for blocks and ignores it. Other implementations ask another peer at once.
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
