// Runs getpeerinfo.
import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';

/** A network that is none of those with names is called otherwise since release 22. */
export const getpeerinfo: NodeRun = (ctx) =>
  ctx.network
    .peers()
    .map((peer) => (peer.network === 'unroutable' && follows(ctx.compat, 22) ? { ...peer, network: 'not_publicly_routable' } : peer));
