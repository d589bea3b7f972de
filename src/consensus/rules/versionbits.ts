// Version-bits deployments: BIP-0009 with a minimum activation height, in the order of Core 0.21.1 (threshold before
// timeout). The blocks before a period decide the state of the whole period.

import type { HeaderContext } from '../header-context.js';
import type { ChainParams } from '../params/chain-params.js';
import { ALWAYS_ACTIVE, type Deployment, NEVER_ACTIVE } from '../params/deployment.js';

/** States of a deployment as RPC replies show them. */
export type DeploymentState = 'defined' | 'started' | 'locked_in' | 'active' | 'failed';

/** Top bits of a block version that signals. */
export const VERSION_TOP_BITS = 0x20000000;
const VERSION_TOP_MASK = 0xe0000000;
/** Number of bits for signals. */
const VOTE_BITS = 29;
const VOTE_MASK = 0x1fffffff;

/** Signals in the current period. */
export interface DeploymentStatistics {
  period: number;
  /** Number of signals needed. */
  threshold: number;
  /** Number of blocks of this period so far. */
  elapsed: number;
  /** Number of signals so far. */
  count: number;
  /** True if the threshold can still be met in this period. */
  possible: boolean;
}

/**
 * States of periods, by deployment and by the last block before the period. Each block tree has one cache. An entry is
 * garbage-collected together with its block node.
 */
export class VersionBitsCache {
  readonly #byDeployment = new Map<string, WeakMap<HeaderContext, DeploymentState>>();

  /** Returns the known states of a deployment. */
  of(deployment: Deployment): WeakMap<HeaderContext, DeploymentState> {
    let states = this.#byDeployment.get(deployment.name);
    if (states === undefined) {
      states = new WeakMap();
      this.#byDeployment.set(deployment.name, states);
    }
    return states;
  }
}

export function signals(version: number, bit: number): boolean {
  return (version & VERSION_TOP_MASK) === VERSION_TOP_BITS && ((version >>> bit) & 1) === 1;
}

/** Returns the last block before the period of the child of `prev`; null for the first period. */
export function periodEnd(prev: HeaderContext | null, period: number): HeaderContext | null {
  return prev === null ? null : prev.ancestor(prev.height - ((prev.height + 1) % period));
}

/** Returns the state of a deployment for the child of `prev` (null: genesis). */
export function deploymentState(
  deployment: Deployment,
  prev: HeaderContext | null,
  params: ChainParams,
  cache: VersionBitsCache,
): DeploymentState {
  if (deployment.startTime === ALWAYS_ACTIVE) return 'active';
  if (deployment.startTime === NEVER_ACTIVE) return 'failed';
  const period = params.minerConfirmationWindow;
  const states = cache.of(deployment);
  // Walk back to the nearest period end with a known state, then forward again.
  const pending: HeaderContext[] = [];
  let state: DeploymentState = 'defined';
  for (let end = periodEnd(prev, period); end !== null; end = end.ancestor(end.height - period)) {
    const known = states.get(end);
    if (known !== undefined) {
      state = known;
      break;
    }
    // Median times never fall along a branch, so the state of all earlier periods is 'defined' too.
    if (BigInt(end.medianTimePast()) < deployment.startTime) {
      states.set(end, 'defined');
      break;
    }
    pending.push(end);
  }
  for (let i = pending.length - 1; i >= 0; i--) {
    state = nextState(state, pending[i], deployment, params);
    states.set(pending[i], state);
  }
  return state;
}

/**
 * Returns the state of the period after `end`.
 * @param state the state of the period that `end` closes
 */
function nextState(state: DeploymentState, end: HeaderContext, deployment: Deployment, params: ChainParams): DeploymentState {
  switch (state) {
    case 'defined':
      return BigInt(end.medianTimePast()) >= deployment.startTime ? 'started' : 'defined';
    case 'started':
      if (countVotes(end, params.minerConfirmationWindow, deployment.bit) >= params.ruleChangeThreshold) return 'locked_in';
      return BigInt(end.medianTimePast()) >= deployment.timeout ? 'failed' : 'started';
    case 'locked_in':
      return end.height + 1 >= deployment.minActivationHeight ? 'active' : 'locked_in';
    default:
      return state;
  }
}

