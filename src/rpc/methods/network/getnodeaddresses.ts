import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'getnodeaddresses',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Returns known addresses of nodes.',
  args: [
    num('count', 'Largest number of addresses to return. 0 means all known addresses', { default: '1' }),
    str('network?', 'Return only addresses of this network: ipv4, ipv6, onion, i2p or cjdns', { since: 22 }),
  ],
  results: [
    arr([
      obj([
        num('time', 'Time at which the node was last seen, in seconds since 1970'),
        num('services', 'The services of the node, as bits'),
        str('address', 'The address'),
        num('port', 'The port'),
        str('network', 'The network', { since: 22 }),
      ]),
    ]),
  ],
  examples: [{ cli: '8', rpc: '8' }],
});

const NETWORKS = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'];

export const getnodeaddresses: NodeRun<typeof spec> = (params, ctx) => {
  const { count } = params;
  if (count < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Address count out of range');
  const { network: named } = params;
  const network = named === undefined ? undefined : NETWORKS.find((one) => one === named.toLowerCase());
  if (named !== undefined && network === undefined) fail(RPC_CODE.INVALID_PARAMETER, `Network not recognized: ${named}`);
  return ctx.network.control.knownAddresses(count, network).map((known) => ({ ...known }));
};
