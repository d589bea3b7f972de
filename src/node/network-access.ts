// Access of RPC and metrics to the network module. Before that module runs, the access shows a network without peers.

import { protocolVersion } from '../config/index.js';
import { toHex } from '../consensus/bytes/hex.js';
import {
  addressText,
  DEFAULT_NET,
  hostText,
  isRoutable,
  NETWORK_NAMES,
  type Net,
  type NetOptions,
  namesOfPermissions,
  namesOfServices,
  type Peer,
  type ProxyPlace,
  Routes,
  SERVICE,
} from '../net/index.js';
import type { NetworkAccess, PeerInfo } from '../rpc/context/network.js';
import { Amount } from '../rpc/wire/values.js';
import { createNetworkControl } from './network-control.js';

/** Networks of 0.21. */
const OLD_NETWORKS = ['ipv4', 'ipv6', 'onion'] as const;
const defaultServices = SERVICE.NETWORK | SERVICE.WITNESS | SERVICE.NETWORK_LIMITED;

/**
 * Creates the access.
 * @param deprecated old members that are still shown
 * @param net returns the network module once it exists
 */
export function createNetworkAccess(
  options: Partial<NetOptions>,
  deprecated: ReadonlySet<string>,
  net: () => Net | undefined,
): NetworkAccess {
  const services = (): bigint => net()?.services ?? options.services ?? defaultServices;
  const { onlyNets = [] } = options;
  const configured = new Routes({ ...DEFAULT_NET, ...options });
  return {
    connections: () => {
      const peers = net()?.peers ?? [];
      const inbound = peers.filter((peer) => peer.inbound).length;
      return { in: inbound, out: peers.length - inbound };
    },
    peers: () => {
      const running = net();
      return running === undefined ? [] : running.peers.map((peer) => peerInfo(running, peer, deprecated));
    },
    totals: () => net()?.transport.connections.totals ?? { received: 0, sent: 0 },
    subversion: options.userAgent ?? DEFAULT_NET.userAgent,
    protocolVersion,
    get localServices() {
      return services();
    },
    get serviceNames() {
      return namesOfServices(services());
    },
    get active() {
      return net()?.transport.connections.active ?? true;
    },
    relays: options.blocksOnly !== true,
    get networks() {
      const routes = net()?.routes ?? configured;
      return (options.legacyPeers ? OLD_NETWORKS : NETWORK_NAMES).map((name) => {
        const proxy = routes.proxyTo(name);
        const lacksWay = name === 'cjdns' || (proxy === null && (name === 'i2p' || (name === 'onion' && onlyNets.length === 0)));
        const limited = !routes.isWanted(name) || lacksWay;
        return {
          name,
          limited,
          reachable: !limited,
          proxy: proxy === null ? '' : placeText(proxy),
          proxy_randomize_credentials: proxy !== null && name !== 'i2p' && options.proxyRandomize !== false,
        };
      });
    },
    timeOffset: () => net()?.discovery.clockCheck.offset ?? 0,
    localAddresses: () =>
      (net()?.transport.local.list() ?? []).map(({ address, score }) => ({ address: hostText(address), port: address.port, score })),
    extraTransactions: () => net()?.relay.extraTxs.byWtxid() ?? new Map(),
    orphans: () => {
      const download = net()?.relay.txDownload;
      download?.settleBlocks();
      const orphans = download?.orphans.list() ?? [];
      return orphans
        .sort((a, b) => Buffer.compare(a.tx.wtxid, b.tx.wtxid))
        .map(({ tx, announcers }) => ({ tx, from: announcers.map(({ id }) => id).sort((a, b) => a - b) }));
    },
    privately: () => {
      const sender = options.privateBroadcast === true ? net()?.relay.privately : undefined;
      if (sender === undefined) return null;
      const { queue } = sender;
      return {
        reachable: sender.reachable,
        add: (tx) => sender.add(tx),
        abort: (id) => sender.abort(id),
        list: () =>
          queue.list.map((entry) => ({
            tx: entry.tx,
            addedAt: entry.addedAt,
            attemptsLeft: queue.attemptsLeft(entry),
            sends: entry.sends,
          })),
      };
    },
    upload: () => {
      const upload = net()?.transport.upload;
      if (upload === undefined) return { target: 0, reached: false, historicalReached: false, bytesLeft: 0, secondsLeft: 0 };
      const { bytes, reached, historicalReached, bytesLeft, secondsLeft } = upload;
      return { target: bytes, reached, historicalReached, bytesLeft, secondsLeft };
    },
    control: createNetworkControl(net),
  };
}

