import { asInt } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';

export const getblockhash: NodeRun = (ctx, args) => {
  const height = asInt(args[0]);
  const node = height < 0 ? undefined : ctx.chain.atHeight(height);
  return node?.hashHex ?? fail(RPC_CODE.INVALID_PARAMETER, 'Block height out of range');
};
