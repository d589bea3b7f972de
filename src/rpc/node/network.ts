// getnetworkinfo, getconnectioncount, getpeerinfo, getnettotals.
import { follows } from '../../policy/compat.js';
import type { Run } from '../dispatch.js';
import { Amount } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { shownWarnings } from './shown-facts.js';

type NodeRun = Run<NodeContext>;

/** The version whose RPC this node speaks; clients compare it. */
const SPOKEN_VERSION = 210100;
const SECONDS_PER_DAY = 86_400;

export const getnetworkinfo: NodeRun = (ctx) => {
  const { network } = ctx;
  const connections = network.connections();
  const pool = ctx.mempool.stats();
  return {
    version: SPOKEN_VERSION,
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

export const getconnectioncount: NodeRun = (ctx) => {
  const { in: inbound, out } = ctx.network.connections();
  return inbound + out;
};

/** A network that is none of those with names is called otherwise since release 22. */
export const getpeerinfo: NodeRun = (ctx) =>
  ctx.network
    .peers()
    .map((peer) => (peer.network === 'unroutable' && follows(ctx.compat, 22) ? { ...peer, network: 'not_publicly_routable' } : peer));

export const getnettotals: NodeRun = (ctx) => {
  const { received, sent } = ctx.network.totals();
  const { target, reached, historicalReached, bytesLeft, secondsLeft } = ctx.network.upload();
  return {
    totalbytesrecv: received,
    totalbytessent: sent,
    timemillis: ctx.clock.nowMs(),
    uploadtarget: {
      timeframe: SECONDS_PER_DAY,
      target,
      target_reached: reached,
      serve_historical_blocks: !historicalReached,
      bytes_left_in_cycle: bytesLeft,
      time_left_in_cycle: secondsLeft,
    },
  };
};
