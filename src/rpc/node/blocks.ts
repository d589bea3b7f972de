// Shows a header as an object, for getblockheader and REST.

import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';
import { headerHead, headerTail } from '../render/header.js';
import type { JsonResult } from '../wire/values.js';
import { confirmationsOf } from './lookup.js';

/** Returns the members of a header. */
export const headerMembers = (ctx: NodeContext, node: HeaderInfo): Record<string, JsonResult> => ({
  hash: node.hashHex,
  confirmations: confirmationsOf(ctx, node),
  ...headerHead(node),
  ...headerTail(node, ctx.chain.next(node)),
});
