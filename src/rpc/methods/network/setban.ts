import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, none, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { commandOf } from '../../node/peers.js';

export const spec = declare({
  name: 'setban',
  category: 'network',
  runs: 'node',
  description: 'Bans an address or subnet, or removes a ban.',
  args: [
    str('subnet', 'An address, or a subnet with a slash and its bits or mask'),
    str('command', "'add' or 'remove'.", { as: 'json' }),
    num('bantime', 'Duration of the ban in seconds. 0 means -bantime', { as: 'int64', default: '0' }),
    bool('absolute', 'Whether bantime is the end of the ban, in seconds since 1970', { default: 'false' }),
  ],
  results: [none()],
  examples: [
    { cli: '"192.168.0.6" "add" 86400', rpc: '"192.168.0.6", "add", 86400' },
    { cli: '"192.168.0.0/24" "add"', rpc: '"192.168.0.0/24", "add"' },
  ],
});

export const setban: NodeRun<typeof spec> = (params, ctx) => {
  const command = commandOf(ctx, params.command, spec, ['add', 'remove']);
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
