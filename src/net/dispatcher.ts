// Messages of peers, one after the other for each peer: what a message means before and after the handshake, who handles it, and what
// happens when it doesn't parse (Core's ProcessMessage). Callers: Net.
import { DecodeError } from '../consensus/bytes/reader.js';
import type { Handler, NetContext } from './context.js';
import type { Peer } from './peer/peer.js';
import { encodeInv, type InvItem, sanitized } from './wire/messages.js';
import { INV, MESSAGES } from './wire/protocol.js';

/** Messages that may come before verack. */
const early = new Set(['version', 'verack', 'wtxidrelay', 'sendaddrv2']);
const known = new Set<string>(MESSAGES);
/** Milliseconds of messages handled before others get a turn. */
const TURN_MS = 5;

export interface Servers {
  /** Sends a block that was asked for. */
  block(peer: Peer, item: InvItem): Promise<void>;
  /** Sends a transaction. @returns false when it isn't there */
  transaction(peer: Peer, item: InvItem): boolean;
}

export class Dispatcher {
  readonly #busy = new Set<Peer>();

  constructor(
    private readonly context: NetContext,
    private readonly handlers: ReadonlyMap<string, Handler>,
    private readonly servers: Servers,
  ) {}

  /** Works off a peer's inbox, unless that goes on already. */
  pump(peer: Peer): void {
    if (this.#busy.has(peer) || peer.leaving) return;
    this.#busy.add(peer);
    this.#run(peer)
      .catch((error: unknown) => {
        // A fault of ours, not of the peer: storage, or a stopping node.
        this.context.log.error(`Message of peer=${peer.id}: ${error instanceof Error ? error.message : String(error)}`);
        this.context.disconnect(peer);
      })
      .finally(() => {
        this.#busy.delete(peer);
        if (this.#mayGoOn(peer)) setImmediate(() => this.pump(peer));
      });
  }

  /** There is something to do, and the peer takes what it is sent. */
  #mayGoOn(peer: Peer): boolean {
    return !peer.leaving && !peer.connection.sendPaused && (peer.wanted.length > 0 || peer.connection.hasMessage);
  }

  async #run(peer: Peer): Promise<void> {
    let since = performance.now();
    while (this.#mayGoOn(peer)) {
      if (peer.wanted.length > 0) await this.#serve(peer);
      else await this.#next(peer);
      if (performance.now() - since < TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
  }

  async #next(peer: Peer): Promise<void> {
    const frame = peer.connection.shift();
    if (frame === undefined) return;
    const { command, payload } = frame;
    const { log } = this.context;
    log.debug('net', `received: ${sanitized(command)} (${payload.length} bytes) peer=${peer.id}`);
    if (!peer.greeted && command !== 'version') {
      this.context.misbehaving(peer, 1, 'non-version message before version handshake');
      return;
    }
    if (!peer.ready && !early.has(command)) {
      log.debug('net', `Unsupported message "${sanitized(command)}" prior to verack from peer=${peer.id}`);
      return;
    }
    const handler = this.handlers.get(command);
    if (handler === undefined) {
      if (!known.has(command)) log.debug('net', `Unknown command "${sanitized(command)}" from peer=${peer.id}`);
      return;
    }
    try {
      await handler(peer, payload);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      log.debug('net', `ProcessMessages(${sanitized(command)}, ${payload.length} bytes): Exception '${error.message}' caught`);
    }
  }

  /** Answers getdata: transactions as many as fit, then one block. */
  async #serve(peer: Peer): Promise<void> {
    const { wanted } = peer;
    const missing: InvItem[] = [];
    let at = 0;
    for (; at < wanted.length && isTransaction(wanted[at] as InvItem) && !peer.connection.sendPaused; at++) {
      const item = wanted[at] as InvItem;
      if (!this.servers.transaction(peer, item)) missing.push(item);
    }
    const next = wanted[at];
    if (next !== undefined && !isTransaction(next) && !peer.connection.sendPaused) {
      at++;
      if (next.type === INV.BLOCK || next.type === INV.WITNESS_BLOCK || next.type === INV.CMPCT_BLOCK || next.type === INV.FILTERED_BLOCK) {
        await this.servers.block(peer, next);
      }
    }
    wanted.splice(0, at);
    // So that it can ask somebody else without waiting.
    if (missing.length > 0 && !peer.leaving) peer.send('notfound', encodeInv(missing));
  }
}

function isTransaction({ type }: InvItem): boolean {
  return type === INV.TX || type === INV.WTX || type === INV.WITNESS_TX;
}
