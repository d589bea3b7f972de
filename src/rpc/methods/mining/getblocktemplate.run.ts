import type { BlockView } from '../../../consensus/block/block-view.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { parseTemplateRequest } from '../../front/template-request.js';
import { propose } from '../../node/declared-block.js';
import { blockFromBytes, bytesOf } from '../../node/submit.js';
import type { getblocktemplate as spec } from './getblocktemplate.spec.js';

/** Parses a block from hex, and ignores bytes after it. */
function decodeBlock(ctx: NodeContext, text: string): BlockView {
  return blockFromBytes(ctx, bytesOf(text));
}

/** Runs on the node thread for all proposals, and for templates that are requested in a batch. */
export const getblocktemplate: NodeRun<typeof spec> = ({ template_request }, ctx, call) => {
  const request = parseTemplateRequest(template_request);
  return request.mode === 'proposal' ? propose(ctx, decodeBlock(ctx, request.data)) : ctx.templates.getBlockTemplate(request, call.signal);
};
