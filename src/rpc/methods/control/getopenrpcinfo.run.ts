import { asBool } from '../../args.js';
import type { FrontRun } from '../../front/context.js';
import { documentOf } from '../../front/simple.js';

export const getopenrpcinfo: FrontRun = (ctx, args) => documentOf(ctx, (args[0] ?? null) !== null && asBool(args[0]));
