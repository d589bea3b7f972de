// Peers and what the node does with them: who is connected, what each message leads to, and a round of sending ten times a second. The parts
// are in peer/ (connections), sync/ (headers and blocks), relay/ (announcements, transactions), address/ (whom to connect to); this class
// joins them. Callers: node wiring, RPC.
import crypto from 'node:crypto';
import type { Chain } from '../chain/chain.js';
import type { HeaderNode } from '../chain/header-node.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Crypto } from '../crypto/crypto.js';
import type { EllSwift } from '../crypto/ellswift.js';
import { limitedLog } from '../log/limited-log.js';
import type { Logger } from '../log/logger.js';
import type { Mempool } from '../mempool/mempool.js';
import { AddrManager } from './address/addr-manager.js';
import { AddrRelay } from './address/addr-relay.js';
import { AddressFiles } from './address/address-files.js';
import { type AsMap, groupingBy } from './address/asmap.js';
import type { Handler, NetClock, NetContext } from './context.js';
import { Dispatcher } from './dispatcher.js';
import { Inventory } from './inventory.js';
import { DEFAULT_NET, type NetOptions, type Permissions } from './options.js';
import { AutoConnect } from './peer/auto-connect.js';
import { Bans } from './peer/bans.js';
import { Connection } from './peer/connection.js';
import { Connector, type Inbound } from './peer/connector.js';
import { evictionCandidate } from './peer/eviction.js';
import { Handshake } from './peer/handshake.js';
import { Keepalive } from './peer/keepalive.js';
import { Outbound } from './peer/outbound.js';
import { type ConnectionType, Peer } from './peer/peer.js';
import { permissionsFor } from './peer/permissions.js';
import { relief } from './peer/relief.js';
import { Traffic } from './peer/traffic.js';
import { BlockAnnouncer } from './relay/block-announcer.js';
import { type BlockStage, BlockTimes } from './relay/block-times.js';
import { CompactRelay } from './relay/compact-relay.js';
import { FilteredRelay } from './relay/filtered-relay.js';
import { TxAnnouncer } from './relay/tx-announcer.js';
import { TxReceiver } from './relay/tx-receiver.js';
import { WtxidIndex } from './relay/wtxid-index.js';
import { Rounds } from './rounds.js';
import { settleAvailability } from './sync/availability.js';
import { BlockDownload } from './sync/block-download.js';
import { BlockReceiver } from './sync/block-receiver.js';
import { ChainGuard } from './sync/chain-guard.js';
import { Gate } from './sync/gate.js';
import { HeadersSync } from './sync/headers.js';
import { BlockServer } from './sync/serve-blocks.js';
import { FilterServer, type FilterSource } from './sync/serve-filters.js';
import { UploadTarget } from './sync/upload-target.js';
import { KeyDesk } from './transport/key-desk.js';
import { V1Transport } from './transport/v1-transport.js';
import { V2Transport } from './transport/v2-transport.js';
import { decodeSendCmpct, decodeU64 } from './wire/messages.js';
import { addressKey, addressText, hostKey, isLocal, type NetAddress, splitHostPort } from './wire/net-address.js';
import { SERVICE } from './wire/protocol.js';

/** Milliseconds between rounds of sending, as in Core's message handler. */
const ROUND_MS = 100;
/** Milliseconds between writing the known addresses. */
const SAVE_MS = 15 * 60_000;
/** Blame that costs the connection. */
const DISCOURAGEMENT_THRESHOLD = 100;
/** Blocks read from disk for all peers together. */
const READS_AT_A_TIME = 4;
/** Steps of the default random numbers. */
const RANDOM_STEPS = 2 ** 48 - 1;
/** Connections kept for peers that we choose ourselves. */
const MAX_OUTBOUND = 11;

