import { asInt, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { getnodeaddresses as spec } from './getnodeaddresses.spec.js';

const NETWORKS = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'];

export const getnodeaddresses: NodeRun<typeof spec> = ({ args }, ctx) => {
  const count = (args[0] ?? null) === null ? 1 : asInt(args[0]);
  if (count < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Address count out of range');
  const named = (args[1] ?? null) === null ? undefined : asString(args[1]);
  const network = named === undefined ? undefined : NETWORKS.find((one) => one === named.toLowerCase());
  if (named !== undefined && network === undefined) fail(RPC_CODE.INVALID_PARAMETER, `Network not recognized: ${named}`);
  return ctx.network.control.knownAddresses(count, network).map((known) => ({ ...known }));
};
