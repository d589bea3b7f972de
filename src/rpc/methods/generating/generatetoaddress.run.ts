import { decodeAddress } from '../../../address/address.js';
import { asInt, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { budgetOf, mineBlocks } from '../../node/generate.js';
import type { generatetoaddress as spec } from './generatetoaddress.spec.js';

export const generatetoaddress: NodeRun<typeof spec> = ({ args }, ctx) => {
  const count = asInt(args[0]);
  const budget = budgetOf(args[2]);
  const decoded = decodeAddress(asString(args[1]), ctx.params, ctx.crypto);
  if (!('script' in decoded)) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Error: Invalid address');
  return mineBlocks(ctx, decoded.script, count, budget);
};
