import type { Run } from '../../dispatch.js';
import type { FrontContext } from '../../front/context.js';
import { txToDecode } from '../../front/decode.js';
import { txMembers } from '../../render/tx.js';

export const decoderawtransaction: Run<FrontContext> = (ctx, args) => txMembers(txToDecode(args, ctx.hashes), ctx);
