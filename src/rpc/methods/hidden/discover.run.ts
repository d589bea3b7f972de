import type { FrontRun } from '../../front/context.js';
import { documentOf } from '../../front/simple.js';

export const discover: FrontRun = (ctx) => documentOf(ctx, true);
