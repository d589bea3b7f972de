// Public face of the network module: its four layers (layers/), who receives the events between their parts, and a round of
// sending ten times a second.

import type { HeaderNode, TipChange } from '../chain/index.js';
import type { BlockView } from '../consensus/block/block-view.js';
import type { BlockHash } from '../consensus/ids.js';
import type { Reject } from '../consensus/state.js';
import type { MempoolEntry, RemovalReason } from '../mempool/index.js';
import type { NetClock, NetContext, NetEvents } from './context.js';
import { Dispatcher } from './dispatcher.js';
import { FairQueue } from './fair-queue.js';
import { messageHandlers } from './handlers.js';
import { createBase, type NetDeps } from './layers/base.js';
import { Discovery } from './layers/discovery.js';
import { Relay } from './layers/relay.js';
import { Sync } from './layers/sync.js';
import { Transport } from './layers/transport.js';
import { DEFAULT_NET, type NetOptions } from './options.js';
import type { Peer } from './peer/peer.js';
import { relief } from './peer/relief.js';
import type { Routes } from './peer/routes.js';
import type { BlockTimes } from './relay/block-times.js';
import { Rounds } from './rounds.js';
import type { NetAddress } from './wire/net-address.js';

/** Milliseconds between rounds of sending, as in Core's message handler. */
const ROUND_MS = 100;
/** Messages that do not wait for transactions of the same peer. */
const BLOCK_MESSAGES = new Set(['block', 'cmpctblock', 'blocktxn', 'headers']);

