// Public face of the network module: connections to peers, what each message causes, and a round of sending ten times a
// second. The parts are in peer/ (connections), sync/ (headers and blocks), relay/ (announcements, transactions) and
// address/ (whom to connect to). This class wires them, which makes it longer than most files.
import crypto from 'node:crypto';
import os from 'node:os';
import type { Chain } from '../chain/chain.js';
import type { TipChange } from '../chain/events.js';
import type { HeaderNode } from '../chain/tree/header-node.js';
import type { BlockView } from '../consensus/block/block-view.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Reject } from '../consensus/state.js';
import type { Crypto } from '../crypto/crypto.js';
import type { EllSwift } from '../crypto/ellswift.js';
import { Semaphore } from '../lib/semaphore.js';
import { limitedLog } from '../log/limited-log.js';
import type { Logger } from '../log/logger.js';
import type { MempoolEntry } from '../mempool/entry.js';
import type { Mempool } from '../mempool/mempool.js';
import type { RemovalReason } from '../mempool/tx-pool.js';
import { AddrManager } from './address/addr-manager.js';
import { type AddrCounts, AddrRelay } from './address/addr-relay.js';
import { AddressFiles } from './address/address-files.js';
import { type AsMap, groupingBy } from './address/asmap.js';
import { LocalAddresses } from './address/local-addresses.js';
import { TorControl } from './address/tor-control.js';
import type { NetClock, NetContext } from './context.js';
import { Dispatcher } from './dispatcher.js';
import { messageHandlers } from './handlers.js';
import { Inventory } from './inventory.js';
import { DEFAULT_NET, type NetOptions } from './options.js';
import { AutoConnect, outboundTargets } from './peer/auto-connect.js';
import { Bans } from './peer/bans.js';
import { ClockCheck } from './peer/clock-check.js';
import { Connections, type NetTotals } from './peer/connections.js';
import { BindError, Connector, type Reach } from './peer/connector.js';
import { Handshake } from './peer/handshake.js';
import { I2p } from './peer/i2p.js';
import { InlineConnectionFactory } from './peer/inline-connection-factory.js';
import { Keepalive } from './peer/keepalive.js';
import { blame } from './peer/misbehaviour.js';
import { Outbound } from './peer/outbound.js';
import type { ConnectionType, Peer } from './peer/peer.js';
import { offeredServices } from './peer/permissions.js';
import { relief } from './peer/relief.js';
import { Routes } from './peer/routes.js';
import { Traffic } from './peer/traffic.js';
import { BlockAnnouncer } from './relay/block-announcer.js';
import { type BlockStage, BlockTimes } from './relay/block-times.js';
import { CompactRelay } from './relay/compact-relay.js';
import { FilteredRelay } from './relay/filtered-relay.js';
import { PrivateSender } from './relay/private-sender.js';
import { TxAnnouncer } from './relay/tx-announcer.js';
import { TxReceiver } from './relay/tx-receiver.js';
import { WtxidIndex } from './relay/wtxid-index.js';
import { Rounds } from './rounds.js';
import { settleAvailability } from './sync/availability.js';
import { BlockDownload } from './sync/block-download.js';
import { BlockReceiver } from './sync/block-receiver.js';
import { ChainGuard } from './sync/chain-guard.js';
import { HeadersSync } from './sync/headers.js';
import { BlockServer } from './sync/serve-blocks.js';
import { FilterServer, type FilterSource } from './sync/serve-filters.js';
import { StaleTip } from './sync/stale-tip.js';
import { UploadTarget } from './sync/upload-target.js';
import { ThreadedConnectionFactory } from './thread/threaded-connection-factory.js';
import { KeyExchangeQueue } from './transport/key-exchange-queue.js';
import { addressText, isRoutable, type NetAddress, type NetworkName } from './wire/net-address.js';

/** Milliseconds between rounds of sending, as in Core's message handler. */
const ROUND_MS = 100;
/** Milliseconds between saves of the known addresses. */
const SAVE_MS = 15 * 60_000;
/** Maximum number of blocks that are read from disk at a time, for all peers together. */
const READS_AT_A_TIME = 4;
/** Messages that do not wait for transactions of the same peer. */
const BLOCK_MESSAGES = new Set(['block', 'cmpctblock', 'blocktxn', 'headers']);
/** Number of steps into which the default random source divides [0, 1). */
const RANDOM_STEPS = 2 ** 48 - 1;

