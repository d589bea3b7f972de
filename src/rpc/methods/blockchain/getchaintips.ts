import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj, str } from '../../declare/parts.js';

export const spec = declare({
  name: 'getchaintips',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the last block of each branch of the block tree, including the best chain.',
  args: [],
  results: [
    arr([
      obj([
        num('height', 'Height of the last block of the branch'),
        hex('hash', 'Its hash'),
        num('branchlen', 'Number of blocks from the best chain to the last block of the branch, 0 for the tip'),
        str('status', '"active", "valid-fork", "valid-headers", "headers-only" or "invalid"'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

type TipStatus = 'active' | 'invalid' | 'headers-only' | 'valid-fork' | 'valid-headers';

function tipStatus(ctx: NodeContext, node: HeaderInfo): TipStatus {
  if (ctx.chain.contains(node)) return 'active';
  const { failed, valid } = ctx.chain.blockState(node);
  if (failed) return 'invalid';
  if (node.chainTxCount === 0) return 'headers-only';
  return valid ? 'valid-fork' : 'valid-headers';
}

/** Returns the height of the last block that a branch shares with the best chain. */
function forkHeight(ctx: NodeContext, node: HeaderInfo): number {
  let at = node.ancestor(Math.min(node.height, ctx.chain.tip.height)) ?? node;
  while (at.prev && !ctx.chain.contains(at)) at = at.prev;
  return at.height;
}

export const getchaintips: NodeRun<typeof spec> = (_, ctx) =>
  ctx.chain.tips().map((node) => ({
    height: node.height,
    hash: node.hashHex,
    branchlen: node.height - forkHeight(ctx, node),
    status: tipStatus(ctx, node),
  }));
