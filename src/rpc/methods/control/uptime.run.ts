import { follows } from '../../../policy/compat.js';
import type { FrontRun } from '../../front/context.js';
import type { uptime as spec } from './uptime.spec.js';

/** Uses the node's clock, which may be mocked. Since release 31, uses the monotonic clock. */
export const uptime: FrontRun<typeof spec> = (_, ctx) =>
  follows(ctx.compat, 31) ? Math.floor(process.uptime()) : ctx.nowSeconds() - ctx.startedSeconds;
