import { ALWAYS_ACTIVE, type Deployment, NEVER_ACTIVE } from '../../../consensus/params/deployment.js';
import { deploymentSince, deploymentState, deploymentStatistics } from '../../../consensus/rules/versionbits.js';
import { shows } from '../../../policy/compat.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { buriedHeights } from '../../node/chain-info.js';
import { shownWarnings, signetChallenge } from '../../node/shown-facts.js';
import { difficultyOf } from '../../render/difficulty.js';
import { targetHex } from '../../render/header.js';
import { hex32 } from '../../render/hex.js';
import { Double, type JsonResult } from '../../wire/values.js';
import type { getblockchaininfo as spec } from './getblockchaininfo.spec.js';

function votedFork(ctx: NodeContext, deployment: Deployment): JsonResult {
  const { tip, params } = ctx.chain;
  const status = deploymentState(deployment, tip, params, ctx.chain.versionBits);
  const since = deploymentSince(deployment, tip, params, ctx.chain.versionBits);
  const started = status === 'started';
  const statistics = started && deployment.startTime !== ALWAYS_ACTIVE ? { ...deploymentStatistics(deployment, tip, params) } : undefined;
  return {
    type: 'bip9',
    bip9: {
      status,
      bit: started ? deployment.bit : undefined,
      start_time: deployment.startTime,
      timeout: deployment.timeout,
      since,
      statistics,
      min_activation_height: deployment.minActivationHeight,
    },
    height: status === 'active' ? since : undefined,
    active: status === 'active',
  };
}

/**
 * Returns soft forks by name: buried ones first, then those that miners vote on. Omits soft forks that can never become
 * active.
 */
function softForks(ctx: NodeContext): Record<string, JsonResult> {
  const { params, tip } = ctx.chain;
  const out: Record<string, JsonResult> = {};
  for (const [name, height] of buriedHeights(ctx)) out[name] = { type: 'buried', active: tip.height + 1 >= height, height };
  for (const deployment of params.deployments) {
    if (deployment.startTime !== NEVER_ACTIVE) out[deployment.name] = votedFork(ctx, deployment);
  }
  return out;
}

function pruning({ blocks }: NodeContext): Record<string, JsonResult | undefined> {
  const settings = blocks.pruneSettings;
  if (settings === null) return { pruned: false };
  const automatic = Number.isFinite(settings.targetBytes);
  return {
    pruned: true,
    pruneheight: blocks.lowestStored.height,
    automatic_pruning: automatic,
    prune_target_size: automatic ? settings.targetBytes : undefined,
  };
}

/** Returns the progress of validating the history below a snapshot. */
function backgroundValidation({ chain }: NodeContext): JsonResult | undefined {
  if (chain.history === null) return undefined;
  const { tip, base } = chain.history;
  return {
    snapshotheight: base.height,
    blocks: tip.height,
    bestblockhash: tip.hashHex,
    mediantime: tip.medianTimePast(),
    chainwork: tip.chainWork.toString(16).padStart(64, '0'),
    verificationprogress: new Double(tip.chainTxCount / base.chainTxCount),
  };
}

export const getblockchaininfo: NodeRun<typeof spec> = (_, ctx) => {
  const { blocks, chain } = ctx;
  const { tip } = chain;
  return {
    chain: chain.params.name,
    blocks: tip.height,
    headers: chain.bestHeader.height,
    bestblockhash: tip.hashHex,
    bits: hex32(tip.bits),
    target: targetHex(tip.bits),
    difficulty: new Double(difficultyOf(tip.bits)),
    time: tip.time,
    mediantime: tip.medianTimePast(),
    verificationprogress: new Double(chain.verificationProgress(chain.reached)),
    initialblockdownload: chain.isInitialBlockDownload(),
    backgroundvalidation: backgroundValidation(ctx),
    chainwork: tip.chainWork.toString(16).padStart(64, '0'),
    size_on_disk: blocks.sizeOnDisk(),
    ...pruning(ctx),
    softforks: shows(ctx.compat, { until: 24 }) ? softForks(ctx) : undefined,
    signet_challenge: signetChallenge(ctx),
    warnings: shownWarnings(ctx),
  };
};
