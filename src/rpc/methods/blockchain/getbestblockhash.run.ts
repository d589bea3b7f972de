import type { FrontRun } from '../../front/context.js';

export const getbestblockhash: FrontRun = (ctx) => ctx.snapshot().hashHex;
