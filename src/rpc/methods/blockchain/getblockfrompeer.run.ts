import { hashFromHex } from '../../../consensus/bytes/hex.js';
import { asHashHex, asInt } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { getblockfrompeer as spec } from './getblockfrompeer.spec.js';

export const getblockfrompeer: NodeRun<typeof spec> = ({ args }, ctx) => {
  const hash = hashFromHex(asHashHex(args[0], 'blockhash'));
  const fault = ctx.network.control.fetchBlock(hash, asInt(args[1]));
  return fault === null ? {} : fail(RPC_CODE.MISC_ERROR, fault);
};
