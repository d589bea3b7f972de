import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { getaddednodeinfo as spec } from './getaddednodeinfo.spec.js';

export const getaddednodeinfo: NodeRun<typeof spec> = async (params, ctx) => {
  const all = await ctx.network.control.addedNodes();
  if (params.node === undefined) return all;
  const { node: wanted } = params;
  const found = all.filter(({ addednode }) => addednode === wanted);
  return found.length > 0 ? found : fail(RPC_CODE.CLIENT_NODE_NOT_ADDED, 'Error: Node has not been added.');
};
