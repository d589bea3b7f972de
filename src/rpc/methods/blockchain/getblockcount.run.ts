import type { FrontRun } from '../../front/context.js';

export const getblockcount: FrontRun = (ctx) => ctx.snapshot().height;
