// getblockchaininfo, getchaintips, getchaintxstats: the state of the chain in figures.
import { ALWAYS_ACTIVE, type Deployment, NEVER_ACTIVE, NEVER_HEIGHT } from '../../consensus/params/deployment.js';
import { blockScriptFlags } from '../../consensus/rules/block-script-flags.js';
import { deploymentSince, deploymentState, deploymentStatistics, signals } from '../../consensus/rules/versionbits.js';
import {
  SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY,
  SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,
  SCRIPT_VERIFY_DERSIG,
  SCRIPT_VERIFY_NULLDUMMY,
  SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_TAPROOT,
  SCRIPT_VERIFY_WITNESS,
} from '../../consensus/script/flags.js';
import { shows } from '../../policy/compat.js';
import { asHash, asInt } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { difficultyOf } from '../render/difficulty.js';
import { targetHex } from '../render/header.js';
import { hex32 } from '../render/hex.js';
import { Double, type JsonResult } from '../wire/values.js';
import type { HeaderInfo, NodeContext } from './context.js';
import { notFound } from './lookup.js';
import { shownWarnings, signetChallenge } from './shown-facts.js';

type NodeRun = Run<NodeContext>;

/** Default window of getchaintxstats: a month. */
const WINDOW_SECONDS = 30 * 24 * 60 * 60;

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

/** Heights from which buried soft forks hold. */
function buriedHeights({ chain: { params } }: NodeContext): (readonly [name: string, height: number])[] {
  const all: readonly (readonly [string, number])[] = [
    ['bip34', params.bip34Height],
    ['bip66', params.bip66Height],
    ['bip65', params.bip65Height],
    ['csv', params.csvHeight],
    ['segwit', params.segwitHeight],
  ];
  return all.filter(([, height]) => height !== NEVER_HEIGHT);
}

/** Soft forks by name: buried ones first, then those voted in; what can never be active is left out. */
function softForks(ctx: NodeContext): Record<string, JsonResult> {
  const { params, tip } = ctx.chain;
  const out: Record<string, JsonResult> = {};
  for (const [name, height] of buriedHeights(ctx)) out[name] = { type: 'buried', active: tip.height + 1 >= height, height };
  for (const deployment of params.deployments) {
    if (deployment.startTime !== NEVER_ACTIVE) out[deployment.name] = votedFork(ctx, deployment);
  }
  return out;
}

/** A deployment as getdeploymentinfo tells it: its state in a block, and in the next. */
function deploymentMembers(ctx: NodeContext, deployment: Deployment, node: HeaderInfo): JsonResult {
  const { params, versionBits } = ctx.chain;
  const status = deploymentState(deployment, node.prev, params, versionBits);
  const next = deploymentState(deployment, node, params, versionBits);
  const activeSince =
    status === 'active'
      ? deploymentSince(deployment, node.prev, params, versionBits)
      : next === 'active'
        ? deploymentSince(deployment, node, params, versionBits)
        : undefined;
  const counted = (status === 'started' || status === 'locked_in') && deployment.startTime !== ALWAYS_ACTIVE;
  const { period, threshold, elapsed, count, possible } = deploymentStatistics(deployment, node, params, true);
  const judged = status === 'started' ? { threshold, possible } : {};
  return {
    type: 'bip9',
    height: activeSince,
    active: activeSince !== undefined,
    bip9: {
      bit: counted ? deployment.bit : undefined,
      start_time: deployment.startTime,
      timeout: deployment.timeout,
      min_activation_height: deployment.minActivationHeight,
      status,
      since: deploymentSince(deployment, node.prev, params, versionBits),
      status_next: next,
      statistics: counted ? { period, elapsed, count, ...judged } : undefined,
      signalling: counted ? votesOf(deployment, node, period) : undefined,
    },
  };
}

/** The blocks of a period up to one, `#` for those that vote. */
function votesOf({ bit }: Deployment, node: HeaderInfo, period: number): string {
  let votes = '';
  let at: HeaderInfo | null = node;
  for (let left = (node.height % period) + 1; left > 0 && at !== null; left--) {
    votes = (signals(at.version, bit) ? '#' : '-') + votes;
    at = at.prev;
  }
  return votes;
}

/** Names of script flags as getdeploymentinfo has them, in order. */
const FLAG_NAMES: readonly (readonly [flag: number, name: string])[] = [
  [SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY, 'CHECKLOCKTIMEVERIFY'],
  [SCRIPT_VERIFY_CHECKSEQUENCEVERIFY, 'CHECKSEQUENCEVERIFY'],
  [SCRIPT_VERIFY_DERSIG, 'DERSIG'],
  [SCRIPT_VERIFY_NULLDUMMY, 'NULLDUMMY'],
  [SCRIPT_VERIFY_P2SH, 'P2SH'],
  [SCRIPT_VERIFY_TAPROOT, 'TAPROOT'],
  [SCRIPT_VERIFY_WITNESS, 'WITNESS'],
];

