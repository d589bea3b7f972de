// Core 0.21: rpc/blockchain.cpp.

import { follows } from '../../../policy/compat.js';
import { TIMESTAMP_WINDOW } from '../../../wallet/node-face.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { firstBlockSince } from '../../node/first-block-since.js';

export const spec = declare({
  name: 'pruneblockchain',
  category: 'blockchain',
  runs: 'node',
  description: 'Deletes files of old blocks. Requires -prune. The newest 288 blocks always remain.',
  args: [
    num(
      'height',
      'Delete blocks up to this height. A number above a billion is a time: blocks that are at least 2 hours older are deleted',
    ),
  ],
  results: [num('Height of the last pruned block, -1 if none is pruned; before release 28 the height from which on all blocks are stored')],
  examples: [{ cli: '1000', rpc: '1000' }],
});

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
