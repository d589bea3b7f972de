// Core 0.21: rpc/blockchain.cpp.
import { follows } from '../../../policy/compat.js';
import { TIMESTAMP_WINDOW } from '../../../wallet/node-face.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { firstBlockSince } from '../../node/first-block-since.js';
import type { pruneblockchain as spec } from './pruneblockchain.spec.js';

/** Larger numbers are times: no chain is that long, and no block is that old. */
const LEAST_TIME = 1_000_000_000;

export const pruneblockchain: NodeRun<typeof spec> = async (params, { blocks, chain, commands, compat }) => {
  const settings = blocks.pruneSettings;
  if (settings === null) return fail(RPC_CODE.MISC_ERROR, 'Cannot prune blocks because node is not in prune mode.');
  let height = params.height;
  if (height < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Negative block height.');
  if (height > LEAST_TIME) {
    const first = firstBlockSince(chain, height - TIMESTAMP_WINDOW);
    if (first === null) return fail(RPC_CODE.INVALID_PARAMETER, 'Could not find block with at least the specified timestamp.');
    height = first.height;
  }
  if (chain.tip.height < settings.afterHeight) fail(RPC_CODE.MISC_ERROR, 'Blockchain is too short for pruning.');
  if (height > chain.tip.height) fail(RPC_CODE.INVALID_PARAMETER, 'Blockchain is shorter than the attempted prune height.');
  await commands.pruneUpTo(height);
  const { height: lowest, hasData } = blocks.lowestStored;
  if (!follows(compat, 28)) return lowest;
  // The height of the last pruned block. The genesis block does not count.
  if (!hasData) return lowest;
  return lowest > 1 ? lowest - 1 : -1;
};
