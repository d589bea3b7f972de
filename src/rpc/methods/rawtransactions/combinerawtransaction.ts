// Core 0.21: rpc/rawtransaction.cpp.

import { equalBytes } from '../../../consensus/bytes/hex.js';
import type { SpentOutput } from '../../../consensus/script/spent-output.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { findOutputs } from '../../../mempool/index.js';
import { follows } from '../../../policy/compat.js';
import { withoutSignatures } from '../../../psbt/index.js';
import { combineTransactions } from '../../../signing/index.js';
import { asString } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { decodeTx } from '../../node/raw-tx.js';
import { outpointsOf } from '../../node/signing-args.js';
import { bytesHex } from '../../render/hex.js';

export const spec = declare({
  name: 'combinerawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description: 'Combines the signatures of several versions of one transaction.',
  args: [arr('txs', 'Versions of one transaction', [hex('hexstring?', 'A partially signed version as hex')])],
  results: [str('The transaction with all signatures')],
  examples: [{ cli: '"[\\"myhex1\\", \\"myhex2\\"]"', rpc: '"[\\"myhex1\\", \\"myhex2\\"]"' }],
});

/**
 * Rejects transactions that differ from the first one in more than their signatures. Before release 32, Core ignores
 * their signatures instead.
 */
function checkSame(versions: readonly TxView[], { crypto }: NodeContext): void {
  const [first, ...others] = versions.map((tx) => withoutSignatures(tx, crypto).txid);
  const other = others.findIndex((txid) => !equalBytes(txid, first));
  if (other >= 0) fail(RPC_CODE.INVALID_PARAMETER, `Transaction number ${other + 2} not compatible with first transaction`);
}

export const combinerawtransaction: NodeRun<typeof spec> = async ({ txs: list }, ctx) => {
  const strict = follows(ctx.compat, 32);
  if (strict && list.length < 2) fail(RPC_CODE.DESERIALIZATION_ERROR, 'Missing transactions. At least two transactions required.');
  const versions = list.map((text, i) => {
    const tx = decodeTx(ctx, asString(text));
    return tx ?? fail(RPC_CODE.DESERIALIZATION_ERROR, `TX decode failed for tx ${i}. Make sure the tx has at least one input.`);
  });
  if (versions.length === 0) fail(RPC_CODE.DESERIALIZATION_ERROR, 'Missing transactions');
  if (strict) checkSame(versions, ctx);
  const spent = await findOutputs(ctx, outpointsOf(versions[0]));
  const known = spent.filter((output): output is SpentOutput => output !== null);
  if (known.length < spent.length) fail(RPC_CODE.VERIFY_ERROR, 'Input not found or already spent');
  return bytesHex(await combineTransactions(versions, known, ctx.crypto));
};
