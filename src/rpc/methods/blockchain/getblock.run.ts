import type { NodeRun } from '../../context/node.js';
import { notFound, verbosityOf } from '../../node/lookup.js';
import { blockRead } from '../../node/read-facts.js';
import type { getblock as spec } from './getblock.spec.js';

export const getblock: NodeRun<typeof spec> = (params, ctx) => {
  const { blockhash: hash } = params;
  const verbosity = verbosityOf(ctx, params.verbosity, 1);
  return blockRead(ctx, ctx.chain.node(hash) ?? notFound(), verbosity);
};
