import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { getnodeaddresses as spec } from './getnodeaddresses.spec.js';

const NETWORKS = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'];

export const getnodeaddresses: NodeRun<typeof spec> = (params, ctx) => {
  const { count } = params;
  if (count < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Address count out of range');
  const { network: named } = params;
  const network = named === undefined ? undefined : NETWORKS.find((one) => one === named.toLowerCase());
  if (named !== undefined && network === undefined) fail(RPC_CODE.INVALID_PARAMETER, `Network not recognized: ${named}`);
  return ctx.network.control.knownAddresses(count, network).map((known) => ({ ...known }));
};
