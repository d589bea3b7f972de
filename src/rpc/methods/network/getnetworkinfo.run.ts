import type { NodeRun } from '../../context/node.js';
import { shownWarnings } from '../../node/shown-facts.js';
import { Amount } from '../../wire/values.js';
import type { getnetworkinfo as spec } from './getnetworkinfo.spec.js';

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
