import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { descriptorScript } from '../../node/descriptor-script.js';
import { budgetOf, mineBlocks } from '../../node/generate.js';

export const spec = declare({
  name: 'generatetodescriptor',
  category: 'generating',
  moved: { since: 23, category: 'hidden' },
  runs: 'node',
  description: 'Mines blocks immediately and pays them to a descriptor.',
  args: [
    num('num_blocks', 'Number of blocks'),
    str('descriptor', 'Address or descriptor that receives the new coins', { holds: 'descriptor' }),
    num('maxtries', 'Number of hashes to try for all blocks together', { default: '1000000' }),
  ],
  results: [arr('Hashes of the blocks', [hex('A block hash')])],
  examples: [{ title: 'Eleven blocks to a descriptor of mine', cli: '11 "mydesc"' }],
  waits: true,
});

export const generatetodescriptor: NodeRun<typeof spec> = (params, ctx, call) => {
  const { num_blocks: count } = params;
  const budget = budgetOf(params.maxtries);
  const found = descriptorScript(ctx, params.descriptor, call);
  if ('error' in found) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, found.error);
  return mineBlocks(ctx, found.script, count, budget);
};
