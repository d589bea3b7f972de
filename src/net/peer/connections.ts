// All connections to peers: opens, accepts, finds and closes them, and counts their traffic. Does not know the content of messages.
import crypto from 'node:crypto';
import type { AddrManager } from '../address/addr-manager.js';
import type { NetBase } from '../context.js';
import { NO_PERMISSIONS, type Permissions } from '../options.js';
import type { UploadTarget } from '../sync/upload-target.js';
import { addressKey, addressText, type NetAddress, splitHostPort } from '../wire/net-address.js';
import { SERVICE } from '../wire/protocol.js';
import type { Bans } from './bans.js';
import type { Inbound, Reach } from './connector.js';
import { evictionCandidate } from './eviction.js';
import { type ConnectionType, Peer } from './peer.js';
import { count, type NewConnection } from './peer-connection.js';
import { permissionsFor } from './permissions.js';
import type { Traffic } from './traffic.js';

/** Slots of -maxconnections that are reserved for outbound peers. */
const MAX_OUTBOUND = 11;

/** Bytes and messages since the start. */
export interface NetTotals {
  readonly sent: number;
  readonly received: number;
  readonly sentByMessage: ReadonlyMap<string, number>;
  readonly receivedByMessage: ReadonlyMap<string, number>;
}

export interface ConnectionsParts {
  readonly connector: Reach;
  readonly bans: Bans;
  readonly addresses: AddrManager;
  readonly upload: UploadTarget;
  readonly traffic: Traffic;
  /** True if encrypted connections are possible. */
  readonly encrypts: boolean;
}

export class Connections {
  /** All peers, oldest first, also before the handshake. */
  readonly all = new Set<Peer>();
  readonly #byId = new Map<number, Peer>();
  readonly #sentByMessage = new Map<string, number>();
  readonly #receivedByMessage = new Map<string, number>();
  #nextId = 0;
  readonly #salt = crypto.randomBytes(4).readUInt32LE();
  #active: boolean;
  #stopped = false;
  readonly #context: NetBase;
  readonly #parts: ConnectionsParts;

  constructor(context: NetBase, parts: ConnectionsParts) {
    this.#context = context;
    this.#parts = parts;
    this.#active = context.options.active;
  }

