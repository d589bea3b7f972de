import { parseHeader } from '../../../consensus/block/header-view.js';
import { extractMatches } from '../../../consensus/block/partial-merkle.js';
import { equalBytes } from '../../../consensus/bytes/hex.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bytes, hex } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { decodeProof } from '../../node/tx-proof.js';
import { hashHex } from '../../render/hex.js';

export const spec = declare({
  name: 'verifytxoutproof',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description:
    'Verifies a proof and returns the transactions that it proves. The call fails if the block of the proof is not\nin the best chain.',
  args: [bytes('proof', 'The proof from gettxoutproof')],
  results: [arr([hex('A proven transaction. The list is empty if the proof is invalid')])],
  examples: [{ cli: '"proof"', rpc: '"proof"' }],
});

export const verifytxoutproof: NodeRun<typeof spec> = ({ proof: bytes }, ctx) => {
  const tree = decodeProof(bytes, ctx.compat);
  const header = parseHeader(bytes, ctx.crypto);
  const found = extractMatches(tree, ctx.crypto);
  if (!found || !equalBytes(found.root, header.merkleRoot)) return [];
  const node = ctx.chain.node(header.hash);
  if (!node || !ctx.chain.contains(node) || node.txCount === 0) {
    return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Block not found in chain');
  }
  // Compare the number of transactions: with a wrong one, a proof could pass off inner nodes of the tree as transactions.
  return node.txCount === tree.count ? found.txids.map(hashHex) : [];
};