export class Net {
  readonly transport: Transport;
  readonly sync: Sync;
  readonly relay: Relay;
  readonly discovery: Discovery;
  readonly #context: NetContext;
  readonly #dispatcher: Dispatcher;
  /** Peers that completed the handshake. */
  readonly #ready = new Set<Peer>();
  readonly #rounds: Rounds;
  /** True if an outbound peer has blocks for this node. */
  #hasOutbound = false;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(options: Partial<NetOptions>, deps: NetDeps) {
    const base = createBase({ ...DEFAULT_NET, ...options }, deps, this.#ready);
    const queue = new FairQueue<Peer>(() => performance.now());
    const rounds = new Rounds(this.#ready, (peer) => base.events.emit('sendDue', peer));
    const transport = new Transport(base, deps, {
      chargeTo: (peer, work) => queue.chargeTo(peer, work),
      scheduleRound: (peer) => rounds.schedule(peer),
    });
    const { context } = transport;
    const sync = new Sync(context, transport);
    const relay = new Relay(context, transport, sync, deps.filters);
    const discovery = new Discovery(context, transport, sync, deps);
    this.#context = context;
    this.#rounds = rounds;
    this.transport = transport;
    this.sync = sync;
    this.relay = relay;
    this.discovery = discovery;
    this.#dispatcher = new Dispatcher(context, queue, messageHandlers({ ...transport, ...sync, ...relay, ...discovery }), {
      sendBlock: (peer, item) => relay.blockServer.sendBlock(peer, item),
      settled: (peer, command) => (BLOCK_MESSAGES.has(command) ? undefined : relay.txs.settled(peer)),
      prefetch: (peer, frames) => relay.inventory.prefetch(peer, frames),
      sendTransaction: (peer, item) => relay.inventory.sendTransaction(peer, item),
    });
    this.#listenToParts(context.events);
  }

  #listenToParts(events: NetEvents): void {
    const { transport, sync, relay, discovery } = this;
    const { announcer, compactReceiver, extraTxs, highBandwidth, privately, txs } = relay;
    events.on('connected', (peer) => transport.handshake.sendVersion(peer));
    events.on('workPending', (peer) => this.#dispatcher.pump(peer));
    events.on('disconnected', (peer) => this.#onDisconnected(peer));
    events.on('threadRestarted', () => discovery.outbound.retry());
    events.on('greeted', (peer) => discovery.onGreeted(peer));
    events.on('ready', (peer) => this.#onReady(peer));
    events.on('privateRefused', (peer) => privately.refuse(peer));
    events.on('privateReady', (peer) => privately.ready(peer));
    events.on('pong', (peer) => (peer.isPrivate ? privately.answered(peer) : sync.downloads.answeredPing(peer)));
    events.on('sendDue', (peer) => this.#send(peer));
    events.on('goodChain', (peer) => sync.guard.protectPeer(peer));
    events.on('goodBlock', (peer) => highBandwidth.onGoodBlock(peer));
    events.on('requestReleased', (request) => compactReceiver.onReleased(request));
    events.on('txReceived', (peer, tx) => privately.received(peer, tx));
    events.on('txKnown', (peer, tx) => announcer.noteKnown(peer, tx));
    events.on('txAccepted', (tx) => announcer.relayTx(tx));
    events.on('orphansReady', () => txs.workOrphans());
    events.on('txUnused', (tx) => extraTxs.add(tx));
  }

  /** Called when a block that extends the tip passed every check that needs no coins. */
  onStored(node: HeaderNode, block: BlockView): void {
    if (this.#stopped) return;
    this.relay.compactReceiver.dropBlock(node.hash);
    this.relay.compactSender.onStored(node, block);
  }

  /** Called after a tip change. */
  onTip({ connected, disconnected, jumpedFrom }: TipChange): void {
    if (this.#stopped) return;
    const { txDownload, compactReceiver, blockAnnouncer } = this.relay;
    txDownload.onTip(
      connected.map(({ block }) => block),
      disconnected.length > 0,
    );
    for (const { node } of connected) this.times.noteReached(node.hash, 'tip');
    this.sync.downloads.onConnected(jumpedFrom === undefined ? connected.length : this.#context.chain.tip.height - jumpedFrom.height);
    this.sync.staleTip.onTip();
    compactReceiver.onTip();
    blockAnnouncer.onTip(connected.map(({ node }) => node));
    this.#rounds.schedule();
  }

  /** Called when a block was checked; `reject` is null if it is valid. The sender of an invalid block is punished. */
  onChecked(hash: BlockHash, block: BlockView, reject: Reject | null): void {
    this.sync.blocks.onChecked(hash, block, reject);
  }

  /** Called when a transaction left the mempool. */
  onLeft(entry: MempoolEntry, reason: RemovalReason): void {
    this.relay.extraTxs.onLeft(entry, reason);
  }

  /** Opens the listeners and serves peers that connect. @throws BindError */
  async listen(): Promise<void> {
    await this.transport.listen();
    this.#timer = setInterval(() => this.#round(), ROUND_MS);
    this.#timer.unref();
  }

  /** Starts to connect to peers. */
  start(): void {
    this.discovery.start();
    this.transport.start();
  }

  async stop(): Promise<void> {
    this.transport.stop();
    this.relay.privately.stop();
    await this.discovery.stop();
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#rounds.stop();
    this.#stopped = true;
    await this.transport.close();
  }

  get options(): NetOptions {
    return this.#context.options;
  }
  get events(): NetEvents {
    return this.#context.events;
  }
  get clock(): NetClock {
    return this.#context.clock;
  }
  get routes(): Routes {
    return this.#context.routes;
  }
  get times(): BlockTimes {
    return this.#context.times;
  }
  /** Services that this node offers now. */
  get services(): bigint {
    return this.#context.services;
  }
  /** Every connection, oldest first. */
  get peers(): readonly Peer[] {
    return [...this.transport.connections.all];
  }
  /** Returns the autonomous system of an address by -asmap; 0 without a map, or if the map does not know it. */
  systemOf(address: NetAddress): number {
    return this.#context.systemOf(address);
  }

  #onReady(peer: Peer): void {
    this.#ready.add(peer);
    if (!peer.inbound && !peer.isClient) this.#hasOutbound = true;
    this.relay.addPeer(peer);
    this.discovery.addPeer(peer);
    this.#rounds.schedule(peer);
  }

  /** Removes all state of a peer whose connection ended. */
  #onDisconnected(peer: Peer): void {
    this.#ready.delete(peer);
    this.sync.forgetPeer(peer);
    this.relay.forgetPeer(peer);
    this.discovery.forgetPeer(peer);
    this.#dispatcher.forgetPeer(peer);
    this.#rounds.forgetPeer(peer);
    // Blocks and transactions requested from this peer may now be requested from other peers.
    if (peer.ready) this.#rounds.schedule();
  }

  #round(): void {
    const { connections, keepalive, traffic } = this.transport;
    for (const peer of this.peers) {
      const overdue = keepalive.check(peer);
      if (overdue !== null) this.#drop(peer, overdue);
    }
    for (const [peer, why] of relief(connections.all, traffic, performance.now())) this.#drop(peer, why);
    this.relay.reads.retry();
    this.sync.staleTip.tick();
    this.relay.privately.tick();
    this.#hasOutbound = [...this.#ready].some((peer) => !peer.inbound && !peer.isClient);
    this.#rounds.schedule();
  }

  /**
   * Called after the mockable clock changed. Sends everything that is due at the new time before it returns, so that
   * the reply of setmocktime comes after these messages.
   */
  timeMoved(): void {
    this.#round();
    for (const peer of [...this.#ready]) this.#send(peer);
  }

  #drop(peer: Peer, why: string): void {
    this.#context.log.info(`${why}, disconnecting peer=${peer.id}`);
    this.#context.disconnect(peer);
  }

  #send(peer: Peer): void {
    const { chain } = this.#context;
    const { downloads, headers, guard } = this.sync;
    const { announcer, blockAnnouncer, txDownload } = this.relay;
    this.transport.keepalive.send(peer);
    // Any send may disconnect a peer that does not read.
    if (peer.leaving) return;
    // During the initial block download, inbound peers are not asked while outbound peers have blocks.
    const mayFetch = !peer.isClient && peer.type !== 'addr-fetch';
    const chosen = !peer.inbound || peer.permissions.noban;
    const fetch = mayFetch && (chosen || !this.#hasOutbound || downloads.size === 0);
    headers.startSync(peer, fetch);
    this.discovery.addrRelay.send(peer);
    blockAnnouncer.send(peer);
    announcer.send(peer);
    if (peer.leaving) return;
    const late = downloads.overdue(peer) ?? headers.overdue(peer) ?? guard.check(peer);
    if (late !== null) {
      this.#drop(peer, late);
      return;
    }
    if (!peer.isClient && ((fetch && !peer.isLimited) || !chain.isInitialBlockDownload())) downloads.fillWindow(peer);
    txDownload.send(peer);
    // Handle messages that had to wait because of other peers.
    this.#dispatcher.pump(peer);
  }
}
