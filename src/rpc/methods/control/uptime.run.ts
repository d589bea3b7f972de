// Runs uptime.
import { follows } from '../../../policy/compat.js';
import type { FrontRun } from '../../front/context.js';

/** By the node's clock, which may be mocked; since release 31 by one that never jumps. */
export const uptime: FrontRun = (ctx) => (follows(ctx.compat, 31) ? Math.floor(process.uptime()) : ctx.nowSeconds() - ctx.startedSeconds);
