import { follows } from '../../../policy/compat.js';
import type { FrontRun } from '../../front/context.js';

/** Uses the node's clock, which may be mocked. Since release 31, uses the monotonic clock. */
export const uptime: FrontRun = (ctx) => (follows(ctx.compat, 31) ? Math.floor(process.uptime()) : ctx.nowSeconds() - ctx.startedSeconds);
