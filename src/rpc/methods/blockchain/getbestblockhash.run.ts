import type { FrontRun } from '../../front/context.js';
import type { getbestblockhash as spec } from './getbestblockhash.spec.js';

export const getbestblockhash: FrontRun<typeof spec> = (_, ctx) => ctx.snapshot().hashHex;
