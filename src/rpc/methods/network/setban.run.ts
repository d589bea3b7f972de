import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { commandOf } from '../../node/peers.js';
import type { setban as spec } from './setban.spec.js';

export const setban: NodeRun<typeof spec> = (params, ctx) => {
  const command = commandOf(ctx, params.command, 'setban', ['add', 'remove']);
  const { subnet: text } = params;
  const { control } = ctx.network;
  if (!control.isSubnet(text)) return fail(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Error: Invalid IP/Subnet');
  if (command === 'remove') {
    if (control.unban(text)) return null;
    return fail(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Error: Unban failed. Requested address/subnet was not previously manually banned.');
  }
  if (control.isBanned(text)) return fail(RPC_CODE.CLIENT_NODE_ALREADY_ADDED, 'Error: IP/Subnet already banned');
  const seconds = params.bantime === undefined ? 0 : Number(params.bantime);
  const { absolute } = params;
  if (absolute && seconds < ctx.clock.nowSeconds() && follows(ctx.compat, 22)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Error: Absolute timestamp is in the past');
  }
  control.ban(text, seconds, absolute);
  return null;
};