export const getdeploymentinfo: NodeRun = (ctx, args) => {
  const { chain, compat } = ctx;
  const { params } = chain;
  const node: HeaderInfo = (args[0] ?? null) === null ? chain.tip : (chain.node(asHash(args[0], 'blockhash')) ?? notFound());
  const flags = blockScriptFlags(node.prev, node.hash, params, chain.versionBits);
  const deployments: Record<string, JsonResult> = {};
  for (const [name, height] of buriedHeights(ctx)) deployments[name] = { type: 'buried', active: node.height + 1 >= height, height };
  for (const deployment of params.deployments) {
    // Taproot is settled since release 32.
    if (deployment.startTime === NEVER_ACTIVE || (deployment.name === 'taproot' && !shows(compat, { until: 32 }))) continue;
    deployments[deployment.name] = deploymentMembers(ctx, deployment, node);
  }
  const names = FLAG_NAMES.filter(([flag]) => (flags & flag) !== 0).map(([, name]) => name);
  return { hash: node.hashHex, height: node.height, script_flags: names, deployments };
};

function pruning({ chain }: NodeContext): Record<string, JsonResult | undefined> {
  const settings = chain.pruneSettings;
  if (settings === null) return { pruned: false };
  const automatic = Number.isFinite(settings.targetBytes);
  return {
    pruned: true,
    pruneheight: chain.lowestStored.height,
    automatic_pruning: automatic,
    prune_target_size: automatic ? settings.targetBytes : undefined,
  };
}

/** How far the history below a snapshot is validated. */
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

export const getblockchaininfo: NodeRun = (ctx) => {
  const { chain } = ctx;
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
    verificationprogress: new Double(chain.verificationProgress(tip)),
    initialblockdownload: chain.isInitialBlockDownload(),
    backgroundvalidation: backgroundValidation(ctx),
    chainwork: tip.chainWork.toString(16).padStart(64, '0'),
    size_on_disk: chain.sizeOnDisk(),
    ...pruning(ctx),
    softforks: shows(ctx.compat, { until: 24 }) ? softForks(ctx) : undefined,
    signet_challenge: signetChallenge(ctx),
    warnings: shownWarnings(ctx),
  };
};

export const getchainstates: NodeRun = ({ chain }) => {
  const { history, snapshot } = chain;
  const state = (tip: HeaderInfo, cacheBytes: number, base: HeaderInfo | null, validated: boolean): JsonResult => ({
    blocks: tip.height,
    bestblockhash: tip.hashHex,
    bits: hex32(tip.bits),
    target: targetHex(tip.bits),
    difficulty: new Double(difficultyOf(tip.bits)),
    verificationprogress: new Double(chain.verificationProgress(tip)),
    coins_db_cache_bytes: 0,
    coins_tip_cache_bytes: cacheBytes,
    snapshot_blockhash: base?.hashHex,
    validated,
  });
  return {
    headers: chain.bestHeader.height,
    chainstates: [
      ...(history === null ? [] : [state(history.tip, history.coinsCacheBytes, null, true)]),
      state(chain.tip, chain.coinsCacheBytes, snapshot?.base ?? null, snapshot?.validated ?? true),
    ],
  };
};

type TipStatus = 'active' | 'invalid' | 'headers-only' | 'valid-fork' | 'valid-headers';

function tipStatus(ctx: NodeContext, node: HeaderInfo): TipStatus {
  if (ctx.chain.contains(node)) return 'active';
  const { failed, valid } = ctx.chain.blockState(node);
  if (failed) return 'invalid';
  if (node.chainTxCount === 0) return 'headers-only';
  return valid ? 'valid-fork' : 'valid-headers';
}

/** Height of the last block a branch shares with the best chain. */
function forkHeight(ctx: NodeContext, node: HeaderInfo): number {
  let at = node.ancestor(Math.min(node.height, ctx.chain.tip.height)) ?? node;
  while (at.prev && !ctx.chain.contains(at)) at = at.prev;
  return at.height;
}

export const getchaintips: NodeRun = (ctx) =>
  ctx.chain.tips().map((node) => ({
    height: node.height,
    hash: node.hashHex,
    branchlen: node.height - forkHeight(ctx, node),
    status: tipStatus(ctx, node),
  }));

export const getchaintxstats: NodeRun = (ctx, args) => {
  const { chain } = ctx;
  let last: HeaderInfo = chain.tip;
  if ((args[1] ?? null) !== null) {
    last = chain.node(asHash(args[1], 'blockhash')) ?? notFound();
    if (!chain.contains(last)) fail(RPC_CODE.INVALID_PARAMETER, 'Block is not in main chain');
  }
  const month = Math.floor(WINDOW_SECONDS / chain.params.powTargetSpacing);
  const count = (args[0] ?? null) === null ? Math.max(0, Math.min(month, last.height - 1)) : asInt(args[0]);
  if (count < 0 || (count > 0 && count >= last.height)) {
    fail(RPC_CODE.INVALID_PARAMETER, "Invalid block count: should be between 0 and the block's height - 1");
  }
  const first = last.ancestor(last.height - count) ?? last;
  const seconds = last.medianTimePast() - first.medianTimePast();
  // Below a snapshot nothing is counted before the blocks are here.
  const counted = last.chainTxCount > 0 && first.chainTxCount > 0;
  const transactions = counted ? last.chainTxCount - first.chainTxCount : undefined;
  return {
    time: last.time,
    txcount: last.chainTxCount > 0 ? last.chainTxCount : undefined,
    window_final_block_hash: last.hashHex,
    window_final_block_height: last.height,
    window_block_count: count,
    window_tx_count: count > 0 ? transactions : undefined,
    window_interval: count > 0 ? seconds : undefined,
    txrate: transactions !== undefined && count > 0 && seconds > 0 ? new Double(transactions / seconds) : undefined,
  };
};
