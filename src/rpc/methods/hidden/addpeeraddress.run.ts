import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { addpeeraddress as spec } from './addpeeraddress.spec.js';

export const addpeeraddress: NodeRun<typeof spec> = ({ address, port, tried: isTried }, ctx) => {
  const error = ctx.network.control.addAddress(address, port, isTried);
  if (error === null) return { success: true };
  // Core 0.21 gives no reason.
  if (!follows(ctx.compat, 22)) return { success: false };
  return error === 'invalid' ? fail(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Invalid IP address') : { error, success: false };
};
