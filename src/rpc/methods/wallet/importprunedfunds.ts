// Core 0.21: wallet/rpcdump.cpp.

import { HEADER_SIZE, parseHeader } from '../../../consensus/block/header-view.js';
import { extractMatches } from '../../../consensus/block/partial-merkle.js';
import { equalBytes } from '../../../consensus/bytes/hex.js';
import { OWNERSHIP, placeIn } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bytes, hex, none } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { decodeTx } from '../../node/raw-tx.js';
import { decodeProof } from '../../node/tx-proof.js';
import { settledWallet } from '../../wallet/select.js';

export const spec = declare({
  name: 'importprunedfunds',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Records a confirmed transaction without a scan. A proof shows that it is in the chain. Its addresses must\nalready be in the wallet.',
  args: [hex('rawtransaction', 'The transaction'), bytes('txoutproof', 'The proof from gettxoutproof', { errorName: 'proof' })],
  results: [none()],
  examples: [{ cli: '"signedhex" "proof"', rpc: '"signedhex", "proof"' }],
});

const refuse = (message: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, message);

export const importprunedfunds: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const tx =
    decodeTx(ctx, params.rawtransaction) ??
    fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed. Make sure the tx has at least one input.');
  const { txoutproof: proof } = params;
  const tree = decodeProof(proof, ctx.compat);
  const header = parseHeader(proof.subarray(0, HEADER_SIZE), ctx.crypto);
  const found = extractMatches(tree, ctx.crypto);
  if (found === null || !equalBytes(found.root, header.merkleRoot)) return refuse('Something wrong with merkleblock');
  const known = await ctx.client.block(header.hash);
  // Compare the number of transactions: with a wrong one, a proof could pass off inner nodes of the tree as transactions.
  const block = known?.inChain && (known.txCount === 0 || known.txCount === tree.count) ? known.block : null;
  // The wallet can only place a transaction in a block that it has processed.
  const isPlaced = (): boolean => block !== null && ctx.client.contains(block) && block.height <= wallet.tip!.height;
  if (block === null || !isPlaced()) return refuse('Block not found in chain');
  const at = found.txids.findIndex((txid) => equalBytes(txid, tx.txid));
  if (at < 0) return refuse("Transaction given doesn't exist in proof");
  let mine = false;
  for (let i = 0; i < tx.outputCount; i++) mine ||= wallet.keys.isMine(tx.outputScript(i)) !== OWNERSHIP.NO;
  if (!mine) return refuse('No addresses in wallet correspond to included transaction');
  await wallet.change((batch) => {
    // Check again, because a reorganisation may have happened while the change waited for the wallet.
    if (!isPlaced()) refuse('Block not found in chain');
    wallet.ledger.putRecord(tx, placeIn(block, found.positions[at]), batch);
  });
  return null;
};