export interface NetDeps {
  readonly params: ChainParams;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly crypto: Crypto;
  readonly clock: NetClock;
  readonly log: Logger;
  /** Key exchange for encrypted connections; null: connections are never encrypted, whatever the options say. */
  readonly ellSwift?: EllSwift | null;
  /** Block filters for -peerblockfilters; null without the index. */
  readonly filters: FilterSource | null;
  /** Files of bans, addresses and anchors; null: the node does not store them. */
  readonly banFile: string | null;
  readonly peersFile: string | null;
  readonly anchorsFile: string | null;
  /** File with the key of the onion service; absent: there is no service. */
  readonly onionKeyFile?: string;
  /** File with the key of the lasting I2P address; absent: there is none. */
  readonly i2pKeyFile?: string;
  /** Map of -asmap. */
  readonly asmap?: AsMap | null;
  /** Returns an unpredictable number in [0, 1), for delays and choices that keep peers from linking what they see. */
  readonly random?: () => number;
  /** Creates the ways to reach peers; absent: real sockets. @param inline factory for connections over sockets that a test provides */
  readonly reach?: (inline: InlineConnectionFactory) => Reach;
  /** Called with the seconds from the first announcement of a block to each stage. */
  readonly observeBlock?: (stage: BlockStage, seconds: number) => void;
}

