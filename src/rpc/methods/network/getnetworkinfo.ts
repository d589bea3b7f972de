import type { NodeRun } from '../../context/node.js';
import { NODE_WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { shownWarnings } from '../../node/shown-facts.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'getnetworkinfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the state of the peer-to-peer network.',
  args: [],
  results: [
    obj([
      num('version', 'The server version'),
      str('subversion', 'The user agent of the node'),
      num('protocolversion', 'The protocol version'),
      hex('localservices', 'The services that the node offers, as bits'),
      arr('localservicesnames', 'The services by name', [str('A service')]),
      bool('localrelay', 'Whether peers may send transactions'),
      num('timeoffset', "Offset of the peers' clocks"),
      bool('networkactive', 'Whether the network is enabled (setnetworkactive)'),
      num('connections', 'Number of connections'),
      num('connections_in', 'Number of inbound connections'),
      num('connections_out', 'Number of outbound connections'),
      arr('networks', 'Networks', [
        obj([
          str('name', 'ipv4, ipv6, onion, i2p or cjdns; with -compat=0.21.1 only the first three'),
          bool('limited', 'Whether -onlynet excludes the network'),
          bool('reachable', 'Whether the node can connect to this network'),
          str('proxy', 'The proxy, or an empty text'),
          bool('proxy_randomize_credentials', 'Whether the proxy gets random credentials'),
        ]),
      ]),
      amount('relayfee', 'Lowest feerate relayed, BTC/kB'),
      amount('incrementalfee', 'Minimum fee rate increment for replacement, BTC/kB'),
      arr('localaddresses', 'Own addresses', [obj([str('address', 'The address'), num('port', 'The port'), num('score', 'The score')])]),
      ...NODE_WARNINGS,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const getnetworkinfo: NodeRun<typeof spec> = (_, ctx) => {
  const { network } = ctx;
  const connections = network.connections();
  const pool = ctx.mempool.stats();
  return {
    version: ctx.compat.coreVersion.number,
    subversion: network.subversion,
    protocolversion: network.protocolVersion,
    localservices: network.localServices.toString(16).padStart(16, '0'),
    localservicesnames: network.serviceNames,
    localrelay: network.relays,
    timeoffset: network.timeOffset(),
    networkactive: network.active,
    connections: connections.in + connections.out,
    connections_in: connections.in,
    connections_out: connections.out,
    networks: network.networks.map((one) => ({ ...one })),
    relayfee: new Amount(pool.minRelayFeeRate),
    incrementalfee: new Amount(pool.incrementalFeeRate),
    localaddresses: network.localAddresses().map((one) => ({ ...one })),
    warnings: shownWarnings(ctx),
  };
};
