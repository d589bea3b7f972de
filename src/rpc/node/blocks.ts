// What getblock, getblockhash and getblockheader share: blocks as headers, hex and objects. Whole transactions are
// rendered in slices from the block's bytes, which nothing changes.

import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';
import { headerHead, headerTail } from '../render/header.js';
import type { JsonResult } from '../wire/values.js';
import { confirmationsOf } from './lookup.js';

/** A header as an object. */
export const headerMembers = (ctx: NodeContext, node: HeaderInfo): Record<string, JsonResult> => ({
  hash: node.hashHex,
  confirmations: confirmationsOf(ctx, node),
  ...headerHead(node),
  ...headerTail(node, ctx.chain.next(node)),
});
