import { decodeAddress } from '../../../address/address.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { budgetOf, mineBlocks } from '../../node/generate.js';
import type { generatetoaddress as spec } from './generatetoaddress.spec.js';

export const generatetoaddress: NodeRun<typeof spec> = (params, ctx) => {
  const { nblocks: count } = params;
  const budget = budgetOf(params.maxtries);
  const decoded = decodeAddress(params.address, ctx.params, ctx.crypto);
  if (!('script' in decoded)) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Error: Invalid address');
  return mineBlocks(ctx, decoded.script, count, budget);
};