function placeText(place: ProxyPlace): string {
  if ('path' in place) return `unix:${place.path}`;
  return `${place.host.includes(':') ? `[${place.host}]` : place.host}:${place.port}`;
}

/**
 * Returns the members of getpeerinfo in Core's order. The method's declaration removes members that a release does not
 * have.
 */
function peerInfo(net: Net, peer: Peer, deprecated: ReadonlySet<string>): PeerInfo {
  const { connection } = peer;
  const heights = net.sync.headers.heightsOf(peer);
  const info: Record<string, PeerInfo[string]> = { id: peer.id, addr: peer.name };
  if (peer.bindText !== '') info.addrbind = peer.bindText;
  if (peer.localAddress !== null) info.addrlocal = addressText(peer.localAddress);
  info.network = networkOf(peer);
  const system = net.systemOf(peer.address);
  if (system !== 0) info.mapped_as = system;
  info.services = peer.services.toString(16).padStart(16, '0');
  info.servicesnames = namesOfServices(peer.services);
  info.relaytxes = peer.relaysTxs;
  info.last_inv_sequence = net.relay.announcer.lastSequence(peer);
  info.inv_to_send = net.relay.announcer.waitingFor(peer);
  info.lastsend = connection.lastSend;
  info.lastrecv = connection.lastReceive;
  info.last_transaction = peer.lastTxTime;
  info.last_block = peer.lastBlockTime;
  info.bytessent = connection.bytesSent;
  info.bytesrecv = connection.bytesReceived;
  info.conntime = peer.connectedAt;
  info.timeoffset = peer.timeOffset;
  if (peer.pingMs >= 0) info.pingtime = peer.pingMs / 1000;
  if (peer.minPingMs >= 0) info.minping = peer.minPingMs / 1000;
  if (peer.pingNonce !== 0n) info.pingwait = net.transport.keepalive.waitSeconds(peer);
  info.version = peer.version;
  info.subver = peer.userAgent;
  info.inbound = peer.inbound;
  if (deprecated.has('getpeerinfo_addnode')) info.addnode = peer.manual;
  info.bip152_hb_to = peer.compact.highBandwidth;
  info.bip152_hb_from = peer.compact.wantsHighBandwidth;
  info.startingheight = peer.startHeight;
  if (deprecated.has('banscore')) info.banscore = peer.misbehaviour;
  info.presynced_headers = heights.presynced;
  info.synced_headers = heights.headers;
  info.synced_blocks = heights.blocks;
  info.inflight = peer.sync.inFlight.map(({ node }) => node?.height ?? -1);
  const addresses = net.discovery.addrRelay.counts(peer);
  info.addr_relay_enabled = addresses !== null;
  info.addr_processed = addresses?.processed ?? 0;
  info.addr_rate_limited = addresses?.limited ?? 0;
  if (deprecated.has('whitelisted')) info.whitelisted = peer.permissions.implicit;
  info.permissions = namesOfPermissions(peer.permissions);
  info.minfeefilter = new Amount(net.relay.announcer.minFeeRate(peer));
  info.bytessent_per_msg = Object.fromEntries([...connection.sentByMessage].sort(byName));
  info.bytesrecv_per_msg = Object.fromEntries([...connection.receivedByMessage].sort(byName));
  info.connection_type = peer.type;
  info.compact_blocks = { ...peer.compact.blocks };
  const { transportType, sessionId } = connection;
  info.transport_protocol_type = transportType;
  info.session_id = sessionId === null ? '' : toHex(sessionId);
  return info;
}

/**
 * Returns Core's name of the network by which a peer is reached. 'unroutable' for local addresses and names that a
 * proxy resolved.
 */
export function networkOf({ address, name, isViaOnion: cameByOnion }: Pick<Peer, 'address' | 'name' | 'isViaOnion'>): string {
  if (cameByOnion) return 'onion';
  if (isRoutable(address)) return address.network;
  return /\.onion(:\d+)?$/i.test(name) ? 'onion' : 'unroutable';
}

function byName([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}
