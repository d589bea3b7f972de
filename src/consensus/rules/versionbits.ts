// Soft forks voted in by block versions: BIP-0009 with a minimum activation height, and in the order of Core 0.21.1
// (the threshold is looked at before the timeout). Used by block rules, templates and RPC. The state of a period is
// decided by the last block before it.

import type { HeaderContext } from '../header-context.js';
import type { ChainParams } from '../params/chain-params.js';
import { ALWAYS_ACTIVE, type Deployment, NEVER_ACTIVE } from '../params/deployment.js';

/** State names as RPC shows them. */
export type DeploymentState = 'defined' | 'started' | 'locked_in' | 'active' | 'failed';

/** Top three bits of a version that votes. */
export const VERSION_TOP_BITS = 0x20000000;
const VERSION_TOP_MASK = 0xe0000000;
/** The other bits are votes. */
const VOTE_BITS = 29;
const VOTE_MASK = 0x1fffffff;

/** Progress of the vote in the current period. */
export interface DeploymentStatistics {
  /** Blocks of a period. */
  period: number;
  /** Votes needed. */
  threshold: number;
  /** Blocks of this period so far. */
  elapsed: number;
  /** Votes so far. */
  count: number;
  /** Whether the threshold can still be met. */
  possible: boolean;
}

/**
 * Period states by deployment and by the last block of the period before. One per header tree; forgets with the nodes.
 */
export class VersionBitsCache {
  readonly #byDeployment = new Map<string, WeakMap<HeaderContext, DeploymentState>>();

  /** The states known for one deployment. */
  of(deployment: Deployment): WeakMap<HeaderContext, DeploymentState> {
    let states = this.#byDeployment.get(deployment.name);
    if (states === undefined) {
      states = new WeakMap();
      this.#byDeployment.set(deployment.name, states);
    }
    return states;
  }
}

/** Whether a block version votes for a bit. */
export function signals(version: number, bit: number): boolean {
  return (version & VERSION_TOP_MASK) === VERSION_TOP_BITS && ((version >>> bit) & 1) === 1;
}

/** The last block of the period before the one that a child of `prev` belongs to; null for the first period. */
export function periodEnd(prev: HeaderContext | null, period: number): HeaderContext | null {
  return prev === null ? null : prev.ancestor(prev.height - ((prev.height + 1) % period));
}

/** State of a deployment for the child of `prev` (null: genesis). */
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
  // Back to the nearest period end whose state is known, then forward again.
  const pending: HeaderContext[] = [];
  let state: DeploymentState = 'defined';
  for (let end = periodEnd(prev, period); end !== null; end = end.ancestor(end.height - period)) {
    const known = states.get(end);
    if (known !== undefined) {
      state = known;
      break;
    }
    // Median times only grow along a branch, so everything below is defined as well.
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

/** State of the period after `end`, given the state of the period that `end` closes. */
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

/** Votes among `length` blocks ending with `last`. */
function countVotes(last: HeaderContext, length: number, bit: number): number {
  let votes = 0;
  let node: HeaderContext | null = last;
  for (let i = 0; i < length && node !== null; i++, node = node.prev) {
    if (signals(node.version, bit)) votes++;
  }
  return votes;
}

/**
 * Bits that a whole period's blocks voted for as a rule needs it, although no deployment of ours asks for them.
 * @param end last block of the period @returns a mask of bits 0 to 28
 */
export function unknownVotes(end: HeaderContext, params: ChainParams, cache: VersionBitsCache): number {
  const period = params.minerConfirmationWindow;
  if (end.height < params.unknownVotesFrom) return 0;
  // States, and so our own votes, stay the same through a period.
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

/** Height of the first block with the present state (that of the child of `prev`); 0 when defined, always or never. */
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

/** The vote in the period that the child of `tip` belongs to; a full period counts as zero elapsed, as in Core 0.21. */
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

/** Version of a template on `prev`: the top bits and a vote for everything started or locked in. */
export function computeBlockVersion(prev: HeaderContext | null, params: ChainParams, cache: VersionBitsCache): number {
  let version = VERSION_TOP_BITS;
  for (const deployment of params.deployments) {
    const state = deploymentState(deployment, prev, params, cache);
    if (state === 'started' || state === 'locked_in') version |= 1 << deployment.bit;
  }
  return version;
}

/** Whether a named deployment is active for the child of `prev`; false when the network does not know it. */
export function isDeploymentActive(name: string, prev: HeaderContext | null, params: ChainParams, cache: VersionBitsCache): boolean {
  const deployment = params.deployments.find((item) => item.name === name);
  return deployment !== undefined && deploymentState(deployment, prev, params, cache) === 'active';
}
