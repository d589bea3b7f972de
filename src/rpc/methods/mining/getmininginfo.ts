import { requiredBits } from '../../../consensus/rules/required-bits.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { NODE_WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, hex, num, obj, str } from '../../declare/parts.js';
import { DEFAULT_LOOKBACK, networkHashes } from '../../node/mining-info.js';
import { shownWarnings, signetChallenge } from '../../node/shown-facts.js';
import { difficultyOf } from '../../render/difficulty.js';
import { targetHex } from '../../render/header.js';
import { hex32 } from '../../render/hex.js';
import { Amount, Double, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getmininginfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns figures about mining on this chain.',
  args: [],
  results: [
    obj([
      num('blocks', 'Height of the tip'),
      num('currentblockweight?', 'Weight of the last assembled template. Absent if there was none'),
      num('currentblocktx?', 'Number of transactions of that template, without the coinbase'),
      hex('bits', 'Compact target of the tip', { since: 29 }),
      num('difficulty', 'Difficulty of the tip'),
      hex('target', 'Target of the tip', { since: 29 }),
      num('networkhashps', 'Estimated hashes per second of the network'),
      num('pooledtx', 'Number of transactions in the mempool'),
      amount('blockmintxfee', 'Lowest fee rate of templates, BTC/kvB', { since: 30 }),
      str('chain', 'Name of the chain'),
      obj('next', 'The block after the tip', { since: 29 }, [
        num('height', 'Height'),
        hex('bits', 'Compact target'),
        num('difficulty', 'Difficulty'),
        hex('target', 'Target'),
      ]),
      hex('signet_challenge?', 'The challenge (block script) of a signet', { since: 29 }),
      ...NODE_WARNINGS,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

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
