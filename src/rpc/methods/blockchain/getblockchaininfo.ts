import { ALWAYS_ACTIVE, type Deployment, NEVER_ACTIVE } from '../../../consensus/params/deployment.js';
import { deploymentSince, deploymentState, deploymentStatistics } from '../../../consensus/rules/versionbits.js';
import { shows } from '../../../policy/compat.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { NODE_WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, dyn, hex, num, obj, str, time } from '../../declare/parts.js';
import { buriedHeights } from '../../node/chain-info.js';
import { shownWarnings, signetChallenge } from '../../node/shown-facts.js';
import { difficultyOf } from '../../render/difficulty.js';
import { targetHex } from '../../render/header.js';
import { hex32 } from '../../render/hex.js';
import { Double, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getblockchaininfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the state of the block chain.',
  args: [],
  results: [
    obj([
      str('chain', 'Name of the chain (main, test, testnet4, signet, regtest)'),
      num('blocks', 'Height of the best validated chain'),
      num('headers', 'Height of the best header chain'),
      str('bestblockhash', 'Hash of the tip'),
      hex('bits', 'Compact target of the tip', { since: 29 }),
      hex('target', 'Target of the tip', { since: 29 }),
      num('difficulty', 'Difficulty of the tip'),
      time('time', 'Time of the tip', { since: 23 }),
      num('mediantime', 'Median time past of the tip'),
      num('verificationprogress', 'Estimated share of the chain that is verified, 0 to 1'),
      bool('initialblockdownload', 'Whether the node is in initial block download'),
      obj(
        'backgroundvalidation?',
        'Progress of the validation of the history below a snapshot. Absent when the history is validated',
        { since: 29 },
        [
          num('snapshotheight', "Height of the snapshot's block"),
          num('blocks', 'Height up to which the history is validated'),
          str('bestblockhash', 'Hash of the block at that height'),
          time('mediantime', 'Median time past of that block'),
          num('verificationprogress', 'Estimated share of the history that is validated, 0 to 1'),
          hex('chainwork', 'Total work up to that block'),
        ],
      ),
      hex('chainwork', 'Total work of the chain'),
      num('size_on_disk', 'Bytes of block and undo files'),
      bool('pruned', 'Whether old blocks are deleted'),
      num('pruneheight?', 'Lowest height from which on all blocks are stored (only with pruning)'),
      bool('automatic_pruning?', 'Whether pruning is automatic (only with pruning)'),
      num('prune_target_size?', 'Bytes that block and undo files may use (only with automatic pruning)'),
      dyn('softforks', 'State of the soft forks', { until: 24 }, [
        obj('xxxx', 'Name of the soft fork', [
          str('type', '"buried" or "bip9"'),
          obj('bip9?', 'State of a bip9 deployment', [
            str('status', '"defined", "started", "locked_in", "active" or "failed"'),
            num('bit?', 'Bit in the block version (only if started)'),
            time('start_time', 'Median time at which signalling begins'),
            time('timeout', 'Median time at which signalling ends'),
            num('since', 'Height of the first block of this state'),
            num('min_activation_height', 'Minimum height of activation'),
            obj('statistics?', 'Signals in the current period (only if started)', [
              num('period', 'Number of blocks in a period'),
              num('threshold', 'Number of signals required'),
              num('elapsed', 'Number of blocks in the current period so far'),
              num('count', 'Number of signals in the current period so far'),
              bool('possible', 'Whether the threshold can still be reached'),
            ]),
          ]),
          num('height?', 'First height at which the rule applies, if known'),
          bool('active', 'Whether the rule applies to the next block'),
        ]),
      ]),
      hex('signet_challenge?', 'The challenge (block script) of a signet', { since: 29 }),
      ...NODE_WARNINGS,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

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
