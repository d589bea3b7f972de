import type { FrontRun } from '../../front/context.js';
import { txToDecode } from '../../front/decode.js';
import { txMembers } from '../../render/tx.js';
import type { decoderawtransaction as spec } from './decoderawtransaction.spec.js';

export const decoderawtransaction: FrontRun<typeof spec> = (params, ctx) => txMembers(txToDecode(params, ctx.hashes), ctx);
