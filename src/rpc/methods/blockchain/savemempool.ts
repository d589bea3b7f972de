import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { none, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'savemempool',
  category: 'blockchain',
  runs: 'node',
  description: 'Writes the mempool to mempool.dat. The call fails until the mempool of the last run has been loaded.',
  args: [],
  results: [none({ until: 23 }), obj({ since: 23 }, [str('filename', 'The file')])],
  examples: [{ cli: '', rpc: '' }],
});

export const savemempool: NodeRun<typeof spec> = async (_, ctx) => {
  if (!ctx.mempool.loaded) fail(RPC_CODE.MISC_ERROR, 'The mempool was not loaded yet');
  await ctx.mempool.settled();
  const filename = await ctx.savePool().catch(() => fail(RPC_CODE.MISC_ERROR, 'Unable to dump mempool to disk'));
  return follows(ctx.compat, 23) ? { filename } : null;
};