export class Net {
  readonly options: NetOptions;
  readonly bans: Bans;
  readonly downloads: BlockDownload;
  readonly txs: TxReceiver;
  readonly announcer: TxAnnouncer;
  readonly outbound: Outbound;
  readonly compact: CompactRelay;
  readonly upload: UploadTarget;
  readonly times: BlockTimes;
  readonly privately: PrivateSender;
  readonly #filters: FilterServer;
  readonly #filtered: FilteredRelay;
  readonly #guard: ChainGuard;
  readonly addresses: AddrManager;
  readonly local: LocalAddresses;
  readonly routes: Routes;
  readonly #tor: TorControl | null;
  readonly #i2p: I2p | null;
  readonly clockCheck: ClockCheck;
  readonly #staleTip: StaleTip;
  readonly #addrRelay: AddrRelay;
  readonly #auto: AutoConnect;
  readonly #context: NetContext;
  readonly #files: AddressFiles;
  readonly #asmap: AsMap | null;
  readonly #connector: Reach;
  readonly #inline: InlineConnectionFactory;
  readonly #connections: Connections;
  readonly #dispatcher: Dispatcher;
  readonly #inventory: Inventory;
  readonly #handshake: Handshake;
  readonly #keepalive: Keepalive;
  readonly #headers: HeadersSync;
  readonly #blocks: BlockReceiver;
  readonly #blockServer: BlockServer;
  readonly #blockAnnouncer: BlockAnnouncer;
  /** Peers that completed the handshake. */
  readonly #ready = new Set<Peer>();
  readonly #traffic = new Traffic();
  /** Limits concurrent reads of blocks. Reads wait while all peers together have too many bytes that they have not read. */
  readonly #reads = new Semaphore(READS_AT_A_TIME, () => this.#traffic.outgoingFull);
  readonly #rounds: Rounds;
  /** Number of ready peers that announce transactions by wtxid. Read for each entry of an inv. */
  #wtxidPeers = 0;
  /** True if an outbound peer has blocks for this node. */
  #hasOutbound = false;
  #timer: NodeJS.Timeout | null = null;
  #saver: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(options: Partial<NetOptions>, deps: NetDeps) {
    this.options = { ...DEFAULT_NET, ...options };
    const { clock } = deps;
    const log = limitedLog(deps.log, () => performance.now());
    this.#asmap = deps.asmap ?? null;
    log.info(this.#asmap === null ? 'Using /16 prefix for IP bucketing' : `Using asmap version ${this.#asmap.version} for IP bucketing`);
    this.bans = new Bans(
      deps.banFile,
      () => clock.nowSeconds(),
      (text) => log.warn(text),
      (text) => log.info(text),
    );
    this.times = new BlockTimes(() => performance.now(), deps.observeBlock ?? (() => undefined));
    this.routes = new Routes(this.options);
    const context: NetContext = {
      options: this.options,
      get services() {
        return offeredServices(this.options.services, this.chain);
      },
      routes: this.routes,
      params: deps.params,
      chain: deps.chain,
      mempool: deps.mempool,
      wtxids: new WtxidIndex(deps.mempool),
      crypto: deps.crypto,
      clock,
      log,
      times: this.times,
      peers: this.#ready,
      groupOf: groupingBy(this.#asmap),
      random: deps.random ?? (() => crypto.randomInt(RANDOM_STEPS) / RANDOM_STEPS),
      misbehaving: (peer, score, reason) =>
        blame(peer, score, reason, { log, bans: this.bans, connections: this.#connections, strict: !this.options.legacyPeers }),
      disconnect: (peer, why) => this.#connections.disconnect(peer, why),
      chargeTo: (peer, work) => this.#dispatcher.chargeTo(peer, work),
      scheduleRound: (peer) => this.#rounds.schedule(peer),
    };
    this.#context = context;
    this.#rounds = new Rounds(this.#ready, (peer) => this.#send(peer));
    this.#logActive(this.options.active);
    const { i2pSam, i2pAccept, connectTimeoutMs, maxSendBytes, maxReceiveBytes, v2Transport } = this.options;
    const ellSwift = v2Transport ? (deps.ellSwift ?? null) : null;
    const settings = { magic: deps.params.magic, maxSendBytes, maxReceiveBytes };
    this.#inline = new InlineConnectionFactory(settings, {
      hashes: deps.crypto,
      keys: ellSwift && new KeyExchangeQueue(ellSwift),
      nowSeconds: () => clock.realSeconds(),
      traffic: this.#traffic,
      warn: (text) => log.warn(text),
    });
    const i2pKeyFile = i2pAccept ? (deps.i2pKeyFile ?? null) : null;
    this.#i2p = i2pSam === null ? null : new I2p({ bridge: i2pSam, keyFile: i2pKeyFile, connectTimeoutMs }, log);
    const factory = this.options.peerThread
      ? new ThreadedConnectionFactory(
          { ...settings, encrypts: ellSwift !== null },
          {
            traffic: this.#traffic,
            clock: { monotonicMs: () => performance.now() },
            log,
            startedAgain: () => this.outbound.retry(),
          },
        )
      : this.#inline;
    const i2p = this.#i2p && { way: this.#i2p, factory: this.#inline };
    this.#connector =
      deps.reach?.(this.#inline) ?? new Connector(this.options, this.routes, { factory: factory, i2p }, deps.params.p2pPort, log);
    this.local = new LocalAddresses(context);
    this.#tor = this.#onionService(deps.onionKeyFile, deps.params.p2pPort, log);
    this.clockCheck = new ClockCheck((text) => log.warn(text));
    this.addresses = new AddrManager(() => clock.nowSeconds(), context.random, context.groupOf);
    this.upload = new UploadTarget(this.options.maxUploadBytes, () => clock.nowSeconds(), deps.params.powTargetSpacing);
    this.#connections = new Connections(
      context,
      {
        connector: this.#connector,
        bans: this.bans,
        addresses: this.addresses,
        upload: this.upload,
        traffic: this.#traffic,
        encrypts: ellSwift !== null,
      },
      {
        connected: (peer) => this.#handshake.sendVersion(peer),
        workPending: (peer) => this.#dispatcher.pump(peer),
        disconnected: (peer) => this.#onDisconnected(peer),
        countChanged: (count) => this.onConnections(count),
      },
    );
    this.#files = new AddressFiles(deps.peersFile, deps.anchorsFile, log);
    this.#handshake = new Handshake(context, {
      greeted: (peer) => this.#onVersion(peer),
      ready: (peer) => this.#onReady(peer),
      refused: (peer) => this.privately.refuse(peer),
      privateReady: (peer) => this.privately.ready(peer),
      // Private connections do not count: a peer that sent their nonce back would learn that they belong to this node.
      isOwnNonce: (nonce) => this.peers.some((peer) => !peer.inbound && !peer.isPrivate && !peer.ready && peer.localNonce === nonce),
    });
    this.#keepalive = new Keepalive(context);
    this.outbound = new Outbound(
      context,
      (target, type, encrypted) => this.connect(target, type, encrypted),
      async (name) => (await this.findConnected(name)) !== undefined,
    );
    this.downloads = new BlockDownload(context);
    this.#keepalive.onAnswer = (peer) => (peer.isPrivate ? this.privately.answered(peer) : this.downloads.answeredPing(peer));
    this.privately = new PrivateSender(context, {
      pick: (network) => this.#addressFor(network),
      connect: (target, type) => this.connect(target, type),
      open: () => this.peers.filter(({ isPrivate }) => isPrivate),
      ping: (peer) => {
        peer.pingWanted = true;
        this.#keepalive.send(peer);
      },
    });
    this.#staleTip = new StaleTip(context, {
      searching: () => this.active && !this.options.connectOnly,
      inFlight: () => this.downloads.size,
      inStep: () => this.#headers.canFetchDirectly,
      targets: outboundTargets(this.options),
    });
    this.#headers = new HeadersSync(context, this.downloads);
    this.#blocks = new BlockReceiver(context, this.downloads);
    this.announcer = new TxAnnouncer(context);
    this.txs = new TxReceiver(
      context,
      () => this.#wtxidPeers,
      (peer, tx) => this.announcer.noteKnown(peer, tx),
    );
    this.txs.onAccepted = (tx) => this.announcer.relayTx(tx);
    this.txs.onReceived = (peer, tx) => this.privately.received(peer, tx);
    this.#filters = new FilterServer(context, this.options.peerBlockFilters ? deps.filters : null);
    this.#guard = new ChainGuard(context, (peer, from) => this.#headers.askFrom(peer, from));
    this.#headers.onGoodChain = (peer) => this.#guard.protectPeer(peer);
    this.#addrRelay = new AddrRelay(
      context,
      this.addresses,
      (peer) => this.#localAddress(peer),
      (address) => this.systemOf(address),
      (address) => this.bans.isUnwanted(address),
    );
    this.#auto = new AutoConnect(context, {
      manager: this.addresses,
      peers: () => this.peers,
      connect: (target, type) => this.connect(target, type),
      resolve: (host, port) => this.#connector.resolve(host, port, true),
      isUnwanted: (address) => this.bans.isUnwanted(address) || this.local.has(address),
      active: () => this.active && this.#connector.ready,
      wantsExtra: () => this.#staleTip.wantsExtra,
      wantsExtraBlockRelay: () => this.#staleTip.wantsExtraBlockRelay,
    });
    const compact = new CompactRelay(context, this.downloads, this.#headers, this.#blocks, this.#reads);
    this.compact = compact;
    this.#filtered = new FilteredRelay(context);
    this.downloads.fetchCompact = (peer, wanted) => compact.fetchBlock(peer, wanted);
    this.#blocks.onGoodBlock = (peer) => compact.onGoodBlock(peer);
    this.txs.onUnused = (tx) => compact.rememberTx(tx);
    this.#blockServer = new BlockServer(
      context,
      () => this.upload.historicalReached,
      (peer, node, bytes) => compact.serveCompactBlock(peer, node, bytes),
      (peer, bytes) => this.#filtered.sendBlock(peer, bytes),
      this.#reads,
    );
    this.#blockAnnouncer = new BlockAnnouncer(context, (peer, node) => compact.announceTip(peer, node));
    this.#inventory = new Inventory(context, {
      txs: this.txs,
      announcer: this.announcer,
      compact,
      downloads: this.downloads,
      headers: this.#headers,
      upload: this.upload,
      privately: this.privately,
    });
    const parts = {
      handshake: this.#handshake,
      keepalive: this.#keepalive,
      inventory: this.#inventory,
      headers: this.#headers,
      blocks: this.#blocks,
      blockServer: this.#blockServer,
      compact,
      announcer: this.announcer,
      addrRelay: this.#addrRelay,
      filters: this.#filters,
      filtered: this.#filtered,
    };
    this.#dispatcher = new Dispatcher(context, messageHandlers(parts), {
      sendBlock: (peer, item) => this.#blockServer.sendBlock(peer, item),
      settled: (peer, command) => {
        const blocks = command === 'block' ? undefined : this.#blocks.settled(peer);
        return blocks ?? (BLOCK_MESSAGES.has(command) ? undefined : this.txs.settled(peer));
      },
      prefetch: (peer, frames) => this.#inventory.prefetch(peer, frames),
      sendTransaction: (peer, item) => this.#inventory.sendTransaction(peer, item),
      stepped: () => this.onStep(),
    });
  }

  /** Called when a block that extends the tip passed every check that needs no coins. */
  onStored(node: HeaderNode, block: BlockView): void {
    if (!this.#stopped) this.compact.onStored(node, block);
  }

  /** Called after a tip change. */
  onTip({ connected, disconnected }: TipChange): void {
    if (this.#stopped) return;
    this.txs.onTip(
      connected.map(({ block }) => block),
      disconnected.length > 0,
    );
    for (const { node } of connected) this.times.noteReached(node.hash, 'tip');
    this.downloads.onConnected(connected.length);
    this.#staleTip.onTip();
    this.compact.onTip();
    this.#blockAnnouncer.onTip(connected.map(({ node }) => node));
    this.#rounds.schedule();
  }

  /** Called when a block was checked; `reject` is null if it is valid. The sender of an invalid block is punished. */
  onChecked(hash: Uint8Array, block: BlockView, reject: Reject | null): void {
    this.#blocks.onChecked(hash, block, reject);
  }

  /** Called when a transaction left the mempool. */
  onLeft(entry: MempoolEntry, reason: RemovalReason): void {
    this.compact.onLeft(entry, reason);
  }

  /** Opens the listeners and serves peers that connect. @throws BindError */
  async listen(): Promise<void> {
    for (const { text, host, port } of this.options.externalNames) {
      const [address] = await this.#connector.resolve(host, port);
      if (address === undefined) throw new BindError(`Cannot resolve -externalip address: '${text}'`);
      this.local.addManual(address);
    }
    if (this.options.listen) await this.#connector.listen((inbound) => this.#connections.accept(inbound));
    const hosts = this.#connector.listening.filter(({ onion }) => !onion).map(({ host }) => host);
    this.local.discover(() => Object.values(os.networkInterfaces()).flatMap((list) => list ?? []), hosts);
    this.#timer = setInterval(() => this.#round(), ROUND_MS);
    this.#timer.unref();
  }

  /** Creates the client of Tor's control port; null without -torcontrol, key file or listening address. */
  #onionService(keyFile: string | undefined, servicePort: number, log: Logger): TorControl | null {
    const { torControl, binds } = this.options;
    const target = binds.find(({ onion }) => onion) ?? binds[0];
    if (torControl === null || keyFile === undefined || target === undefined) return null;
    const host = target.host.includes(':') ? `[${target.host}]` : target.host;
    return new TorControl(
      { control: torControl, password: torControl.password, keyFile, servicePort, target: `${host}:${target.port}` },
      {
        service: this.local.changing(),
        proxy: (proxy) => {
          if (this.options.onionReachable) this.routes.torProxy = proxy;
        },
      },
      log,
    );
  }

  /** Starts to connect to peers. */
  start(): void {
    this.outbound.start();
    this.#files.loadAddresses(this.addresses);
    this.#auto.start(this.options.connectOnly ? [] : this.#files.takeAnchors());
    this.#tor?.start();
    this.#i2p?.listen({
      inbound: ({ socket, own }, address) =>
        this.#connections.accept({
          connection: this.#inline.wrapSocket(socket),
          address,
          bindText: addressText(own),
          permissions: null,
          onion: false,
        }),
      own: this.local.changing(),
    });
    this.#saver = setInterval(() => void this.#files.saveAddresses(this.addresses), SAVE_MS);
    this.#saver.unref();
  }

  async stop(): Promise<void> {
    this.#tor?.stop();
    this.#i2p?.stop();
    this.privately.stop();
    this.#connections.stop();
    this.outbound.stop();
    this.#auto.stop();
    if (this.#saver !== null) {
      clearInterval(this.#saver);
      const anchors = this.peers.filter(({ type, ready }) => type === 'block-relay-only' && ready);
      const saving = [this.#files.saveAddresses(this.addresses)];
      if (!this.options.connectOnly) saving.push(this.#files.saveAnchors(anchors));
      await Promise.all(saving);
    }
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#rounds.stop();
    this.#stopped = true;
    this.#connections.endAll();
    await this.#connector.close();
  }

  /** Position of the headers presync, which stores no headers; null if none runs. */
  get presyncPlace(): HeadersSync['presyncPlace'] {
    return this.#headers.presyncPlace;
  }

  get clock(): NetClock {
    return this.#context.clock;
  }
  /** Services that this node offers now. */
  get services(): bigint {
    return this.#context.services;
  }
  get active(): boolean {
    return this.#connections.active;
  }
  /** Enables or disables the network (setnetworkactive). Disabling it disconnects all peers. */
  setActive(active: boolean): void {
    this.#logActive(active);
    this.#connections.setActive(active);
  }

  #logActive(active: boolean): void {
    this.#context.log.info(`SetNetworkActive: ${active}`);
  }

  /**
   * Requests a block whose header is known from a peer (getblockfrompeer). @returns the reason of a refusal; null if it
   * was requested
   */
  fetchBlock(hash: Uint8Array, peerId: number): string | null {
    const { chain } = this.#context;
    const node = chain.node(hash);
    if (node === undefined) return 'Block header missing';
    // Blocks far above the tip would keep the files that they lie in from being pruned.
    if (chain.pruneSettings !== null && node.height > chain.tip.height) {
      return 'In prune mode, only blocks that the node has already synced previously can be fetched from a peer';
    }
    if (chain.hasBlock(node)) return 'Block already downloaded';
    const peer = this.peer(peerId);
    if (peer === undefined || !peer.ready) return 'Peer does not exist';
    if (!peer.hasWitness) return 'Pre-SegWit peer';
    this.downloads.endRequest(hash);
    this.downloads.requestBlocks(peer, [node], true);
    return null;
  }

  /** Called with the number of connections at each change. */
  onConnections: (count: number) => void = () => {};

  /** Called at each step of handling a peer's message, after which the node's published state may have changed. */
  onStep: () => void = () => {};

  /** Every connection, oldest first. */
  get peers(): readonly Peer[] {
    return [...this.#connections.all];
  }
  peer(id: number): Peer | undefined {
    return this.#connections.byId(id);
  }
  get listening(): readonly { host: string; port: number }[] {
    return this.#connector.listening;
  }
  get totals(): NetTotals {
    return this.#connections.totals;
  }

  /** See Connections.connect. */
  connect(target: NetAddress | string, type: ConnectionType, encrypted?: boolean): Promise<Peer | null> {
    return this.#connections.connect(target, type, encrypted);
  }
  /** Ends a connection. */
  disconnect(peer: Peer): void {
    this.#connections.disconnect(peer);
  }
  /** Returns the peer of an address or name. */
  findConnected(target: string): Promise<Peer | undefined> {
    return this.#connections.findConnected(target);
  }

  #onReady(peer: Peer): void {
    this.#ready.add(peer);
    if (!peer.inbound && !peer.isClient) this.#hasOutbound = true;
    if (peer.relaysByWtxid) this.#wtxidPeers++;
    this.announcer.addPeer(peer);
    this.#addrRelay.addPeer(peer);
    if (!peer.inbound) this.#addrRelay.requestAddresses(peer);
    this.#rounds.schedule(peer);
  }

  /** Called when a peer's version message was read. The message proves that the address of an outbound peer works. */
  #onVersion(peer: Peer): void {
    if (peer.inbound) {
      if (peer.localAddress !== null) this.local.seen(peer.localAddress);
      return;
    }
    this.clockCheck.add(peer.timeOffset);
    this.addresses.setServices(peer.address, peer.services);
    this.addresses.good(peer.address);
  }

  /** Returns the address of this node to advertise to a peer. */
  #localAddress(peer: Peer): NetAddress | null {
    if (this.options.advertiseLoopback) return { network: 'ipv4', bytes: Uint8Array.of(127, 0, 0, 1), port: this.options.port };
    return this.local.forPeer(peer);
  }

  /** Returns a random address of a network for private broadcast; undefined if none is usable. */
  #addressFor(network: NetworkName): NetAddress | undefined {
    const address = this.addresses.selectOf(network);
    if (address === undefined || !isRoutable(address)) return undefined;
    return this.bans.isUnwanted(address) || this.local.has(address) ? undefined : address;
  }

  /** Removes all state of a peer whose connection ended. */
  #onDisconnected(peer: Peer): void {
    if (this.#ready.delete(peer) && peer.relaysByWtxid) this.#wtxidPeers--;
    if (peer.isPrivate) this.privately.forgetPeer(peer);
    this.#headers.forgetPeer(peer);
    this.downloads.forgetPeer(peer);
    this.#blocks.forgetPeer(peer);
    this.txs.forgetPeer(peer);
    this.announcer.forgetPeer(peer);
    this.compact.forgetPeer(peer);
    this.#addrRelay.forgetPeer(peer);
    this.#guard.forgetPeer(peer);
    this.#dispatcher.forgetPeer(peer);
    this.#rounds.forgetPeer(peer);
    // Do not update the last-seen time of a block-relay-only peer's address: other peers are sent that time and would learn of
    // the connection (Core's FinalizeNode).
    const visible = !peer.inbound && peer.type !== 'block-relay-only' && !peer.isPrivate;
    if (peer.ready && visible && peer.misbehaviour === 0) this.addresses.connected(peer.address);
    // Blocks and transactions requested from this peer may now be requested from other peers.
    if (peer.ready) this.#rounds.schedule();
  }

  #round(): void {
    for (const peer of this.peers) {
      const overdue = this.#keepalive.check(peer);
      if (overdue !== null) this.#drop(peer, overdue);
    }
    for (const [peer, why] of relief(this.#connections.all, this.#traffic, performance.now())) this.#drop(peer, why);
    this.#reads.retry();
    this.#staleTip.tick();
    this.privately.tick();
    this.#hasOutbound = [...this.#ready].some((peer) => !peer.inbound && !peer.isClient);
    this.#rounds.schedule();
  }

  /** Called after the mockable clock changed. Does everything that is due before the call that changed it returns. */
  timeMoved(): void {
    this.#round();
    for (const peer of [...this.#ready]) this.#send(peer);
  }

  #drop(peer: Peer, why: string): void {
    this.#context.log.info(`${why}, disconnecting peer=${peer.id}`);
    this.disconnect(peer);
  }

  #send(peer: Peer): void {
    const { chain } = this.#context;
    this.#keepalive.send(peer);
    // Any send may disconnect a peer that does not read.
    if (peer.leaving) return;
    // During the initial block download, inbound peers are not asked while outbound peers have blocks.
    const mayFetch = !peer.isClient && peer.type !== 'addr-fetch';
    const chosen = !peer.inbound || peer.permissions.noban;
    const fetch = mayFetch && (chosen || !this.#hasOutbound || this.downloads.size === 0);
    this.#headers.startSync(peer, fetch);
    this.#addrRelay.send(peer);
    this.#blockAnnouncer.send(peer);
    this.announcer.send(peer);
    if (peer.leaving) return;
    const late = this.downloads.overdue(peer) ?? this.#headers.overdue(peer) ?? this.#guard.check(peer);
    if (late !== null) {
      this.#drop(peer, late);
      return;
    }
    if (!peer.isClient && ((fetch && !peer.isLimited) || !chain.isInitialBlockDownload())) this.downloads.fillWindow(peer);
    this.txs.send(peer);
    // Handle messages that had to wait because of other peers.
    this.#dispatcher.pump(peer);
  }

  /** Returns the autonomous system of an address by -asmap; 0 without a map, or if the map does not know it. */
  systemOf(address: NetAddress): number {
    return this.#asmap?.systemOf(address) ?? 0;
  }

  /** Returns the seconds since a ping that is not answered yet. */
  pingWaitSeconds(peer: Peer): number {
    return Math.max(0, (this.#context.clock.nowMs() - peer.pingSentMs) / 1000);
  }

  /** Returns the heights that a peer has in common with this node or has announced, for getpeerinfo. */
  heightsOf(peer: Peer): {
    readonly presynced: number;
    readonly headers: number;
    readonly blocks: number;
    readonly common: HeaderNode | null;
  } {
    settleAvailability(this.#context.chain, peer);
    const { bestKnown, lastCommon } = peer.sync;
    const presynced = this.#headers.presyncHeight(peer);
    return { presynced, headers: bestKnown?.height ?? -1, blocks: lastCommon?.height ?? -1, common: lastCommon };
  }

  /** Returns the address counters of a peer; null if no addresses are exchanged with it. */
  addressCounts(peer: Peer): AddrCounts | null {
    return this.#addrRelay.counts(peer);
  }
}