/** Counts signals among the `length` blocks that end with `last`. */
function countVotes(last: HeaderContext, length: number, bit: number): number {
  let votes = 0;
  let node: HeaderContext | null = last;
  for (let i = 0; i < length && node !== null; i++, node = node.prev) {
    if (signals(node.version, bit)) votes++;
  }
  return votes;
}

/**
 * Returns the bits with enough signals in a period that no known deployment uses.
 * @param end last block of the period
 * @returns a mask of bits 0 to 28
 */
export function unknownVotes(end: HeaderContext, params: ChainParams, cache: VersionBitsCache): number {
  const period = params.minerConfirmationWindow;
  if (end.height < params.unknownVotesFrom) return 0;
  // States are constant during a period, and so are the bits that this node would set.
  const ours = computeBlockVersion(end.ancestor(end.height - period), params, cache);
  const votes = new Array<number>(VOTE_BITS).fill(0);
  let node: HeaderContext | null = end;
  for (let i = 0; i < period && node !== null && node.height >= params.unknownVotesFrom; i++, node = node.prev) {
    const { version } = node;
    if ((version & VERSION_TOP_MASK) !== VERSION_TOP_BITS) continue;
    for (let bits = version & ~ours & VOTE_MASK; bits !== 0; bits &= bits - 1) votes[31 - Math.clz32(bits & -bits)]++;
  }
  return votes.reduce((mask, count, bit) => (count >= params.ruleChangeThreshold ? mask | (1 << bit) : mask), 0);
}

/**
 * Returns the height of the first block with the deployment's current state (the state of the child of `prev`). Returns
 * 0 for state 'defined' and for deployments that are always or never active.
 */
export function deploymentSince(deployment: Deployment, prev: HeaderContext | null, params: ChainParams, cache: VersionBitsCache): number {
  if (deployment.startTime === ALWAYS_ACTIVE || deployment.startTime === NEVER_ACTIVE) return 0;
  const state = deploymentState(deployment, prev, params, cache);
  const period = params.minerConfirmationWindow;
  let first = periodEnd(prev, period);
  if (state === 'defined' || first === null) return 0;
  for (;;) {
    const before: HeaderContext | null = first.ancestor(first.height - period);
    if (before === null || deploymentState(deployment, before, params, cache) !== state) return first.height + 1;
    first = before;
  }
}

/**
 * Returns the signals in the period of the child of `tip`. After the last block of a period, zero blocks have elapsed,
 * as in Core 0.21.
 */
export function deploymentStatistics(
  deployment: Deployment,
  tip: HeaderContext,
  params: ChainParams,
  wholePeriod = false,
): DeploymentStatistics {
  const period = params.minerConfirmationWindow;
  const threshold = params.ruleChangeThreshold;
  const elapsed = wholePeriod ? (tip.height % period) + 1 : (tip.height + 1) % period;
  const count = countVotes(tip, elapsed, deployment.bit);
  return { period, threshold, elapsed, count, possible: period - threshold >= elapsed - count };
}

/**
 * Returns the version of a template on `prev`: the top bits, and the bit of each deployment that is started or locked
 * in.
 */
export function computeBlockVersion(prev: HeaderContext | null, params: ChainParams, cache: VersionBitsCache): number {
  let version = VERSION_TOP_BITS;
  for (const deployment of params.deployments) {
    const state = deploymentState(deployment, prev, params, cache);
    if (state === 'started' || state === 'locked_in') version |= 1 << deployment.bit;
  }
  return version;
}

/** Returns whether a named deployment is active for the child of `prev`; false if the network does not have it. */
export function isDeploymentActive(name: string, prev: HeaderContext | null, params: ChainParams, cache: VersionBitsCache): boolean {
  const deployment = params.deployments.find((item) => item.name === name);
  return deployment !== undefined && deploymentState(deployment, prev, params, cache) === 'active';
}
