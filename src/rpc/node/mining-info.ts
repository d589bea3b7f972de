// getmininginfo, getnetworkhashps, prioritisetransaction.

import { retargetInterval } from '../../consensus/params/chain-params.js';
import { requiredBits } from '../../consensus/rules/required-bits.js';
import { MOST_DELTA } from '../../mempool/options.js';
import { follows } from '../../policy/compat.js';
import { asDouble, asHash, asInt, asInt64Within } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { difficultyOf } from '../render/difficulty.js';
import { targetHex } from '../render/header.js';
import { hex32 } from '../render/hex.js';
import { Amount, Double, type JsonResult } from '../wire/values.js';
import type { HeaderInfo, NodeContext } from './context.js';
import { shownWarnings, signetChallenge } from './shown-facts.js';

type NodeRun = Run<NodeContext>;

const DEFAULT_LOOKBACK = 120;
const WORD = 1n << 32n;

/** A 256-bit number as a double, summed word by word from the lowest like Core's getdouble. */
function toDouble(value: bigint): number {
  let sum = 0;
  let factor = 1;
  for (let rest = value; rest > 0n; rest /= WORD) {
    sum += factor * Number(rest % WORD);
    factor *= 4294967296;
  }
  return sum;
}

/**
 * Hashes per second over the blocks before a height; heights outside the chain below the tip mean the tip.
 * @param lookback blocks; 0 or less: those since the last change of difficulty
 */
export function networkHashes(chain: Pick<NodeContext['chain'], 'tip' | 'atHeight' | 'params'>, lookback: number, height = -1): number {
  const last = height >= 0 && height < chain.tip.height ? (chain.atHeight(height) ?? chain.tip) : chain.tip;
  if (last.height === 0) return 0;
  const wanted = lookback <= 0 ? (last.height % retargetInterval(chain.params)) + 1 : lookback;
  let first: HeaderInfo = last;
  let minTime = last.time;
  let maxTime = last.time;
  for (let i = Math.min(wanted, last.height); i > 0 && first.prev; i--) {
    first = first.prev;
    minTime = Math.min(minTime, first.time);
    maxTime = Math.max(maxTime, first.time);
  }
  return minTime === maxTime ? 0 : toDouble(last.chainWork - first.chainWork) / (maxTime - minTime);
}

export const getnetworkhashps: NodeRun = (ctx, args) => {
  const lookback = (args[0] ?? null) === null ? DEFAULT_LOOKBACK : asInt(args[0]);
  const height = (args[1] ?? null) === null ? -1 : asInt(args[1]);
  if (follows(ctx.compat, 26)) {
    if (lookback < -1 || lookback === 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid nblocks. Must be a positive number or -1.');
    if (height < -1 || height > ctx.chain.tip.height) fail(RPC_CODE.INVALID_PARAMETER, 'Block does not exist at specified height');
  }
  return new Double(networkHashes(ctx.chain, lookback, height));
};

/** The block after the tip as it would be asked for now. */
function nextBlock({ chain, clock }: NodeContext): JsonResult {
  const { tip, params } = chain;
  const bits = requiredBits(tip, Math.max(tip.medianTimePast() + 1, clock.nowSeconds()), params);
  return { height: tip.height + 1, bits: hex32(bits), difficulty: new Double(difficultyOf(bits)), target: targetHex(bits) };
}

export const getmininginfo: NodeRun = async (ctx) => {
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

export const prioritisetransaction: NodeRun = (ctx, args) => {
  const txid = asHash(args[0], 'txid');
  const delta = asInt64Within(args[2], MOST_DELTA);
  const dummy = args[1] ?? null;
  if (dummy !== null && asDouble(dummy) !== 0) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Priority is no longer supported, dummy argument to prioritisetransaction must be 0.');
  }
  if (ctx.mempool.hasFixedFee(txid)) fail(RPC_CODE.INVALID_PARAMETER, 'Priority is not supported for transactions with dust outputs.');
  ctx.mempool.prioritise(txid, delta);
  return true;
};
