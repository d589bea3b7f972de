// Everything in a template that depends on the block on which it builds: height, rules, version, limits, target. Computed once per tip.

import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from '../consensus/limits.js';
import { type ChainParams, retargetInterval } from '../consensus/params/chain-params.js';
import { type Deployment, NEVER_HEIGHT } from '../consensus/params/deployment.js';
import { MAX_TIMEWARP } from '../consensus/rules/check-header-context.js';
import { cleanupEnforced } from '../consensus/rules/cleanup/enforced.js';
import { cleanupMinTime } from '../consensus/rules/cleanup/header-times.js';
import { requiredBits } from '../consensus/rules/required-bits.js';
import { blockSubsidy } from '../consensus/rules/subsidy.js';
import { computeBlockVersion, deploymentState, type VersionBitsCache } from '../consensus/rules/versionbits.js';
import type { AvailableBit, TemplateFacts } from './facts.js';
import type { TemplateOptions } from './options.js';
import { mark } from './render-template.js';
import type { TemplateTip } from './source.js';

/** The release of Core from which taproot is listed as a rule like segwit, before deployments that are voted on. */
const TAPROOT_SETTLED = 32;

/** The part of TemplateFacts that depends on the tip, and the facts of the tip that the selection needs. */
export type TipFacts = Pick<
  TemplateFacts,
  | 'prevHashHex'
  | 'height'
  | 'version'
  | 'rules'
  | 'requiredRules'
  | 'vbAvailable'
  | 'minTime'
  | 'bits'
  | 'minDifficulty'
  | 'sigopLimit'
  | 'sizeLimit'
  | 'weightLimit'
> & {
  /** Median time past of the tip. */
  readonly lockTimeCutoff: number;
  /** True if segwit has a height on this chain: coinbases have a commitment. */
  readonly segwitDefined: boolean;
  /** True if segwit is active for the block being built. */
  readonly segwitActive: boolean;
  /** True if BIP-0054 is active for the block being built. */
  readonly cleanupActive: boolean;
  /** Subsidy of the block in satoshis. */
  readonly subsidy: number;
};

/** @param options blockVersion replaces the version (-blockversion on regtest); bits of deployments that are locked in are still set */
export function tipFacts(
  tip: TemplateTip,
  params: ChainParams,
  versionBits: VersionBitsCache,
  { blockVersion, release }: Pick<TemplateOptions, 'blockVersion' | 'release'>,
): TipFacts {
  const height = tip.height + 1;
  const segwitActive = height >= params.segwitHeight;
  const rules = ['csv'];
  if (segwitActive) rules.push('!segwit');
  const requiredRules: string[] = [];
  const vbAvailable: AvailableBit[] = [];
  let version = blockVersion ?? computeBlockVersion(tip, params, versionBits);
  const settled = (deployment: Deployment): boolean => release >= TAPROOT_SETTLED && deployment.name === 'taproot';
  for (const deployment of params.deployments.toSorted((a, b) => Number(settled(b)) - Number(settled(a)))) {
    const { name, bit, gbtForce } = deployment;
    const state = deploymentState(deployment, tip, params, versionBits);
    if (state === 'active') {
      rules.push(mark(name, gbtForce));
      if (!gbtForce) requiredRules.push(name);
    } else if (state === 'started' || state === 'locked_in') {
      vbAvailable.push({ name, bit, gbtForce });
      if (state === 'locked_in') version |= 1 << bit;
    }
  }
  if (params.signetChallenge !== null) rules.push('!signet');
  const lockTimeCutoff = tip.medianTimePast();
  const cleanupActive = cleanupEnforced(tip, params, versionBits);
  const minTime = earliestTime(tip, params, lockTimeCutoff);
  const scale = segwitActive ? 1 : WITNESS_SCALE_FACTOR;
  return {
    prevHashHex: tip.hashHex,
    height,
    version,
    rules,
    requiredRules,
    vbAvailable,
    minTime: cleanupActive ? Math.max(minTime, cleanupMinTime(tip, params)) : minTime,
    ...targetFacts(tip, params),
    sigopLimit: MAX_BLOCK_SIGOPS_COST / scale,
    sizeLimit: MAX_BLOCK_WEIGHT / scale,
    weightLimit: segwitActive ? MAX_BLOCK_WEIGHT : null,
    lockTimeCutoff,
    segwitDefined: params.segwitHeight !== NEVER_HEIGHT,
    segwitActive,
    cleanupActive,
    subsidy: blockSubsidy(height, params),
  };
}

/**
 * Returns the earliest time: after the median time past, and for the first block of a period not far before its parent.
 * Only BIP-0094 chains require the latter. Core since version 29 applies it on all networks, so that a miner's blocks
 * stay valid if the rule is adopted.
 */
function earliestTime(tip: TemplateTip, params: ChainParams, medianTimePast: number): number {
  const firstOfPeriod = (tip.height + 1) % retargetInterval(params) === 0;
  return firstOfPeriod ? Math.max(medianTimePast + 1, tip.time - MAX_TIMEWARP) : medianTimePast + 1;
}

function targetFacts(tip: TemplateTip, params: ChainParams): Pick<TemplateFacts, 'bits' | 'minDifficulty'> {
  const bits = requiredBits(tip, tip.time, params);
  if (!params.allowMinDifficultyBlocks) return { bits, minDifficulty: null };
  const afterTime = tip.time + 2 * params.powTargetSpacing;
  const easy = requiredBits(tip, afterTime + 1, params);
  return { bits, minDifficulty: easy === bits ? null : { afterTime, bits: easy } };
}