export interface NetDeps {
  readonly params: ChainParams;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly crypto: Crypto;
  readonly clock: NetClock;
  readonly log: Logger;
  /** Key exchange of encrypted connections; null: there are none, whatever the options say. */
  readonly ellSwift?: EllSwift | null;
  /** Filters of blocks, for -peerblockfilters; null without the index. */
  readonly filters: FilterSource | null;
  /** Where bans, addresses and anchors are kept; null: nowhere. */
  readonly banFile: string | null;
  readonly peersFile: string | null;
  readonly anchorsFile: string | null;
  /** -asmap */
  readonly asmap?: AsMap | null;
  /** A number in [0, 1) that nobody can foresee: delays and choices keep apart what peers may not connect. */
  readonly random?: () => number;
  /** Told how long new blocks of peers take, seconds since they were first heard of. */
  readonly observeBlock?: (stage: BlockStage, seconds: number) => void;
}

/** Bytes and messages since the start. */
export interface NetTotals {
  readonly sent: number;
  readonly received: number;
  readonly sentByMessage: ReadonlyMap<string, number>;
  readonly receivedByMessage: ReadonlyMap<string, number>;
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
  readonly #filters: FilterServer;
  readonly #filtered: FilteredRelay;
  readonly #guard: ChainGuard;
  readonly addresses: AddrManager;
  readonly #addrRelay: AddrRelay;
  readonly #auto: AutoConnect;
  readonly #context: NetContext;
  /** null: no encrypted connections. */
  readonly #keys: KeyDesk | null;
  readonly #files: AddressFiles;
  readonly #asmap: AsMap | null;
  readonly #connector: Connector;
  readonly #dispatcher: Dispatcher;
  readonly #inventory: Inventory;
  readonly #handshake: Handshake;
  readonly #keepalive: Keepalive;
  readonly #headers: HeadersSync;
  readonly #blocks: BlockReceiver;
  readonly #blockServer: BlockServer;
  readonly #blockAnnouncer: BlockAnnouncer;
  /** Every connection, and those whose handshake is over. */
  readonly #all = new Set<Peer>();
  readonly #ready = new Set<Peer>();
  readonly #byId = new Map<number, Peer>();
  readonly #traffic = new Traffic();
  /** Nothing large is read while much waits for slow readers. */
  readonly #reads = new Gate(READS_AT_A_TIME, () => this.#traffic.outgoingFull);
  readonly #rounds: Rounds;
  /** Ready peers that name transactions by wtxid: asked for each entry of an inv. */
  #wtxidPeers = 0;
  readonly #sentByMessage = new Map<string, number>();
  readonly #receivedByMessage = new Map<string, number>();
  #sent = 0;
  #received = 0;
  #nextId = 0;
  /** Whether a peer that we chose has blocks. */
  #hasOutbound = false;
  readonly #salt = crypto.randomBytes(4).readUInt32LE();
  #active: boolean;
  #timer: NodeJS.Timeout | null = null;
  #saver: NodeJS.Timeout | null = null;
  #stopped = false;
  readonly #off: (() => void)[] = [];

