// Shows a header as an object, for getblockheader and REST.

import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';
import { headerHead, headerTail } from '../render/header.js';
import type { JsonResult } from '../wire/values.js';
import { blockFacts } from './read-facts.js';

/** Returns the members of a header. */
export function headerMembers(ctx: NodeContext, node: HeaderInfo): Record<string, JsonResult> {
  const facts = blockFacts(ctx, node);
  const { version, time, bits, nonce, merkleRoot, txCount } = node;
  const shown = { ...facts, version, time, bits, nonce, merkleRoot, txCount, prevHash: node.prev === null ? null : node.prevHash };
  return { hash: node.hashHex, confirmations: facts.confirmations, ...headerHead(shown), ...headerTail(shown) };
}
