// Addresses at which this node can be reached: -externalip, addresses of this machine (-discover), and its listeners.
// Also chooses the best one for a peer (Core's mapLocalHost, GetLocalAddrForPeer).
import type { NetworkInterfaceInfo } from 'node:os';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { hostKey, isRoutable, type NetAddress, parseHost } from '../wire/net-address.js';

/** Score of an address by its source, as getnetworkinfo shows it. */
const SCORE = { interface: 1, bind: 2, manual: 4 } as const;
const ORDER: readonly NetAddress['network'][] = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'];

type Interface = Pick<NetworkInterfaceInfo, 'address' | 'internal'>;

export interface LocalAddress {
  readonly address: NetAddress;
  score: number;
}

export class LocalAddresses {
  readonly #known = new Map<string, LocalAddress>();
  readonly #context: Pick<NetContext, 'options' | 'random' | 'log'>;

  constructor(context: Pick<NetContext, 'options' | 'random' | 'log'>) {
    this.#context = context;
    for (const address of context.options.externalAddresses) this.addManual(address);
  }

  /** Adds an address of -externalip. */
  addManual(address: NetAddress): void {
    this.#add(address, SCORE.manual);
  }

  /** Returns a function that sets an address that may change, from Tor or I2P; null: there is none now. */
  changing(): (address: NetAddress | null) => void {
    let known: NetAddress | null = null;
    return (address) => {
      if (known !== null) this.#known.delete(hostKey(known));
      known = address;
      if (address !== null) this.addManual(address);
    };
  }

  /**
   * Adds the addresses that -discover finds.
   * @param interfaces lists the network interfaces of this machine; may throw
   * @param hosts addresses that are listened on
   */
  discover(interfaces: () => Iterable<Interface>, hosts: readonly string[]): void {
    const { discover, port } = this.#context.options;
    if (!discover) return;
    const found = this.#listed(interfaces)
      .filter(({ internal }) => !internal)
      .map(({ address }) => [address, SCORE.interface] as const);
    for (const [text, score] of [...found, ...hosts.map((host) => [host, SCORE.bind] as const)]) {
      const address = parseHost(text, port);
      if (address !== null) this.#add(address, score);
    }
  }

  /**
   * Lists the network interfaces. Returns none if a sandbox forbids listing them (Linux needs a netlink socket); addresses
   * of interfaces are then not advertised.
   */
  #listed(interfaces: () => Iterable<Interface>): Interface[] {
    try {
      return [...interfaces()];
    } catch (error) {
      this.#context.log.warn(`Addresses of this machine can't be listed: ${(error as Error).message}`);
      return [];
    }
  }

  #add(address: NetAddress, score: number): void {
    const { legacyPeers, onlyNets } = this.#context.options;
    // An address of -externalip counts in every network, even one that -onlynet excludes.
    const called = onlyNets.length === 0 || onlyNets.includes(address.network) || (score === SCORE.manual && !legacyPeers);
    if (!isRoutable(address) || !called) return;
    const key = hostKey(address);
    const known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, { address, score });
    else if (score >= known.score) this.#known.set(key, { address, score: score + 1 });
  }

  /** Raises the score of an address that an inbound peer used, because it works. */
  seen(address: NetAddress): void {
    const known = this.#known.get(hostKey(address));
    if (known !== undefined) known.score++;
  }

  /** Returns whether an address and port belong to this node. */
  has(address: NetAddress): boolean {
    const known = this.#known.get(hostKey(address));
    return known !== undefined && known.address.port === address.port;
  }

  /** Returns the addresses sorted by network and bytes. */
  list(): readonly LocalAddress[] {
    return [...this.#known.values()].sort(
      ({ address: a }, { address: b }) => ORDER.indexOf(a.network) - ORDER.indexOf(b.network) || Buffer.compare(a.bytes, b.bytes),
    );
  }

  /** Returns the address to advertise to a peer; null if the peer could use none. */
  forPeer(peer: Pick<Peer, 'address' | 'localAddress' | 'isViaOnion'>): NetAddress | null {
    const { options, random } = this.#context;
    let best: LocalAddress | null = null;
    for (const one of this.list()) {
      const [reach, bestReach] = [reachOf(one.address, peer), best === null ? 0 : reachOf(best.address, peer)];
      if (reach > bestReach || (best !== null && reach === bestReach && one.score > best.score)) best = one;
    }
    const advertised = best?.address ?? null;
    const seen = peer.localAddress;
    const usable = options.discover && seen !== null && isRoutable(seen) && isRoutable(peer.address);
    if (!usable || (options.onlyNets.length > 0 && !options.onlyNets.includes(seen.network))) return advertised;
    // The peer may know better than this node, or may lie. The higher the score of the best address, the less the peer is believed.
    const trusted = best === null || random() * (best.score > SCORE.manual ? 8 : 2) < 1;
    return trusted ? { ...seen, port: advertised?.port ?? options.port } : advertised;
  }
}

/**
 * Returns how well a peer can reach one of this node's addresses (Core's GetReachabilityFrom); 0: not at all, or the
 * peer must not learn of it.
 */
function reachOf(own: NetAddress, { address: peer, isViaOnion: cameByOnion }: Pick<Peer, 'address' | 'isViaOnion'>): number {
  if (cameByOnion) return own.network === 'onion' ? 4 : 0;
  // A peer must not learn an onion or I2P address together with an address of another network: together they locate this node.
  const hidden = (network: NetAddress['network']): boolean => network === 'onion' || network === 'i2p';
  if (isRoutable(peer) && (hidden(own.network) || hidden(peer.network))) return own.network === peer.network ? 4 : 0;
  if (hidden(own.network)) return 4;
  if (own.network === peer.network) return 3;
  return own.network === 'ipv4' && peer.network === 'ipv6' ? 2 : 1;
}
