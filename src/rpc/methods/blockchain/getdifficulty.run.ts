import type { FrontRun } from '../../front/context.js';
import { Double } from '../../wire/values.js';
import type { getdifficulty as spec } from './getdifficulty.spec.js';

export const getdifficulty: FrontRun<typeof spec> = (_, ctx) => new Double(ctx.snapshot().difficulty);
