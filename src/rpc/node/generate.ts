// Mines blocks for generateblock, generatetoaddress, and generatetodescriptor. Templates come from the template module,
// nonces from the verify pool. Extra nonce, commitment, and merkle root are computed here, as in Core 0.21.
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import { BlockMiner, MiningBudget } from './mine-block.js';

export const DEFAULT_MAX_TRIES = 1_000_000;

/** Returns the budget for maxtries. A negative value means no limit, because Core reads it as unsigned. */
export function budgetOf(tries: number): MiningBudget {
  return new MiningBudget(tries < 0 ? Number.MAX_SAFE_INTEGER : tries);
}

export async function submitMined(ctx: NodeContext, block: BlockView): Promise<string> {
  const outcome = await ctx.commands.submitBlock(block, { force: true });
  await ctx.mempool.settled();
  if (outcome.kind === 'invalid') fail(RPC_CODE.INTERNAL_ERROR, 'ProcessNewBlock, block not accepted');
  return hashHex(block.hash);
}

/** Mines blocks to a script: `count`, or fewer if the tries run out or the node stops. */
export async function mineBlocks(ctx: NodeContext, script: Uint8Array, count: number, budget: MiningBudget): Promise<string[]> {
  const hashes: string[] = [];
  const miner = new BlockMiner(ctx, budget);
  while (hashes.length < count && !ctx.stopping.aborted && !budget.spent) {
    const template = parseBlock(await ctx.templates.buildBlock(script, { empty: false }), ctx.crypto);
    const mined = await miner.mine(template);
    if (mined) hashes.push(await submitMined(ctx, mined));
  }
  return hashes;
}
