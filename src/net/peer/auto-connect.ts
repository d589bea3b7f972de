// Connections that the node opens by itself: eight full-relay peers, two block-relay-only peers, from time to time a
// third block-relay-only peer that may know a better chain, and feelers that test addresses (Core's
// ThreadOpenConnections, ThreadDNSAddressSeed).

import { ByteReader } from '../../consensus/bytes/reader.js';
import type { AddrManager } from '../address/addr-manager.js';
import { type NetContext, poissonDelayMs } from '../context.js';
import type { NetOptions } from '../options.js';
import { addressKey, addressText, isLocal, isRoutable, type NetAddress, readAddressV2 } from '../wire/net-address.js';
import { desirableServices, SERVICE } from '../wire/protocol.js';
import { needsOldBlocks } from './handshake.js';
import type { ConnectionType, Peer } from './peer.js';

/** @param packed base64 of records as in BIP-0155 @throws DecodeError for anything else */
export function readFixedSeeds(packed: string): NetAddress[] {
  const reader = new ByteReader(new Uint8Array(Buffer.from(packed, 'base64')));
  const seeds: NetAddress[] = [];
  while (reader.remaining > 0) {
    const address = readAddressV2(reader);
    if (address !== null) seeds.push(address);
  }
  return seeds;
}

const MAX_FULL_RELAY = 8;
const MAX_BLOCK_RELAY = 2;
const ROUND_MS = 500;
const FEELER_INTERVAL_MS = 2 * 60_000;
const EXTRA_BLOCK_RELAY_INTERVAL_MS = 5 * 60_000;
/** Maximum number of addresses that are tried in one round. */
const MAX_TRIES = 100;
/** Number of candidates before an address that was tried within ten minutes is accepted, and before an unusual port is accepted. */
const TRIES_BEFORE_RECENT = 30;
const TRIES_BEFORE_ODD = 50;
const RECENT_SECONDS = 10 * 60;
/** DNS seeds are queried if the known addresses have not led to two peers within this time. */
const SEED_DELAY_MS = 11_000;
const MANY_ADDRESSES = 1_000;
const SEED_DELAY_MANY_MS = 5 * 60_000;
/** While fewer full-relay peers than this are connected, nodes of -seednode are asked for addresses. */
const ENOUGH_PEERS = 2;
const NEXT_SEED_NODE_MS = 10_000;
/** DNS seeds are queried this much later if there are nodes of -seednode. */
const SEED_NODES_FIRST_MS = 30_000;
/** DNS seeds that are queried before the node checks again whether it has enough peers. */
const SEEDS_AT_ONCE = 3;
/** Maximum number of addresses that are used of one DNS seed. */
const MAX_OF_SEED = 256;
const SEED_AGE_SECONDS = 3 * 24 * 60 * 60;
/** Time without any address after which the built-in ones are used. They are stored as one to two weeks old. */
const FIXED_SEED_DELAY_MS = 60_000;
const WEEK_SECONDS = 7 * 24 * 60 * 60;
/** Interval of the log line of a node without peers. */
const LONELY_MS = 60_000;

export interface AutoConnectDeps {
  readonly manager: AddrManager;
  /** Returns every connection, also before the handshake. */
  peers(): readonly Peer[];
  connect(target: NetAddress | string, type: ConnectionType): Promise<Peer | null>;
  resolve(host: string, port: number): Promise<NetAddress[]>;
  /** Returns whether an address must not be connected to, because the address is this node's own, banned or discouraged. */
  isUnwanted(address: NetAddress): boolean;
  /** Returns whether the network is enabled (-networkactive, setnetworkactive). While it is not, names are not resolved either. */
  active(): boolean;
  /** Returns whether one more full-relay peer is needed because the tip may be stale. */
  wantsExtra(): boolean;
  /** Returns whether an extra block-relay-only peer may be tried every few minutes: the chain has been in sync once. */
  wantsExtraBlockRelay(): boolean;
}

/** Returns how many full-relay and block-relay-only peers the node chooses itself. */
export function outboundTargets({ maxConnections }: Pick<NetOptions, 'maxConnections'>): { full: number; blocks: number } {
  const full = Math.min(MAX_FULL_RELAY, maxConnections);
  return { full, blocks: Math.min(MAX_BLOCK_RELAY, Math.max(0, maxConnections - full)) };
}

