import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { notFound } from '../../node/lookup.js';
import { blockFacts } from '../../node/read-facts.js';
import { headerHead, headerTail } from '../../render/header.js';
import { hex } from '../../render/hex.js';
import type { JsonResult } from '../../wire/values.js';
import type { getblockheader as spec } from './getblockheader.spec.js';

function headerMembers(ctx: NodeContext, node: HeaderInfo): Record<string, JsonResult> {
  const facts = blockFacts(ctx, node);
  const { version, time, bits, nonce, merkleRoot, txCount } = node;
  const shown = { ...facts, version, time, bits, nonce, merkleRoot, txCount, prevHash: node.prev === null ? null : node.prevHash };
  return { hash: node.hashHex, confirmations: facts.confirmations, ...headerHead(shown), ...headerTail(shown) };
}

export const getblockheader: NodeRun<typeof spec> = ({ blockhash: hash, verbose }, ctx) => {
  const node = ctx.chain.node(hash) ?? notFound();
  if (!verbose) return hex(node.headerBytes);
  return headerMembers(ctx, node);
};