  constructor(options: Partial<NetOptions>, deps: NetDeps) {
    this.options = { ...DEFAULT_NET, ...options };
    this.#active = this.options.active;
    const { clock } = deps;
    const log = limitedLog(deps.log, () => performance.now());
    this.#asmap = deps.asmap ?? null;
    log.info(this.#asmap === null ? 'Using /16 prefix for IP bucketing' : `Using asmap version ${this.#asmap.version} for IP bucketing`);
    this.bans = new Bans(
      deps.banFile,
      () => clock.nowSeconds(),
      (text) => log.warn(text),
    );
    this.times = new BlockTimes(() => performance.now(), deps.observeBlock ?? (() => undefined));
    const context: NetContext = {
      options: this.options,
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
      misbehaving: (peer, score, reason) => this.#misbehaving(peer, score, reason),
      disconnect: (peer) => this.disconnect(peer),
      wake: (peer) => this.#rounds.soon(peer),
    };
    this.#context = context;
    this.#keys = this.options.v2Transport && deps.ellSwift ? new KeyDesk(deps.ellSwift) : null;
    this.#rounds = new Rounds(this.#ready, (peer) => this.#send(peer));
    this.#tellActive(this.#active);
    this.#connector = new Connector(this.options, log);
    this.#files = new AddressFiles(deps.peersFile, deps.anchorsFile, log);
    this.#handshake = new Handshake(context, {
      greeted: (peer) => this.#greeted(peer),
      ready: (peer) => this.#joined(peer),
      isOwnNonce: (nonce) => [...this.#all].some((peer) => !peer.inbound && !peer.ready && peer.localNonce === nonce),
    });
    this.#keepalive = new Keepalive(context);
    this.outbound = new Outbound(
      context,
      (target, type, encrypted) => this.connect(target, type, encrypted),
      (name) => this.isConnected(name),
    );
    this.downloads = new BlockDownload(context);
    this.#headers = new HeadersSync(context, this.downloads);
    this.#blocks = new BlockReceiver(context, this.downloads);
    this.announcer = new TxAnnouncer(context);
    this.txs = new TxReceiver(
      context,
      () => this.#wtxidPeers,
      (peer, tx) => this.announcer.noteKnown(peer, tx),
    );
    this.txs.onAccepted = (tx) => this.announcer.relay(tx);
    this.upload = new UploadTarget(this.options.maxUploadBytes, () => clock.nowSeconds(), deps.params.powTargetSpacing);
    this.#filters = new FilterServer(context, this.options.peerBlockFilters ? deps.filters : null);
    this.#guard = new ChainGuard(context, (peer) => {
      const { tip } = deps.chain;
      this.#headers.askFrom(peer, tip.prev ?? tip);
    });
    this.#headers.onGoodChain = (peer) => this.#guard.protect(peer);
    this.addresses = new AddrManager(() => clock.nowSeconds(), context.random, context.groupOf);
    this.#addrRelay = new AddrRelay(
      context,
      this.addresses,
      (peer) => this.#localAddress(peer),
      (address) => this.systemOf(address),
    );
    this.#auto = new AutoConnect(context, {
      manager: this.addresses,
      peers: () => this.peers,
      connect: (target, type) => this.connect(target, type),
      resolve: (host, port) => this.#connector.resolve(host, port),
      isUnwanted: (address) => this.bans.isBanned(address) || this.bans.isDiscouraged(address),
    });
    const compact = new CompactRelay(context, this.downloads, this.#headers, this.#blocks, this.#reads);
    this.compact = compact;
    this.#filtered = new FilteredRelay(context);
    this.#headers.fetchCompact = (peer, wanted) => compact.fetch(peer, wanted);
    this.#blocks.onGoodBlock = (peer) => compact.onGoodBlock(peer);
    this.txs.onUnused = (tx) => compact.remember(tx);
    this.#blockServer = new BlockServer(
      context,
      () => this.upload.historicalReached,
      (peer, node, bytes) => compact.serve(peer, node, bytes),
      (peer, bytes) => this.#filtered.sendBlock(peer, bytes),
      this.#reads,
    );
    this.#blockAnnouncer = new BlockAnnouncer(context, (peer, node) => compact.announce(peer, node));
    this.#inventory = new Inventory(context, {
      txs: this.txs,
      announcer: this.announcer,
      downloads: this.downloads,
      headers: this.#headers,
      upload: this.upload,
    });
    this.#dispatcher = new Dispatcher(context, this.#handlers(), {
      block: (peer, item) => this.#blockServer.block(peer, item),
      settled: (peer) => this.#blocks.settled(peer),
      transaction: (peer, item) => this.#inventory.sendTransaction(peer, item),
    });
    deps.mempool.onBroadcast = (entry) => this.announcer.relay(entry.tx);
    this.#off.push(
      deps.chain.onStored((node, block) => compact.onStored(node, block)),
      deps.chain.onTip((_tip, { connected, disconnected }) => {
        this.txs.onTip(
          connected.map(({ block }) => block),
          disconnected.length > 0,
        );
        for (const { node } of connected) this.times.reached(node.hash, 'tip');
        this.#blockAnnouncer.onTip(connected.map(({ node }) => node));
        this.#rounds.soon();
      }),
    );
  }

  /** Opens the listeners and serves whoever comes. @throws BindError */
  async listen(): Promise<void> {
    if (this.options.listen) await this.#connector.listen((inbound) => this.#accept(inbound));
    this.#timer = setInterval(() => this.#round(), ROUND_MS);
    this.#timer.unref();
  }

  /** Begins to connect to others. */
  start(): void {
    this.outbound.start();
    if (this.options.connectOnly) return;
    this.#files.loadAddresses(this.addresses);
    this.#auto.start(this.#files.takeAnchors());
    this.#saver = setInterval(() => this.#files.saveAddresses(this.addresses), SAVE_MS);
    this.#saver.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.outbound.stop();
    this.#auto.stop();
    if (this.#saver !== null) {
      clearInterval(this.#saver);
      this.#files.saveAddresses(this.addresses);
      this.#files.saveAnchors([...this.#all].filter(({ type, ready }) => type === 'block-relay-only' && ready));
    }
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#rounds.stop();
    for (const off of this.#off) off();
    for (const peer of [...this.#all]) this.disconnect(peer);
    await this.#connector.close();
  }

  /** Where the first reading of headers stands, in which none is kept; null without one. */
  get presyncPlace(): HeadersSync['presyncPlace'] {
    return this.#headers.presyncPlace;
  }

  get clock(): NetClock {
    return this.#context.clock;
  }
  get active(): boolean {
    return this.#active;
  }
  /** setnetworkactive: without activity there are no connections. */
  setActive(active: boolean): void {
    this.#tellActive(active);
    if (this.#active === active) return;
    this.#active = active;
    if (!active) for (const peer of [...this.#all]) this.disconnect(peer);
  }

  #tellActive(active: boolean): void {
    this.#context.log.info(`SetNetworkActive: ${active}`);
  }

  /** Asks a peer for a block whose header is known (getblockfrompeer). @returns why not, null when it was asked */
  fetchBlock(hash: Uint8Array, peerId: number): string | null {
    const { chain } = this.#context;
    const node = chain.node(hash);
    if (node === undefined) return 'Block header missing';
    // Blocks far ahead would keep the files they lie in from being pruned.
    if (chain.pruneSettings !== null && node.height > chain.tip.height) {
      return 'In prune mode, only blocks that the node has already synced previously can be fetched from a peer';
    }
    const peer = this.#byId.get(peerId);
    if (peer === undefined || !peer.ready) return 'Peer does not exist';
    if (!peer.hasWitness) return 'Pre-SegWit peer';
    if (chain.hasBlock(node)) return 'Block already downloaded';
    this.downloads.end(hash);
    this.downloads.ask(peer, [node]);
    return null;
  }

  /** Announces again what no peer has asked for yet (Core's ReattemptInitialBroadcast). */
  announceUnbroadcast(): void {
    for (const entry of this.#context.mempool.entries()) if (entry.unbroadcast) this.announcer.relay(entry.tx);
  }

  /** Told how many connections there are, at each change. */
  onConnections: (count: number) => void = () => {};

  /** Every connection, oldest first. */
  get peers(): readonly Peer[] {
    return [...this.#all];
  }
  peer(id: number): Peer | undefined {
    return this.#byId.get(id);
  }
  get listening(): readonly { host: string; port: number }[] {
    return this.#connector.listening;
  }
  get totals(): NetTotals {
    return { sent: this.#sent, received: this.#received, sentByMessage: this.#sentByMessage, receivedByMessage: this.#receivedByMessage };
  }

  /**
   * Connects to an address or name.
   * @param encrypted whether BIP-0324 is tried; where the peer knows nothing of it, the call is repeated without
   * @returns the peer, or null when it can't be reached, is us, banned or connected already
   */
  async connect(target: NetAddress | string, type: ConnectionType, encrypted = this.#mayEncrypt(target)): Promise<Peer | null> {
    const { log } = this.#context;
    if (!this.#active || this.#stopped) return null;
    const name = typeof target === 'string' ? target : addressText(target);
    const addresses = typeof target === 'string' ? await this.#addressesOf(target) : [target];
    const [address] = addresses;
    const hasProxy = this.options.proxy !== null;
    if (address === undefined && !hasProxy) {
      log.debug('net', `${name} can't be looked up`);
      return null;
    }
    if (this.#connectedToName(name) || addresses.some((one) => this.#connectedTo(one))) {
      log.info('Failed to open new connection, already connected');
      return null;
    }
    for (const one of addresses) {
      const refused = type !== 'manual' && (this.bans.isBanned(one) || this.bans.isDiscouraged(one));
      if (refused) return null;
    }
    log.debug('net', `trying connection ${this.options.logIps || type === 'manual' ? name : 'to a peer'}`);
    try {
      const { socket, bindText } = await this.#connector.dial(address ?? name);
      if (this.#stopped || !this.#active) {
        socket.destroy();
        return null;
      }
      const at = address ?? { network: 'ipv4', bytes: new Uint8Array(4), port: 0 };
      const permissions = permissionsFor(this.options.whitelist, at, null);
      const peer = this.#add(socket, { type, address: at, name, bindText, permissions }, encrypted);
      this.#handshake.sendVersion(peer);
      return peer;
    } catch (error) {
      log.debug('net', `connect() to ${this.options.logIps || type === 'manual' ? name : 'a peer'} failed: ${(error as Error).message}`);
      return null;
    }
  }

  /** Whether a peer may know encryption: those that we know by their services say so. */
  #mayEncrypt(target: NetAddress | string): boolean {
    return this.#keys !== null && (typeof target === 'string' || (this.addresses.servicesOf(target) & SERVICE.P2P_V2) !== 0n);
  }

  /** Ends a connection. */
  disconnect(peer: Peer): void {
    if (!this.#all.has(peer)) return;
    peer.leaving = true;
    peer.connection.close();
  }

  async #addressesOf(target: string): Promise<NetAddress[]> {
    const parts = splitHostPort(target, this.options.port);
    if (parts === null) return [];
    return this.#connector.resolve(parts.host, parts.port);
  }

  /** The peer of an address or name. */
  async findConnected(target: string): Promise<Peer | undefined> {
    for (const peer of this.#all) if (peer.name === target) return peer;
    const keys = (await this.#addressesOf(target)).map(addressKey);
    for (const peer of this.#all) if (keys.includes(addressKey(peer.address))) return peer;
    return undefined;
  }
  async isConnected(target: string): Promise<boolean> {
    return (await this.findConnected(target)) !== undefined;
  }

  #connectedTo(address: NetAddress): boolean {
    for (const peer of this.#all) if (addressKey(peer.address) === addressKey(address)) return true;
    return false;
  }
  #connectedToName(name: string): boolean {
    for (const peer of this.#all) if (peer.name === name) return true;
    return false;
  }

  #accept({ socket, address, bindText, permissions: granted }: Inbound): void {
    const { log } = this.#context;
    const permissions = permissionsFor(this.options.whitelist, address, granted);
    const who = this.options.logIps ? addressText(address) : 'a peer';
    const drop = (why: string): void => {
      log.info(`connection from ${who} dropped${why}`);
      socket.destroy();
    };
    if (!this.#active) {
      drop(': not accepting new connections');
      return;
    }
    if (!permissions.noban && this.bans.isBanned(address)) {
      drop(' (banned)');
      return;
    }
    const inbound = [...this.#all].filter((peer) => peer.inbound).length;
    const most = Math.max(0, this.options.maxConnections - MAX_OUTBOUND);
    if (!permissions.noban && inbound + 1 >= most && this.bans.isDiscouraged(address)) {
      drop(' (discouraged)');
      return;
    }
    if (inbound >= most && !this.#evict()) {
      log.debug('net', 'failed to find an eviction candidate - connection dropped (full)');
      socket.destroy();
      return;
    }
    this.#add(socket, { type: 'inbound', address, name: addressText(address), bindText, permissions }, true);
    log.debug('net', `connection from ${who} accepted`);
  }

  /** Makes room for a newcomer. @returns whether there is some */
  #evict(): boolean {
    const candidate = evictionCandidate([...this.#all], this.#salt, this.#context.groupOf);
    if (candidate === null) return false;
    this.#context.log.debug('net', `selected inbound connection for eviction peer=${candidate.id}; disconnecting`);
    this.disconnect(candidate);
    return true;
  }

  #add(
    socket: import('node:net').Socket,
    at: { type: ConnectionType; address: NetAddress; name: string; bindText: string; permissions: Permissions },
    encrypted: boolean,
  ): Peer {
    const { clock, params, crypto: hashes, log } = this.#context;
    const { magic } = params;
    const keys = encrypted ? this.#keys : null;
    const peer = new Peer(this.#nextId++, at.type, at.address, at.name, at.bindText, at.permissions, clock.realSeconds());
    peer.connection = new Connection(
      socket,
      {
        transport: (events) =>
          keys === null
            ? new V1Transport(magic, hashes, (bytes) => events.write(bytes))
            : new V2Transport({ magic, hashes, keys, initiating: at.type !== 'inbound' }, events),
        maxSendBytes: this.options.maxSendBytes,
        maxReceiveBytes: this.options.maxReceiveBytes,
        nowSeconds: () => clock.realSeconds(),
        traffic: this.#traffic,
      },
      {
        wake: () => this.#dispatcher.pump(peer),
        fault: (text, fatal) => log.debug('net', `${text}, peer=${peer.id}${fatal ? ', disconnecting' : ''}`),
        sent: (command, bytes, size) => {
          log.debug('net', `sending ${command} (${bytes} bytes) peer=${peer.id}`);
          this.#sentByMessage.set(command, (this.#sentByMessage.get(command) ?? 0) + size);
        },
        wrote: (bytes) => {
          this.#sent += bytes;
          this.upload.note(bytes);
        },
        read: (bytes) => {
          this.#received += bytes;
        },
        received: (command, bytes) => {
          this.#receivedByMessage.set(command, (this.#receivedByMessage.get(command) ?? 0) + bytes);
        },
        closed: () => this.#gone(peer),
      },
    );
    this.#all.add(peer);
    this.#byId.set(peer.id, peer);
    log.debug('net', `Added connection peer=${peer.id}`);
    this.onConnections(this.#all.size);
    peer.connection.start();
    return peer;
  }

  #joined(peer: Peer): void {
    this.#ready.add(peer);
    if (!peer.inbound && !peer.isClient) this.#hasOutbound = true;
    if (peer.relaysByWtxid) this.#wtxidPeers++;
    this.announcer.join(peer);
    this.#addrRelay.join(peer);
    if (!peer.inbound) this.#addrRelay.ask(peer);
    this.#rounds.soon(peer);
  }

  /** version was read of a peer that we called: its address works. */
  #greeted(peer: Peer): void {
    if (peer.inbound) return;
    this.addresses.setServices(peer.address, peer.services);
    this.addresses.good(peer.address);
  }

  /** Where others can reach us: what the operator says, else how the peer sees us with our port. */
  #localAddress(peer: Peer): NetAddress | null {
    if (this.options.advertiseLoopback) return { network: 'ipv4', bytes: Uint8Array.of(127, 0, 0, 1), port: this.options.port };
    const [named] = this.options.externalAddresses;
    if (named !== undefined) return named;
    if (!this.options.discover || peer.localAddress === null) return null;
    return { ...peer.localAddress, port: this.options.port };
  }

  #gone(peer: Peer): void {
    peer.leaving = true;
    if (!this.#all.delete(peer)) return;
    this.#byId.delete(peer.id);
    if (this.#ready.delete(peer) && peer.relaysByWtxid) this.#wtxidPeers--;
    this.#headers.forget(peer);
    this.downloads.forget(peer);
    this.#blocks.forget(peer);
    this.txs.forget(peer);
    this.announcer.forget(peer);
    this.compact.forget(peer);
    this.#addrRelay.forget(peer);
    this.#guard.forget(peer);
    this.#dispatcher.forget(peer);
    this.#rounds.forget(peer);
    this.onConnections(this.#all.size);
    if (peer.ready && !peer.inbound && peer.misbehaviour === 0) this.addresses.connected(peer.address);
    this.#context.log.debug('net', `disconnecting peer=${peer.id}`);
    // Others may be asked for what it had.
    if (peer.ready) this.#rounds.soon();
    this.#retryInClear(peer);
  }

  /** A peer that hung up at our key, as nodes without encryption do, is called once more in the clear. */
  #retryInClear(peer: Peer): void {
    if (!peer.connection.transport.refused || this.#stopped || !this.#active) return;
    this.#context.log.debug('net', `retrying with v1 transport protocol for peer=${peer.id}`);
    const known = peer.name === addressText(peer.address);
    void this.connect(known ? peer.address : peer.name, peer.type, false);
  }

  #misbehaving(peer: Peer, score: number, reason: string): void {
    const { log } = this.#context;
    const before = peer.misbehaviour;
    peer.misbehaviour += score;
    const over = peer.misbehaviour >= DISCOURAGEMENT_THRESHOLD && before < DISCOURAGEMENT_THRESHOLD;
    log.debug(
      'net',
      `Misbehaving: peer=${peer.id} (${before} -> ${peer.misbehaviour})${over ? ' DISCOURAGE THRESHOLD EXCEEDED' : ''}: ${reason}`,
    );
    if (!over) return;
    if (peer.permissions.noban) {
      log.info(`Warning: not punishing noban peer ${peer.id}!`);
      return;
    }
    if (peer.manual) {
      log.info(`Warning: not punishing manually connected peer ${peer.id}!`);
      return;
    }
    if (isLocal(peer.address)) {
      // Whoever sits on this machine may be a proxy for others.
      log.info(`Warning: disconnecting but not discouraging local peer ${peer.id}!`);
    } else {
      log.debug('net', `Disconnecting and discouraging peer ${peer.id}!`);
      this.bans.discourage(peer.address);
      for (const other of [...this.#all]) {
        if (other !== peer && hostKey(other.address) === hostKey(peer.address) && !other.permissions.noban) this.disconnect(other);
      }
    }
    this.disconnect(peer);
  }

  #round(): void {
    for (const peer of [...this.#all]) {
      const overdue = this.#keepalive.check(peer);
      if (overdue !== null) this.#drop(peer, overdue);
    }
    for (const [peer, why] of relief(this.#all, this.#traffic, performance.now())) this.#drop(peer, why);
    this.#reads.tick();
    this.#hasOutbound = [...this.#ready].some((peer) => !peer.inbound && !peer.isClient);
    this.#rounds.soon();
  }

  #drop(peer: Peer, why: string): void {
    this.#context.log.info(why);
    this.disconnect(peer);
  }

  #send(peer: Peer): void {
    const { chain } = this.#context;
    this.#keepalive.send(peer);
    // In initial download others are not asked while a peer that we chose has blocks.
    const fetch = !peer.isClient && (!peer.inbound || peer.permissions.noban || !this.#hasOutbound);
    this.#headers.begin(peer, fetch);
    this.#addrRelay.send(peer);
    this.#blockAnnouncer.send(peer);
    this.announcer.send(peer);
    const late = this.downloads.overdue(peer) ?? this.#headers.overdue(peer) ?? this.#guard.check(peer);
    if (late !== null) {
      this.#drop(peer, late);
      return;
    }
    if (!peer.isClient && ((fetch && !peer.isLimited) || !chain.isInitialBlockDownload())) this.downloads.request(peer);
    this.txs.send(peer);
    // What had to wait because of what others hold.
    this.#dispatcher.pump(peer);
  }

  #handlers(): Map<string, Handler> {
    return new Map<string, Handler>([
      ['version', (peer, payload) => this.#handshake.version(peer, payload)],
      ['verack', (peer) => this.#handshake.verack(peer)],
      ['wtxidrelay', (peer) => this.#handshake.wtxidRelay(peer)],
      ['sendaddrv2', (peer) => this.#handshake.sendAddrV2(peer)],
      ['ping', (peer, payload) => this.#keepalive.ping(peer, payload)],
      ['pong', (peer, payload) => this.#keepalive.pong(peer, payload)],
      [
        'sendheaders',
        (peer) => {
          peer.sync.prefersHeaders = true;
        },
      ],
      ['sendcmpct', (peer, payload) => this.#sendCmpct(peer, payload)],
      ['feefilter', (peer, payload) => this.announcer.feeFilter(peer, decodeU64(payload))],
      ['inv', (peer, payload) => this.#inventory.inv(peer, payload)],
      ['getdata', (peer, payload) => this.#inventory.getData(peer, payload)],
      ['notfound', (peer, payload) => this.#inventory.notFound(peer, payload)],
      ['getheaders', (peer, payload) => this.#blockServer.headers(peer, payload)],
      ['getblocks', (peer, payload) => this.#blockServer.hashes(peer, payload)],
      ['headers', (peer, payload) => this.#headers.receive(peer, payload)],
      ['block', (peer, payload) => this.#blocks.receive(peer, payload)],
      ['tx', (peer, payload) => this.#inventory.tx(peer, payload)],
      ['cmpctblock', (peer, payload) => this.compact.receive(peer, payload)],
      ['getblocktxn', (peer, payload) => this.compact.sendTxs(peer, payload)],
      ['blocktxn', (peer, payload) => this.compact.receiveTxs(peer, payload)],
      ['addr', (peer, payload) => this.#addrRelay.receive(peer, payload, false)],
      ['addrv2', (peer, payload) => this.#addrRelay.receive(peer, payload, true)],
      ['getaddr', (peer) => this.#addrRelay.answer(peer)],
      ['getcfilters', (peer, payload) => this.#filters.filters(peer, payload)],
      ['getcfheaders', (peer, payload) => this.#filters.headers(peer, payload)],
      ['getcfcheckpt', (peer, payload) => this.#filters.checkpoints(peer, payload)],
      ['mempool', (peer) => this.#inventory.wholeMempool(peer)],
      ['filterload', (peer, payload) => this.#filtered.load(peer, payload)],
      ['filteradd', (peer, payload) => this.#filtered.add(peer, payload)],
      ['filterclear', (peer) => this.#filtered.clear(peer)],
    ]);
  }

  #sendCmpct(peer: Peer, payload: Uint8Array): void {
    const { announce, version } = decodeSendCmpct(payload);
    // Version 1 is for peers without witnesses, which this node does not serve so.
    if (version !== 2n || (this.options.services & SERVICE.WITNESS) === 0n) return;
    peer.compact.provides = true;
    peer.compact.wantsHighBandwidth = announce;
  }

  /** The autonomous system of an address by -asmap; 0 without a map, or when it knows none. */
  systemOf(address: NetAddress): number {
    return this.#asmap?.systemOf(address) ?? 0;
  }

  /** Seconds since a ping that is not answered yet. */
  pingWaitSeconds(peer: Peer): number {
    return Math.max(0, (this.#context.clock.nowMs() - peer.pingSentMs) / 1000);
  }

  /** Heights a peer shares with us and has announced, as getpeerinfo shows them. */
  heightsOf(peer: Peer): { readonly headers: number; readonly blocks: number; readonly common: HeaderNode | null } {
    settleAvailability(this.#context.chain, peer);
    return { headers: peer.sync.bestKnown?.height ?? -1, blocks: peer.sync.lastCommon?.height ?? -1, common: peer.sync.lastCommon };
  }
}