export class AutoConnect {
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  #nextFeelerMs = 0;
  #nextExtraBlockRelayMs = 0;
  #seedAtMs = 0;
  /** Nodes of -seednode that have not been asked, in random order. */
  #seedNodes: string[] = [];
  #nextSeedNodeMs = 0;
  /** DNS seeds that have not been queried, in random order. */
  #seeds: string[] = [];
  #seeding = false;
  #seedsFound = 0;
  #heldBack = false;
  #fixedAtMs = 0;
  #fixedDone = false;
  #anchors: NetAddress[] = [];
  #busy = false;
  /** Number of addresses tried since the last peer was connected. */
  #tried = 0;
  #lonelyMs = 0;
  readonly #context: NetContext;
  readonly #deps: AutoConnectDeps;

  constructor(context: NetContext, deps: AutoConnectDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** @param anchors block-relay-only peers of the last run, which are tried first */
  start(anchors: readonly NetAddress[]): void {
    const { clock, log, random, options, params } = this.#context;
    this.#anchors = [...anchors];
    this.#nextFeelerMs = clock.nowMs() + poissonDelayMs(random, FEELER_INTERVAL_MS);
    this.#nextExtraBlockRelayMs = clock.nowMs() + poissonDelayMs(random, EXTRA_BLOCK_RELAY_INTERVAL_MS);
    // If -onlynet excludes IPv4 and IPv6, do not resolve DNS seeds either: the lookup would use these networks.
    const inTheClear = options.onlyNets.length === 0 || options.onlyNets.some((name) => name === 'ipv4' || name === 'ipv6');
    if (!options.dnsSeed) log.info('DNS seeding disabled');
    else if (inTheClear) this.#seeds = shuffled(params.dnsSeeds, random);
    // -connect=0 means no peers at all.
    if (!options.connectOnly || options.connect.length > 0) this.#seedNodes = shuffled(options.seedNodes, random);
    const isEmpty = this.#deps.manager.size === 0;
    this.#nextSeedNodeMs = clock.nowMs() + (isEmpty ? 0 : NEXT_SEED_NODE_MS);
    const seedNodesMs = this.#seedNodes.length > 0 ? SEED_NODES_FIRST_MS : 0;
    this.#seedAtMs = clock.nowMs() + seedNodesMs + (options.forceDnsSeed || isEmpty ? 0 : this.#seedDelayMs);
    this.#fixedAtMs = clock.nowMs() + FIXED_SEED_DELAY_MS;
    this.#lonelyMs = clock.nowMs();
    this.#askSeedNode();
    this.#timer = setInterval(() => {
      this.#round().catch((error: Error) => this.#context.log.error(`Connecting to peers: ${error.message}`));
    }, ROUND_MS);
    this.#timer.unref();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #round(): Promise<void> {
    if (this.#stopped) return;
    this.#askSeedNode();
    // Do not wait for the DNS seeds: name resolution may take minutes if no server answers, and known addresses can be used.
    const seeding = this.#seed();
    // With -connect, DNS seeds are queried if -dnsseed says so, but the node does not connect to their addresses.
    if (this.#context.options.connectOnly) return seeding;
    this.#addFixedSeeds();
    this.#reportLoneliness();
    await Promise.all([seeding, this.#connect()]);
  }

  async #connect(): Promise<void> {
    // One attempt at a time: a dead address may take five seconds.
    if (this.#busy) return;
    this.#busy = true;
    try {
      await this.#connectOne();
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Asks the next node of -seednode for addresses: at once if the node knows none, otherwise every ten seconds while it
   * has fewer than two full-relay peers. One of them at a time has less influence on which peers the node finds.
   */
  #askSeedNode(): void {
    const { clock, log } = this.#context;
    if (this.#seedNodes.length === 0 || clock.nowMs() < this.#nextSeedNodeMs || !this.#deps.active()) return;
    const full = this.#deps.peers().filter(({ type, ready }) => type === 'outbound-full-relay' && ready).length;
    if (full >= ENOUGH_PEERS) return;
    this.#nextSeedNodeMs = clock.nowMs() + NEXT_SEED_NODE_MS;
    const name = this.#seedNodes.pop() as string;
    const why =
      this.#deps.manager.size === 0
        ? 'Empty addrman, adding'
        : `Couldn't connect to peers from addrman after ${NEXT_SEED_NODE_MS / 1000} seconds. Adding`;
    log.info(`${why} seednode (${name}) to addrfetch`);
    void this.#deps.connect(name, 'addr-fetch');
  }

  get #seedDelayMs(): number {
    return this.#deps.manager.size >= MANY_ADDRESSES ? SEED_DELAY_MANY_MS : SEED_DELAY_MS;
  }

  /** Queries DNS seeds: a few at a time while addresses are known, all of them if there is no other source. */
  async #seed(): Promise<void> {
    const { clock, options, log } = this.#context;
    if (this.#seeding || this.#seeds.length === 0 || clock.nowMs() < this.#seedAtMs) return;
    const all = options.forceDnsSeed || this.#deps.manager.size === 0;
    const chosen = this.#deps.peers().filter((peer) => peer.outboundOrBlockRelay && peer.ready).length;
    if (chosen >= ENOUGH_PEERS && !options.forceDnsSeed) {
      this.#seeds = [];
      if (this.#seedsFound > 0) log.info(`${this.#seedsFound} addresses found from DNS seeds`);
      log.info(`P2P peers available. ${this.#seedsFound > 0 ? 'Finished' : 'Skipped'} DNS seeding.`);
      return;
    }
    this.#seeding = true;
    try {
      for (let left = all ? this.#seeds.length : SEEDS_AT_ONCE; left > 0 && this.#seeds.length > 0; left--) {
        if (this.#stopped) return;
        if (!this.#deps.active()) {
          if (!this.#heldBack) log.info('Waiting for network to be reactivated before querying DNS seeds.');
          this.#heldBack = true;
          return;
        }
        this.#heldBack = false;
        await this.#askSeed(this.#seeds.shift() as string);
      }
    } finally {
      this.#seeding = false;
    }
    this.#seedAtMs = clock.nowMs() + this.#seedDelayMs;
    if (this.#seeds.length === 0) log.info(`${this.#seedsFound} addresses found from DNS seeds`);
  }

  async #askSeed(seed: string): Promise<void> {
    const { clock, params, random, log } = this.#context;
    log.info(`Loading addresses from DNS seed ${seed}`);
    if (this.#context.routes.proxyTo('names') !== null) {
      // The proxy resolves the name. The node that answers there is asked for addresses.
      void this.#deps.connect(`${seed}:${params.p2pPort}`, 'addr-fetch');
      return;
    }
    // Request nodes with these services: DNS seeds read them as `x` and hex digits before their name.
    const services = SERVICE.NETWORK | SERVICE.WITNESS;
    const addresses = (await this.#deps.resolve(`x${services.toString(16)}.${seed}`, params.p2pPort)).slice(0, MAX_OF_SEED);
    const [source] = addresses;
    if (source === undefined) {
      // The seed is an address, or does not filter by services. Ask the node that answers there for addresses.
      void this.#deps.connect(seed, 'addr-fetch');
      return;
    }
    for (const address of addresses) {
      const time = clock.nowSeconds() - SEED_AGE_SECONDS - Math.floor(random() * 4 * 24 * 60 * 60);
      if (this.#deps.manager.add({ ...address, time, services }, source)) this.#seedsFound++;
    }
  }

  /** Logs once a minute that there are no peers, and what to check. Not on networks without seeds, which are private. */
  #reportLoneliness(): void {
    const { clock, params, log } = this.#context;
    const isOwnNetwork = params.dnsSeeds.length === 0 && params.fixedSeeds === '';
    if (isOwnNetwork || !this.#deps.active() || this.#deps.peers().some(({ ready }) => ready)) {
      this.#tried = 0;
      this.#lonelyMs = clock.nowMs();
      return;
    }
    if (clock.nowMs() - this.#lonelyMs < LONELY_MS) return;
    this.#lonelyMs = clock.nowMs();
    log.warn(
      `No peers are connected; ${this.#tried} addresses were tried, ${this.#deps.manager.size} are known. Check that this machine may open connections to the internet (TCP port ${params.p2pPort}), its DNS, and -proxy, -onlynet, -connect.`,
    );
  }

  /** Adds the fixed seeds of reachable networks. Runs once, if no address is known, for example because DNS fails. */
  #addFixedSeeds(): void {
    const { clock, options, params, random, routes, log } = this.#context;
    if (this.#fixedDone || !options.fixedSeeds || clock.nowMs() <= this.#fixedAtMs || this.#deps.manager.size > 0) return;
    this.#fixedDone = true;
    const seeds = readFixedSeeds(params.fixedSeeds).filter(({ network }) => routes.connectsTo(network));
    const [source] = seeds;
    if (source === undefined) return;
    log.info("Adding fixed seed nodes as DNS doesn't seem to be available.");
    for (const seed of seeds) {
      const time = clock.nowSeconds() - WEEK_SECONDS - Math.floor(random() * WEEK_SECONDS);
      this.#deps.manager.add({ ...seed, time, services: SERVICE.NETWORK | SERVICE.WITNESS }, source);
    }
  }

  async #connectOne(): Promise<void> {
    const { clock, random, options } = this.#context;
    const peers = this.#deps.peers();
    const full = peers.filter(({ type }) => type === 'outbound-full-relay').length;
    const blocks = peers.filter(({ type }) => type === 'block-relay-only').length;
    const { full: allowedFull, blocks: allowedBlocks } = outboundTargets(options);
    const now = clock.nowMs();
    let type: ConnectionType;
    if (this.#anchors.length > 0 && blocks < allowedBlocks) {
      const anchor = this.#anchors.shift() as NetAddress;
      if (!this.#deps.isUnwanted(anchor)) {
        this.#context.log.debug('net', `Trying to make an anchor connection${options.logIps ? ` to ${addressText(anchor)}` : ''}`);
        await this.#deps.connect(anchor, 'block-relay-only');
      }
      return;
    }
    if (full < allowedFull) type = 'outbound-full-relay';
    else if (blocks < allowedBlocks) type = 'block-relay-only';
    else if (this.#deps.wantsExtra() && full <= allowedFull) type = 'outbound-full-relay';
    else if (this.#deps.wantsExtraBlockRelay() && now > this.#nextExtraBlockRelayMs && allowedBlocks > 0 && blocks === allowedBlocks) {
      // The extra peer is disconnected when its chain is known, or replaces another peer (stale-tip.ts). To hide the best
      // chain, an attacker would have to control the extra peers too.
      this.#nextExtraBlockRelayMs = now + poissonDelayMs(random, EXTRA_BLOCK_RELAY_INTERVAL_MS);
      type = 'block-relay-only';
    } else if (now > this.#nextFeelerMs) {
      this.#nextFeelerMs = now + poissonDelayMs(random, FEELER_INTERVAL_MS);
      type = 'feeler';
    } else return;
    this.#deps.manager.resolveCollisions();
    const address = (type === 'feeler' ? this.#doubtful(peers) : null) ?? this.#choose(type, peers);
    if (address === null) return;
    const working = peers.filter((peer) => !peer.inbound && peer.ready).length;
    this.#deps.manager.attempt(address, working >= Math.min(MAX_FULL_RELAY - 1, 2));
    this.#tried++;
    await this.#deps.connect(address, type);
  }

  /** Returns a tried address whose place another address needs; it keeps the place if it still answers. */
  #doubtful(peers: readonly Peer[]): NetAddress | null {
    const { manager } = this.#deps;
    const info = manager.selectTriedCollision();
    if (info === undefined) return null;
    if (peers.some(({ address }) => addressKey(address) === addressKey(info))) {
      manager.good(info);
      return null;
    }
    return this.#mayCall(info) ? info : null;
  }

  #mayCall(address: NetAddress): boolean {
    if (isLocal(address) || !isRoutable(address) || this.#deps.isUnwanted(address)) return false;
    return this.#context.routes.connectsTo(address.network);
  }

  #choose(type: ConnectionType, peers: readonly Peer[]): NetAddress | null {
    const { clock, options, groupOf } = this.#context;
    const needsOld = needsOldBlocks(this.#context);
    // No two outbound peers from one network group: its owner would see all traffic. Inbound and manual peers take no
    // automatic slot, so they do not count, and a feeler disconnects immediately.
    const apart = type === 'feeler' ? [] : peers.filter((peer) => !peer.inbound && !peer.manual);
    const groups = new Set(apart.map(({ address }) => groupOf(address)));
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const info = this.#deps.manager.select(type === 'feeler');
      if (info === undefined) return null;
      if (groups.has(groupOf(info)) || !this.#mayCall(info)) continue;
      if (tries < TRIES_BEFORE_RECENT && clock.nowSeconds() - info.lastTry < RECENT_SECONDS) continue;
      const needed = desirableServices(info.services, needsOld);
      if (type !== 'feeler' && (info.services & needed) !== needed) continue;
      // I2P addresses have port 0.
      const usual = info.network === 'i2p' ? [0] : [options.port, this.#context.params.p2pPort];
      if (tries < TRIES_BEFORE_ODD && !usual.includes(info.port)) continue;
      return info;
    }
    return null;
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
