import { asBool, asHash } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { headerMembers } from '../../node/blocks.js';
import { notFound } from '../../node/lookup.js';
import { hex } from '../../render/hex.js';
import type { getblockheader as spec } from './getblockheader.spec.js';

export const getblockheader: NodeRun<typeof spec> = ({ args }, ctx) => {
  const hash = asHash(args[0], 'hash');
  const verbose = (args[1] ?? null) === null || asBool(args[1]);
  const node = ctx.chain.node(hash) ?? notFound();
  if (!verbose) return hex(node.headerBytes);
  return headerMembers(ctx, node);
};
