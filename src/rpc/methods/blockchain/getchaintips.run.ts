import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import type { getchaintips as spec } from './getchaintips.spec.js';

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
