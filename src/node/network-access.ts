// What RPC says about peers while there is no network room: nobody is connected, nothing was sent.
import { protocolVersion, userAgent } from '../config/version.js';
import type { NetworkAccess } from '../rpc/node/context.js';

/** NETWORK, WITNESS, NETWORK_LIMITED. */
const services = 0x409n;

export function createNetworkAccess(): NetworkAccess {
  return {
    connections: () => ({ in: 0, out: 0 }),
    peers: () => [],
    totals: () => ({ received: 0, sent: 0 }),
    subversion: userAgent,
    protocolVersion,
    localServices: services,
    serviceNames: ['NETWORK', 'WITNESS', 'NETWORK_LIMITED'],
    active: true,
    relays: true,
    networks: ['ipv4', 'ipv6', 'onion'].map((name) => ({
      name,
      limited: name === 'onion',
      reachable: name !== 'onion',
      proxy: '',
      proxy_randomize_credentials: false,
    })),
    timeOffset: () => 0,
  };
}
