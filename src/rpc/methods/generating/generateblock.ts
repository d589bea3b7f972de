import { decodeAddress } from '../../../address/address.js';
import { parseBlock } from '../../../consensus/block/block-view.js';
import { rejectText } from '../../../consensus/state.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { asString } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, obj, str } from '../../declare/parts.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { descriptorScript } from '../../node/descriptor-script.js';
import { DEFAULT_MAX_TRIES, submitMined } from '../../node/generate.js';
import { BlockMiner, MiningBudget, withTransactions } from '../../node/mine-block.js';
import { decodeTx } from '../../node/raw-tx.js';
import { bytesHex, hashHex } from '../../render/hex.js';

export const spec = declare({
  name: 'generateblock',
  category: 'generating',
  moved: { since: 23, category: 'hidden' },
  runs: 'node',
  description:
    'Mines one block with the given transactions in the given order, and pays it to an address or descriptor. The\nminer does not get the fees.',
  args: [
    str('output', 'An address or a descriptor.', { holds: 'descriptor' }),
    arr('transactions', 'The transactions: ids of transactions in the mempool, or transactions as hex', [str('rawtx/txid?', '')]),
    bool('submit', 'Whether to submit the block. If false, the reply contains the block', {
      since: 25,
      default: 'true',
    }),
  ],
  results: [obj([hex('hash', 'Hash of the block'), hex('hex?', 'The block, only if submit is false', { since: 25 })])],
  examples: [{ title: 'A block with two transactions', cli: `"myaddress" '["rawtx", "mempool_txid"]'` }],
  waits: true,
});

/** Returns the script of a descriptor or of an address. */
function outputScript(ctx: NodeContext, text: string, call: CallInfo): Uint8Array {
  const found = descriptorScript(ctx, text, call);
  if (!('error' in found)) return found.script;
  const decoded = decodeAddress(text, ctx.params, ctx.crypto);
  if ('script' in decoded) return decoded.script;
  return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Error: Invalid address or descriptor');
}

/** Returns a transaction of the mempool by id, or parses a raw transaction. */
function transactionOf(ctx: NodeContext, text: string): TxView {
  if (/^[0-9a-fA-F]{64}$/.test(text)) {
    const entry = ctx.mempool.get(new Uint8Array(Buffer.from(text, 'hex').reverse()));
    return entry?.tx ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Transaction ${text} not in mempool.`);
  }
  return (
    decodeTx(ctx, text) ??
    fail(RPC_CODE.DESERIALIZATION_ERROR, `Transaction decode failed for ${text}. Make sure the tx has at least one input.`)
  );
}

export const generateblock: NodeRun<typeof spec> = async (params, ctx, call) => {
  const script = outputScript(ctx, params.output, call);
  await ctx.mempool.settled();
  const txs = params.transactions.map((item) => transactionOf(ctx, asString(item)));
  const empty = parseBlock(await ctx.templates.buildBlock(script, { empty: true }), ctx.crypto);
  const block = withTransactions(ctx, empty, txs);
  const verdict = await ctx.chain.testBlockValidity(block, { checkPow: false, checkMerkle: false });
  if (verdict) fail(RPC_CODE.VERIFY_ERROR, `TestBlockValidity failed: ${rejectText(verdict)}`);
  const mined = await new BlockMiner(ctx, new MiningBudget(DEFAULT_MAX_TRIES)).mine(block);
  if (!mined) return fail(RPC_CODE.MISC_ERROR, 'Failed to make block.');
  if (!params.submit) return { hash: hashHex(mined.hash), hex: bytesHex(mined.bytes) };
  return { hash: await submitMined(ctx, mined) };
};
