import type { FrontRun } from '../../front/context.js';
import type { getblockcount as spec } from './getblockcount.spec.js';

export const getblockcount: FrontRun<typeof spec> = (_, ctx) => ctx.snapshot().height;
