import { requiredBits } from '../../../consensus/rules/required-bits.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { DEFAULT_LOOKBACK, networkHashes } from '../../node/mining-info.js';
import { shownWarnings, signetChallenge } from '../../node/shown-facts.js';
import { difficultyOf } from '../../render/difficulty.js';
import { targetHex } from '../../render/header.js';
import { hex32 } from '../../render/hex.js';
import { Amount, Double, type JsonResult } from '../../wire/values.js';
import type { getmininginfo as spec } from './getmininginfo.spec.js';

/** Returns the facts about the next block, if it were requested now. */
function nextBlock({ chain, clock }: NodeContext): JsonResult {
  const { tip, params } = chain;
  const bits = requiredBits(tip, Math.max(tip.medianTimePast() + 1, clock.nowSeconds()), params);
  return { height: tip.height + 1, bits: hex32(bits), difficulty: new Double(difficultyOf(bits)), target: targetHex(bits) };
}

export const getmininginfo: NodeRun<typeof spec> = async (_, ctx) => {
  await ctx.mempool.settled();
  const { tip, params } = ctx.chain;
  const last = ctx.templates.lastAssembled();
  return {
    blocks: tip.height,
    currentblockweight: last?.weight,
    currentblocktx: last?.transactions,
    bits: hex32(tip.bits),
    difficulty: new Double(difficultyOf(tip.bits)),
    target: targetHex(tip.bits),
    networkhashps: new Double(networkHashes(ctx.chain, DEFAULT_LOOKBACK)),
    pooledtx: ctx.mempool.size,
    blockmintxfee: new Amount(ctx.templates.minFeeRate),
    chain: params.name,
    next: nextBlock(ctx),
    signet_challenge: signetChallenge(ctx),
    warnings: shownWarnings(ctx),
  };
};
