import { HEADER_SIZE, parseHeader } from '../../../consensus/block/header-view.js';
import { follows } from '../../../policy/compat.js';
import { hexBytes } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, none } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { hashHex } from '../../render/hex.js';

export const spec = declare({
  name: 'submitheader',
  category: 'mining',
  runs: 'node',
  everywhere: true,
  description: 'Submits a block header as a candidate for the best chain. Returns an error if the header is invalid.',
  args: [hex('hexdata', 'The header, 80 bytes')],
  results: [none('if the header is valid')],
  examples: [{ cli: '"aabbcc"', rpc: '"aabbcc"' }],
});

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
