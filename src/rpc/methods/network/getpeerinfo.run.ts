import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';

/** Since release 22, the name for unknown networks differs. */
export const getpeerinfo: NodeRun = (ctx) =>
  ctx.network
    .peers()
    .map((peer) => (peer.network === 'unroutable' && follows(ctx.compat, 22) ? { ...peer, network: 'not_publicly_routable' } : peer));
