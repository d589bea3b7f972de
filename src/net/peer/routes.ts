// Decides to which networks this node connects, and through which proxy (Core's SetProxy and g_reachable_nets).
import type { NetOptions, ProxyPlace } from '../options.js';
import type { NetworkName } from '../wire/net-address.js';

type RouteOptions = Pick<NetOptions, 'proxies' | 'onionProxy' | 'onionReachable' | 'i2pSam' | 'onlyNets'>;

export class Routes {
  readonly #options: RouteOptions;
  /** Proxy that Tor reported on its control port. Used for onion addresses unless -onion is given. */
  torProxy: ProxyPlace | null = null;

  constructor(options: RouteOptions) {
    this.#options = options;
  }

  /** Returns the proxy for a network or for host names, or the SAM bridge for I2P; null: none. */
  proxyTo(network: NetworkName | 'names'): ProxyPlace | null {
    const { proxies, onionProxy, i2pSam } = this.#options;
    if (network === 'i2p') return i2pSam;
    const given = proxies[network] ?? null;
    return network === 'onion' ? (onionProxy ?? this.torProxy ?? given) : given;
  }

  /** Returns whether -onlynet and -onion allow a network, with or without a way to reach it. */
  isWanted(network: NetworkName): boolean {
    const { onlyNets, onionReachable } = this.#options;
    return (onlyNets.length === 0 || onlyNets.includes(network)) && (network !== 'onion' || onionReachable);
  }

  /** Returns whether this node connects to addresses of a network. */
  connectsTo(network: NetworkName): boolean {
    if (!this.isWanted(network) || network === 'cjdns') return false;
    return (network !== 'onion' && network !== 'i2p') || this.proxyTo(network) !== null;
  }
}
