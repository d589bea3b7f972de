// Control of the network module by RPC: connect, disconnect, ban. While the network module does not run, calls throw
// Core's error -31 (RPC_CLIENT_P2P_DISABLED).
import {
  type AddressInfo,
  type AddrManager,
  addressText,
  type Bans,
  type Connections,
  hostText,
  type Net,
  type NetAddress,
  outboundTargets,
  parseHost,
  parseSubnet,
  SERVICE,
  subnetContains,
  subnetText,
} from '../net/index.js';
import type { KnownNode, NetworkControl } from '../rpc/context/network.js';
import { RPC_CODE, RpcError } from '../rpc/errors.js';

const MAX_PORT = 65_535;

/**
 * Creates the control.
 * @param running returns the network module; undefined before it exists
 */
export function createNetworkControl(running: () => Net | undefined): NetworkControl {
  const net = (): Net => {
    const found = running();
    if (found === undefined) throw new RpcError(RPC_CODE.CLIENT_P2P_DISABLED, 'Error: Peer-to-peer functionality missing or disabled');
    return found;
  };
  const connections = (): Connections => net().transport.connections;
  const bans = (): Bans => net().transport.bans;
  const addresses = (): AddrManager => net().transport.addresses;
  const subnetOf = (text: string): NonNullable<ReturnType<typeof parseSubnet>> => {
    const subnet = parseSubnet(text);
    if (subnet === null) throw new RpcError(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Error: Invalid IP/Subnet');
    return subnet;
  };
  return {
    connectOnce: async (node, encrypted) => {
      await connections().connect(node, 'manual', encrypted);
    },
    openConnection: async (node, type, encrypted) => {
      const { full, blocks } = outboundTargets(net().options);
      const most = type === 'outbound-full-relay' ? full : type === 'block-relay-only' ? blocks : Number.POSITIVE_INFINITY;
      if (net().peers.filter((peer) => peer.type === type).length >= most) return false;
      await connections().connect(node, type, encrypted);
      return true;
    },
    addNode: (node, encrypted) => net().discovery.outbound.add(node, encrypted),
    encrypts: () => net().options.v2Transport,
    removeNode: (node) => net().discovery.outbound.remove(node),
    addedNodes: async () => {
      const { outbound } = net().discovery;
      const rows = outbound.added.map(async (addednode) => {
        const peer = await connections().findConnected(addednode);
        const addresses = peer === undefined ? [] : [{ address: addressText(peer.address), connected: side(peer.inbound) }];
        return { addednode, connected: peer !== undefined, addresses };
      });
      return Promise.all(rows);
    },
    disconnectAddress: (address) => {
      const peer = net().peers.find(({ name }) => name === address);
      if (peer !== undefined) connections().disconnect(peer);
      return peer !== undefined;
    },
    disconnectId: (id) => {
      const peer = connections().byId(id);
      if (peer !== undefined) connections().disconnect(peer);
      return peer !== undefined;
    },
    pingAll: () => {
      for (const peer of net().peers) peer.pingWanted = true;
    },
    fetchBlock: (hash, peer) => net().sync.downloads.requestByHand(hash, connections().byId(peer)),
    setActive: (active) => net().transport.setActive(active),
    isSubnet: (text) => parseSubnet(text) !== null,
    isBanned: (text) => {
      const subnet = subnetOf(text);
      return text.includes('/') ? bans().has(subnet) : bans().isBanned(subnet.address);
    },
    ban: (text, seconds, absolute) => {
      const subnet = subnetOf(text);
      const { options, clock } = net();
      const now = clock.nowSeconds();
      bans().add(subnet, absolute && seconds > 0 ? seconds : now + (seconds > 0 ? seconds : options.banSeconds));
      for (const peer of net().peers) if (subnetContains(subnet, peer.address)) connections().disconnect(peer);
    },
    unban: (text) => bans().remove(subnetOf(text)),
    bans: () =>
      bans()
        .list()
        .map(({ subnet, until, createdAt }) => ({ address: subnetText(subnet), until, createdAt })),
    clearBans: () => bans().clear(),
    knownAddresses: (count, network) =>
      addresses()
        .sample(count, 0, network)
        .filter((one) => !bans().isUnwanted(one))
        .map((one) => ({ time: one.time, services: Number(one.services), address: hostText(one), port: one.port, network: one.network })),
    addressTables: () => ({ new: shownIn(net(), addresses().table('new')), tried: shownIn(net(), addresses().table('tried')) }),
    addressCounts: () => addresses().counts(),
    addAddress: (text, port, tried) => {
      const address = port >= 0 && port <= MAX_PORT ? parseHost(text, port) : null;
      const known = address && { ...address, time: net().clock.nowSeconds(), services: SERVICE.NETWORK | SERVICE.WITNESS };
      if (known === null) return 'invalid';
      if (!addresses().add(known, known)) return 'failed-adding-to-new';
      return tried && !addresses().good(known) ? 'failed-adding-to-tried' : null;
    },
  };
}

function* shownIn(net: Net, table: ReadonlyMap<string, AddressInfo>): Generator<readonly [string, KnownNode]> {
  const shown = (address: NetAddress) => ({ address: hostText(address), network: address.network, system: net.systemOf(address) });
  for (const [place, info] of table) {
    const { port, services, time, source } = info;
    yield [place, { ...shown(info), port, services: Number(services), time, source: shown(source) }];
  }
}

function side(inbound: boolean): 'inbound' | 'outbound' {
  return inbound ? 'inbound' : 'outbound';
}
