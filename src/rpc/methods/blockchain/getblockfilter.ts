import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hash, hex, obj } from '../../declare/parts.js';
import { FILTER_TYPE_ARG } from '../../declare/scan-parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound } from '../../node/lookup.js';
import { PendingRead } from '../../reads/read-job.js';
import { hashHex } from '../../render/hex.js';

export const spec = declare({
  name: 'getblockfilter',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: 'blocks',
  description: 'Returns the filter of a block (BIP157, BIP158). Requires -blockfilterindex.',
  args: [hash('blockhash', 'The block'), FILTER_TYPE_ARG],
  results: [obj([hex('filter', 'The filter'), hex('header', 'The filter header')])],
  examples: [{ cli: '"blockhash" "basic"', rpc: '"blockhash", "basic"' }],
});

export const getblockfilter: NodeRun<typeof spec> = async ({ blockhash: hash, filtertype: type }, ctx) => {
  const index = ctx.filterIndex ?? fail(RPC_CODE.MISC_ERROR, `Index is not enabled for filtertype ${type}`);
  const node = ctx.chain.node(hash) ?? notFound();
  const connected = ctx.chain.blockState(node).valid;
  const ready = await index.state.waitUntilSynced();
  const found = await index.find(hash);
  if (found) {
    const { buffer, byteOffset, length } = found.filter;
    return new PendingRead({
      kind: 'filter',
      filter: Buffer.from(buffer, byteOffset, length).toString('base64'),
      header: hashHex(found.header),
    });
  }
  if (!connected) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Filter not found. Block was not connected to active chain.');
  if (!ready) fail(RPC_CODE.MISC_ERROR, 'Filter not found. Block filters are still in the process of being indexed.');
  return fail(RPC_CODE.INTERNAL_ERROR, 'Filter not found. This error is unexpected and indicates index corruption.');
};
