import { asInt64, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { disconnectnode as spec } from './disconnectnode.spec.js';

export const disconnectnode: NodeRun<typeof spec> = (params, ctx) => {
  const [address, id] = [params.address, params.nodeid];
  const { control } = ctx.network;
  let found: boolean;
  if (address !== null && id === null) found = control.disconnectAddress(asString(address));
  else if (id !== null && (address === null || address === '')) found = control.disconnectId(Number(asInt64(id)));
  else return fail(RPC_CODE.INVALID_PARAMS, 'Only one of address and nodeid should be provided.');
  if (!found) fail(RPC_CODE.CLIENT_NODE_NOT_CONNECTED, 'Node not found in connected nodes');
  return null;
};
