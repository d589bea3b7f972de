// generatetoaddress, generatetodescriptor, generateblock: blocks made and mined here. Templates come from the template
// room, nonces from the pool; what lies between, extra nonce, commitment and merkle root, is done as Core 0.21 does it.
import { decodeAddress } from '../../address/address.js';
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { rejectText } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { asArray, asBool, asInt, asString } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex, hex } from '../render/hex.js';
import type { JsonValue } from '../wire/values.js';
import type { NodeContext } from './context.js';
import { descriptorScript } from './descriptor-script.js';
import { BlockMiner, MiningBudget, withTransactions } from './mine-block.js';
import { decodeTx } from './raw-tx.js';

type NodeRun = Run<NodeContext>;

const DEFAULT_MAX_TRIES = 1_000_000;

/** A negative limit is as good as none, since Core reads it as unsigned. */
function budgetOf(value: JsonValue | undefined): MiningBudget {
  const tries = (value ?? null) === null ? DEFAULT_MAX_TRIES : asInt(value);
  return new MiningBudget(tries < 0 ? Number.MAX_SAFE_INTEGER : tries);
}

async function submitMined(ctx: NodeContext, block: BlockView): Promise<string> {
  const outcome = await ctx.chain.submitBlock(block, { force: true });
  await ctx.mempool.settled();
  if (outcome.kind === 'invalid') fail(RPC_CODE.INTERNAL_ERROR, 'ProcessNewBlock, block not accepted');
  return hashHex(block.hash);
}

/** Mines that many blocks to a script; fewer when the tries run out or the node stops. */
async function mineBlocks(ctx: NodeContext, script: Uint8Array, count: number, budget: MiningBudget): Promise<string[]> {
  const hashes: string[] = [];
  const miner = new BlockMiner(ctx, budget);
  while (hashes.length < count && !ctx.stopping.aborted && !budget.spent) {
    const template = parseBlock(await ctx.templates.buildBlock(script, { empty: false }), ctx.crypto);
    const mined = await miner.mine(template);
    if (mined) hashes.push(await submitMined(ctx, mined));
  }
  return hashes;
}

export const generatetoaddress: NodeRun = (ctx, args) => {
  const count = asInt(args[0]);
  const budget = budgetOf(args[2]);
  const decoded = decodeAddress(asString(args[1]), ctx.params, ctx.crypto);
  if (!('script' in decoded)) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Error: Invalid address');
  return mineBlocks(ctx, decoded.script, count, budget);
};

export const generatetodescriptor: NodeRun = (ctx, args, call) => {
  const count = asInt(args[0]);
  const budget = budgetOf(args[2]);
  const found = descriptorScript(ctx, asString(args[1]), call);
  if ('error' in found) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, found.error);
  return mineBlocks(ctx, found.script, count, budget);
};

/** A descriptor's script, else an address's. */
function outputScript(ctx: NodeContext, text: string, call: CallInfo): Uint8Array {
  const found = descriptorScript(ctx, text, call);
  if (!('error' in found)) return found.script;
  const decoded = decodeAddress(text, ctx.params, ctx.crypto);
  if ('script' in decoded) return decoded.script;
  return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Error: Invalid address or descriptor');
}

/** A transaction of the pool by id, or a raw one. */
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

export const generateblock: NodeRun = async (ctx, args, call) => {
  const script = outputScript(ctx, asString(args[0]), call);
  await ctx.mempool.settled();
  const txs = asArray(args[1]).map((item) => transactionOf(ctx, asString(item)));
  const empty = parseBlock(await ctx.templates.buildBlock(script, { empty: true }), ctx.crypto);
  const block = withTransactions(ctx, empty, txs);
  const verdict = await ctx.chain.testBlockValidity(block, { checkPow: false, checkMerkle: false });
  if (verdict) fail(RPC_CODE.VERIFY_ERROR, `TestBlockValidity failed: ${rejectText(verdict)}`);
  const mined = await new BlockMiner(ctx, new MiningBudget(DEFAULT_MAX_TRIES)).mine(block);
  if (!mined) return fail(RPC_CODE.MISC_ERROR, 'Failed to make block.');
  if ((args[2] ?? null) !== null && !asBool(args[2])) return { hash: hashHex(mined.hash), hex: hex(mined.bytes) };
  return { hash: await submitMined(ctx, mined) };
};
