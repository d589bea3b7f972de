import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { getblockhash as spec } from './getblockhash.spec.js';

export const getblockhash: NodeRun<typeof spec> = ({ height }, ctx) => {
  const node = height < 0 ? undefined : ctx.chain.atHeight(height);
  return node?.hashHex ?? fail(RPC_CODE.INVALID_PARAMETER, 'Block height out of range');
};
