import type { FrontRun } from '../../front/context.js';
import { Double } from '../../wire/values.js';

export const getdifficulty: FrontRun = (ctx) => new Double(ctx.snapshot().difficulty);
