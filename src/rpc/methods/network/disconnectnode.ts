import { asInt64, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { none, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'disconnectnode',
  category: 'network',
  runs: 'node',
  description: 'Disconnects a peer. Name the peer by its address or by its number. With a number, leave the address empty.',
  args: [
    str('address?', 'Address and port as getpeerinfo shows them.', { as: 'json' }),
    num('nodeid?', 'Number as getpeerinfo shows it.', { as: 'json' }),
  ],
  results: [none()],
  examples: [
    { cli: '"192.168.0.6:8333"', rpc: '"192.168.0.6:8333"' },
    { cli: '"" 1', rpc: '"", 1' },
  ],
});

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
