import { HEADER_SIZE, parseHeader } from '../../../consensus/block/header-view.js';
import { follows } from '../../../policy/compat.js';
import { hexBytes } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { hashHex } from '../../render/hex.js';
import type { submitheader as spec } from './submitheader.spec.js';

export const submitheader: NodeRun<typeof spec> = async (params, ctx) => {
  const bytes = hexBytes(params.hexdata);
  if (!bytes || bytes.length < HEADER_SIZE) return fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block header decode failed');
  const header = parseHeader(bytes, ctx.crypto);
  if (!ctx.chain.node(header.prevHash)) {
    fail(RPC_CODE.VERIFY_ERROR, `Must submit previous header (${hashHex(header.prevHash)}) first`);
  }
  const verdict = await ctx.commands.submitHeader(header.bytes);
  if (verdict === null) return null;
  const again = verdict.category === 'cached' && follows(ctx.compat, 30) ? 'duplicate-invalid' : verdict.reason;
  return fail(RPC_CODE.VERIFY_ERROR, again);
};
