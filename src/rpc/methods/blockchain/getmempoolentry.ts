import { asHash } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { ENTRY_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { hex, obj } from '../../declare/parts.js';
import { writeEntry } from '../../node/mempool-text.js';
import { entryOf, idName } from '../../node/pool.js';
import { RawBytes } from '../../wire/values.js';

export const spec = declare({
  name: 'getmempoolentry',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the mempool entry of a transaction.',
  args: [hex('txid', 'The transaction id (must be in the mempool)')],
  results: [obj(ENTRY_MEMBERS)],
  examples: [{ cli: '"mytxid"', rpc: '"mytxid"' }],
});

export const getmempoolentry: NodeRun<typeof spec> = async (params, ctx) => {
  const txid = asHash(params.txid, idName(ctx));
  await ctx.mempool.settled();
  return new RawBytes(writeEntry(ctx.mempool.tables, entryOf(ctx, txid).row, ctx.mempoolTexts.style).parts());
};
