import { follows } from '../../../policy/compat.js';
import { asString } from '../../args.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { blockAt } from '../../node/lookup.js';
import { blockFacts, storedBlock, storedUndo } from '../../node/read-facts.js';
import { PendingRead } from '../../reads/read-job.js';
import type { JsonValue } from '../../wire/values.js';
import type { getblockstats as spec } from './getblockstats.spec.js';

function target(ctx: NodeContext, value: JsonValue): HeaderInfo {
  const { chain } = ctx;
  const node = blockAt(ctx, value);
  // Since release 22, Core accepts any block whose undo data is stored.
  if (!chain.contains(node) && !follows(ctx.compat, 22)) fail(RPC_CODE.INVALID_PARAMETER, `Block is not in chain ${chain.params.name}`);
  return node;
}

export const getblockstats: NodeRun<typeof spec> = (params, ctx) => {
  const node = target(ctx, params.hash_or_height);
  const wanted = params.stats === undefined ? [] : params.stats.map(asString);
  const { height, mediantime } = blockFacts(ctx, node);
  const undo = storedUndo(ctx, node);
  return new PendingRead({ kind: 'stats', block: storedBlock(ctx, node), facts: { height, mediantime }, undo, wanted });
};
