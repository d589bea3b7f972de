import type { NodeRun } from '../../context/node.js';
import { headerMembers } from '../../node/blocks.js';
import { notFound } from '../../node/lookup.js';
import { hex } from '../../render/hex.js';
import type { getblockheader as spec } from './getblockheader.spec.js';

export const getblockheader: NodeRun<typeof spec> = ({ blockhash: hash, verbose }, ctx) => {
  const node = ctx.chain.node(hash) ?? notFound();
  if (!verbose) return hex(node.headerBytes);
  return headerMembers(ctx, node);
};
