import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'addpeeraddress',
  category: 'hidden',
  runs: 'node',
  description: 'Adds an address to the known addresses, as if a peer had sent it. For testing only.',
  args: [
    str('address', 'The address.'),
    num('port', 'The port.'),
    bool('tried', 'Whether to add it to the tried table', { since: 23, default: 'false' }),
  ],
  results: [obj([bool('success', 'Whether the address was added'), str('error?', 'Reason if it was not added', { since: 28 })])],
  examples: [{ cli: '"1.2.3.4" 8333', rpc: '"1.2.3.4", 8333' }],
});

export const addpeeraddress: NodeRun<typeof spec> = ({ address, port, tried: isTried }, ctx) => {
  const error = ctx.network.control.addAddress(address, port, isTried);
  if (error === null) return { success: true };
  // Core 0.21 gives no reason.
  if (!follows(ctx.compat, 22)) return { success: false };
  return error === 'invalid' ? fail(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Invalid IP address') : { error, success: false };
};
