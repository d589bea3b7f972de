import { hashFromHex } from '../../../consensus/bytes/hex.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { getblockfrompeer as spec } from './getblockfrompeer.spec.js';

export const getblockfrompeer: NodeRun<typeof spec> = (params, ctx) => {
  const hash = hashFromHex(params.blockhash);
  const fault = ctx.network.control.fetchBlock(hash, Number(params.peer_id));
  return fault === null ? {} : fail(RPC_CODE.MISC_ERROR, fault);
};
