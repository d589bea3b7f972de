import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, num, obj } from '../../declare/parts.js';

export const spec = declare({
  name: 'getmempoolfeeratediagram',
  since: 31,
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the fee-rate diagram of the mempool: fees against weight, one point for each chunk, best chunk first.',
  args: [],
  results: [arr([obj([num('weight', 'Cumulative sigop-adjusted weight'), amount('fee', 'Cumulative fees with deltas, in BTC')])])],
  examples: [{ cli: '', rpc: '' }],
});

export const getmempoolfeeratediagram: NodeRun<typeof spec> = async (_, ctx) => {
  await ctx.mempool.settled();
  return ctx.mempoolTexts.whole('diagram');
};
