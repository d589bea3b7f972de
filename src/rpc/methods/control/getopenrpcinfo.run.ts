import type { FrontRun } from '../../front/context.js';
import { documentOf } from '../../front/simple.js';
import type { getopenrpcinfo as spec } from './getopenrpcinfo.spec.js';

export const getopenrpcinfo: FrontRun<typeof spec> = ({ show_hidden }, ctx) => documentOf(ctx, show_hidden);