  get active(): boolean {
    return this.#active;
  }
  /** Enables or disables the network. Disabling it disconnects all peers. */
  setActive(active: boolean): void {
    if (this.#active === active) return;
    this.#active = active;
    if (!active) this.endAll();
  }

  /** Prevents new connections. */
  stop(): void {
    this.#stopped = true;
  }

  /** Disconnects all peers. */
  endAll(): void {
    for (const peer of [...this.all]) this.disconnect(peer);
  }

  byId(id: number): Peer | undefined {
    return this.#byId.get(id);
  }
  get totals(): NetTotals {
    const { sent, received } = this.#parts.traffic;
    return { sent, received, sentByMessage: this.#sentByMessage, receivedByMessage: this.#receivedByMessage };
  }

  /**
   * Connects to an address or name.
   * @param encrypted whether to try BIP-0324; if the peer does not support it, the attempt is repeated without
   * @returns the peer, or null if it cannot be reached, is this node itself, banned, or connected already
   */
  async connect(target: NetAddress | string, type: ConnectionType, encrypted = this.#mayEncrypt(target)): Promise<Peer | null> {
    const { log } = this.#context;
    if (!this.#active || this.#stopped) return null;
    const name = typeof target === 'string' ? target : addressText(target);
    const addresses = typeof target === 'string' ? await this.#addressesOf(target) : [target];
    const [address] = addresses;
    const hasProxy = this.#context.routes.proxyTo('names') !== null;
    if (address === undefined && !hasProxy) {
      log.debug('net', `${name} can't be looked up`);
      return null;
    }
    if (this.#connectedToName(name) || addresses.some((one) => this.#connectedTo(one))) {
      log.info('Failed to open new connection, already connected');
      return null;
    }
    for (const one of addresses) {
      if (type !== 'manual' && this.#parts.bans.isUnwanted(one)) return null;
    }
    const named = this.#context.options.logIps || type === 'manual';
    log.debug('net', `trying ${encrypted ? 'v2' : 'v1'} connection (${type}) to ${named ? name : 'a peer'}`);
    try {
      const { connection: line, bindText } = await this.#parts.connector.dial(address ?? name, type === 'private-broadcast', named);
      // Drop this connection if another attempt to connect to the same peer has finished first.
      const late = this.#connectedToName(name) || addresses.some((one) => this.#connectedTo(one));
      if (this.#stopped || !this.#active || late) {
        line.drop();
        return null;
      }
      const at = address ?? { network: 'ipv4', bytes: new Uint8Array(4), port: 0 };
      // Automatically chosen peers get no permissions, wherever they are.
      const permissions = type === 'manual' ? permissionsFor(this.#context.options.whitelist, 'out', at, null) : NO_PERMISSIONS;
      const peer = this.#add(line, { type, address: at, name, bindText, permissions }, encrypted);
      this.#context.events.emit('connected', peer);
      return peer;
    } catch (error) {
      log.debug('net', `connect() to ${named ? name : 'a peer'} failed: ${(error as Error).message}`);
      return null;
    }
  }

  /** Returns whether a peer may support encryption, by the services of its address. */
  #mayEncrypt(target: NetAddress | string): boolean {
    return this.#parts.encrypts && (typeof target === 'string' || (this.#parts.addresses.servicesOf(target) & SERVICE.P2P_V2) !== 0n);
  }

  /** Closes a connection. @param why reason for the log */
  disconnect(peer: Peer, why?: string): void {
    if (!this.all.has(peer)) return;
    if (why !== undefined && !peer.leaving) this.#context.log.debug('net', `${why}, disconnecting peer=${peer.id}`);
    peer.leaving = true;
    peer.connection.close();
  }

  async #addressesOf(target: string): Promise<NetAddress[]> {
    const parts = splitHostPort(target, this.#context.params.p2pPort);
    if (parts === null) return [];
    return this.#parts.connector.resolve(parts.host, parts.port);
  }

  /** Returns the peer of an address or name. */
  async findConnected(target: string): Promise<Peer | undefined> {
    for (const peer of this.all) if (peer.name === target) return peer;
    const keys = (await this.#addressesOf(target)).map(addressKey);
    for (const peer of this.all) if (keys.includes(addressKey(peer.address))) return peer;
    return undefined;
  }

  #connectedTo(address: NetAddress): boolean {
    for (const peer of this.all) if (addressKey(peer.address) === addressKey(address)) return true;
    return false;
  }
  #connectedToName(name: string): boolean {
    for (const peer of this.all) if (peer.name === name) return true;
    return false;
  }

  /** Accepts or refuses an inbound connection. */
  accept({ connection: line, address, bindText, permissions: granted, onion }: Inbound): void {
    const { log } = this.#context;
    const permissions = permissionsFor(this.#context.options.whitelist, 'in', address, granted);
    const who = this.#context.options.logIps ? addressText(address) : 'a peer';
    const drop = (why: string): void => {
      log.info(`connection from ${who} dropped${why}`);
      line.drop();
    };
    if (!this.#active) {
      drop(': not accepting new connections');
      return;
    }
    if (!permissions.noban && this.#parts.bans.isBanned(address)) {
      drop(' (banned)');
      return;
    }
    const inbound = [...this.all].filter((peer) => peer.inbound).length;
    const most = Math.max(0, this.#context.options.maxConnections - MAX_OUTBOUND);
    const discouraged = this.#parts.bans.isDiscouraged(address);
    if (!permissions.noban && inbound + 1 >= most && discouraged) {
      drop(' (discouraged)');
      return;
    }
    if (inbound >= most && !this.#evict()) {
      log.debug('net', 'failed to find an eviction candidate - connection dropped (full)');
      line.drop();
      return;
    }
    const peer = this.#add(line, { type: 'inbound', address, name: addressText(address), bindText, permissions }, true);
    peer.isViaOnion = onion;
    peer.preferEvict = discouraged;
    log.debug('net', `connection from ${who} accepted`);
  }

  /** Evicts an inbound peer for a new one. @returns whether a peer was evicted */
  #evict(): boolean {
    const candidate = evictionCandidate([...this.all], this.#salt, this.#context.groupOf);
    if (candidate === null) return false;
    this.disconnect(candidate, 'selected inbound connection for eviction');
    return true;
  }

  #add(
    connection: NewConnection,
    at: { type: ConnectionType; address: NetAddress; name: string; bindText: string; permissions: Permissions },
    encrypted: boolean,
  ): Peer {
    const { clock, events, log } = this.#context;
    const peer = new Peer(this.#nextId++, at.type, at.address, at.name, at.bindText, at.permissions, clock.realSeconds());
    this.all.add(peer);
    this.#byId.set(peer.id, peer);
    log.debug('net', `Added connection peer=${peer.id}`);
    events.emit('countChanged', this.all.size);
    peer.connection = connection.start(
      { encrypted: encrypted && this.#parts.encrypts, initiating: at.type !== 'inbound' },
      {
        workPending: () => void events.emit('workPending', peer),
        fault: (text, fatal) => log.debug('net', `${text}, peer=${peer.id}${fatal ? ', disconnecting' : ''}`),
        sent: (command, bytes, size) => {
          log.debug('net', `sending ${command} (${bytes} bytes) peer=${peer.id}`);
          count(this.#sentByMessage, command, size);
          this.#parts.upload.addSent(size);
        },
        received: (command, bytes) => count(this.#receivedByMessage, command, bytes),
        closed: () => this.#onClosed(peer),
      },
    );
    return peer;
  }

  #onClosed(peer: Peer): void {
    peer.leaving = true;
    if (!this.all.delete(peer)) return;
    this.#byId.delete(peer.id);
    const { events, log } = this.#context;
    events.emit('disconnected', peer);
    events.emit('countChanged', this.all.size);
    log.debug('net', `disconnecting peer=${peer.id}`);
    this.#retryInClear(peer);
    log.debug('net', `Cleared nodestate for peer=${peer.id}`);
  }

  /** Connects again without encryption if the peer closed the connection at the key, as nodes without BIP-0324 do. */
  #retryInClear(peer: Peer): void {
    if (!peer.connection.refused || this.#stopped || !this.#active) return;
    this.#context.log.debug('net', `retrying with v1 transport protocol for peer=${peer.id}`);
    const known = peer.name === addressText(peer.address);
    void this.connect(known ? peer.address : peer.name, peer.type, false);
  }
}
