import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, num } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'getblockhash',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: 'blocks',
  description: 'Returns the hash of the block of the best chain at a height.',
  args: [num('height', 'The height')],
  results: [hex('The block hash')],
  examples: [{ cli: '1000', rpc: '1000' }],
});

export const getblockhash: NodeRun<typeof spec> = ({ height }, ctx) => {
  const node = height < 0 ? undefined : ctx.chain.atHeight(height);
  return node?.hashHex ?? fail(RPC_CODE.INVALID_PARAMETER, 'Block height out of range');
};
