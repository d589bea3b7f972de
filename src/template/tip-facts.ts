// Everything a template says that follows from the block it builds on: height, rules, version, limits, target. Computed
// once per tip by the template service.

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

/** The release to which taproot is a rule like segwit, listed before what is voted for. */
const TAPROOT_SETTLED = 32;

/** The tip's share of TemplateFacts, and what assembly needs of it. */
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
  /** Segwit has a height on this chain: coinbases carry a commitment. */
  readonly segwitDefined: boolean;
  /** Segwit holds for the block being built. */
  readonly segwitActive: boolean;
  /** BIP-0054 holds for the block being built. */
  readonly cleanupActive: boolean;
  /** Satoshis. */
  readonly subsidy: number;
};

/**
 * @param options blockVersion replaces the version (-blockversion on regtest); bits that are locked in are set all the
 *   same
 */
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
 * After the median; and a period's first block does not lie far before its parent. Only BIP-0094 chains have that as a
 * rule; Core since version 29 keeps to it on all networks, so that a miner's blocks stay valid when others get it.
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
