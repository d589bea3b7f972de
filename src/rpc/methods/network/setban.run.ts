import { follows } from '../../../policy/compat.js';
import { asBool, asInt64, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { commandOf } from '../../node/peers.js';
import type { setban as spec } from './setban.spec.js';

export const setban: NodeRun<typeof spec> = ({ args }, ctx) => {
  const command = commandOf(ctx, args[1], 'setban', ['add', 'remove']);
  const text = asString(args[0]);
  const { control } = ctx.network;
  if (!control.isSubnet(text)) return fail(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Error: Invalid IP/Subnet');
  if (command === 'remove') {
    if (control.unban(text)) return null;
    return fail(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Error: Unban failed. Requested address/subnet was not previously manually banned.');
  }
  if (control.isBanned(text)) return fail(RPC_CODE.CLIENT_NODE_ALREADY_ADDED, 'Error: IP/Subnet already banned');
  const seconds = (args[2] ?? null) === null ? 0 : Number(asInt64(args[2]));
  const absolute = args[3] === undefined || args[3] === null ? false : asBool(args[3]);
  if (absolute && seconds < ctx.clock.nowSeconds() && follows(ctx.compat, 22)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Error: Absolute timestamp is in the past');
  }
  control.ban(text, seconds, absolute);
  return null;
};
