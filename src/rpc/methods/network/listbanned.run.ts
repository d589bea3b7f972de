import type { NodeRun } from '../../context/node.js';
import type { listbanned as spec } from './listbanned.spec.js';

export const listbanned: NodeRun<typeof spec> = (_, ctx) =>
  ctx.network.control.bans().map(({ address, until, createdAt }) => ({
    address,
    banned_until: until,
    ban_created: createdAt,
    ban_duration: until - createdAt,
    time_remaining: until - ctx.clock.nowSeconds(),
  }));
