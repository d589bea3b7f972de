import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'getaddednodeinfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Returns the peers that addnode or -addnode has added (not those of onetry).',
  args: [str('node?', 'Return only this peer, as addnode or -addnode named it')],
  results: [
    arr([
      obj([
        str('addednode', 'The peer, as addnode or -addnode named it'),
        bool('connected', 'Whether the peer is connected'),
        arr('addresses', 'Addresses of the connection, if there is one', [
          obj([str('address', 'Address and port'), str('connected', 'inbound or outbound')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '"192.168.0.201"', rpc: '"192.168.0.201"' }],
});

export const getaddednodeinfo: NodeRun<typeof spec> = async (params, ctx) => {
  const all = await ctx.network.control.addedNodes();
  if (params.node === undefined) return all;
  const { node: wanted } = params;
  const found = all.filter(({ addednode }) => addednode === wanted);
  return found.length > 0 ? found : fail(RPC_CODE.CLIENT_NODE_NOT_ADDED, 'Error: Node has not been added.');
};
