import { asBool } from '../../args.js';
import type { FrontRun } from '../../front/context.js';
import { documentOf } from '../../front/simple.js';
import type { getopenrpcinfo as spec } from './getopenrpcinfo.spec.js';

export const getopenrpcinfo: FrontRun<typeof spec> = ({ args }, ctx) => documentOf(ctx, (args[0] ?? null) !== null && asBool(args[0]));
