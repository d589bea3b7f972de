import type { FrontRun } from '../../front/context.js';
import { documentOf } from '../../front/simple.js';
import type { discover as spec } from './discover.spec.js';

export const discover: FrontRun<typeof spec> = (_, ctx) => documentOf(ctx, true);
