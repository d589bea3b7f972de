import type { FrontRun } from '../../front/context.js';

export const echo: FrontRun = (_ctx, args) => args;
