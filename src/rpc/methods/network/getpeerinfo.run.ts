import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import type { getpeerinfo as spec } from './getpeerinfo.spec.js';

/** Replaces the name of unknown networks, `unroutable`, by `not_publicly_routable` if a release since 22 is followed. */
export const getpeerinfo: NodeRun<typeof spec> = (_, ctx) =>
  ctx.network
    .peers()
    .map((peer) => (peer.network === 'unroutable' && follows(ctx.compat, 22) ? { ...peer, network: 'not_publicly_routable' } : peer));
