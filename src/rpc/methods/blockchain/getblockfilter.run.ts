import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound } from '../../node/lookup.js';
import { hashHex, hex } from '../../render/hex.js';
import type { getblockfilter as spec } from './getblockfilter.spec.js';

export const getblockfilter: NodeRun<typeof spec> = async ({ blockhash: hash, filtertype: type }, ctx) => {
  const index = ctx.filterIndex ?? fail(RPC_CODE.MISC_ERROR, `Index is not enabled for filtertype ${type}`);
  const node = ctx.chain.node(hash) ?? notFound();
  const connected = ctx.chain.blockState(node).valid;
  const ready = await index.state.waitUntilSynced();
  const found = await index.find(hash);
  if (found) return { filter: hex(found.filter), header: hashHex(found.header) };
  if (!connected) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Filter not found. Block was not connected to active chain.');
  if (!ready) fail(RPC_CODE.MISC_ERROR, 'Filter not found. Block filters are still in the process of being indexed.');
  return fail(RPC_CODE.INTERNAL_ERROR, 'Filter not found. This error is unexpected and indicates index corruption.');
};
