import { decodeAddress } from '../../../address/address.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { budgetOf, mineBlocks } from '../../node/generate.js';

export const spec = declare({
  name: 'generatetoaddress',
  category: 'generating',
  moved: { since: 23, category: 'hidden' },
  runs: 'node',
  description: 'Mines blocks immediately and pays them to an address.',
  args: [
    num('nblocks', 'Number of blocks'),
    str('address', 'Address or descriptor that receives the new coins'),
    num('maxtries', 'Number of hashes to try for all blocks together', { default: '1000000' }),
  ],
  results: [arr('Hashes of the blocks', [hex('A block hash')])],
  examples: [{ title: 'Eleven blocks to an address of mine', cli: '11 "myaddress"' }],
  waits: true,
});

export const generatetoaddress: NodeRun<typeof spec> = (params, ctx) => {
  const { nblocks: count } = params;
  const budget = budgetOf(params.maxtries);
  const decoded = decodeAddress(params.address, ctx.params, ctx.crypto);
  if (!('script' in decoded)) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Error: Invalid address');
  return mineBlocks(ctx, decoded.script, count, budget);
};
