// Checks a selection independently: every rule that a block could break by its choice of transactions, from the
// mirror's columns. A problem found here is a bug of adit. The template is then not published, and the node logs it.

import { type Candidates, RESERVED_SIGOPS, type Selection } from '../selection/index.js';

const LOCKTIME_THRESHOLD = 500_000_000;
const MAX_SIGOPS = 80_000;

export interface AssemblyRules {
  readonly maxWeight: number;
  readonly reservedWeight: number;
  readonly height: number;
  readonly lockTimeCutoff: number;
  readonly segwitActive: boolean;
  /** Limit of the block's sigop cost. Default: the consensus limit. */
  readonly maxSigops?: number;
  /** 1 for excluded slots. */
  readonly excluded?: Uint8Array | null;
}

/** @param used 1 for slots with a transaction @returns a description of the first problem; '' if there is none */
export function checkAssembly(c: Candidates & { readonly used: Uint8Array }, chosen: Selection, rules: AssemblyRules): string {
  let weight = rules.reservedWeight;
  let sigops = RESERVED_SIGOPS;
  let fees = 0;
  const placed = new Uint8Array(c.fee.length);
  for (const slot of chosen.slots) {
    if (c.used[slot] === 0) return `slot ${slot} is not in use`;
    if (rules.excluded != null && rules.excluded[slot] !== 0) return `slot ${slot} was to be left out`;
    if (placed[slot] !== 0) return `slot ${slot} is chosen twice`;
    for (const parent of c.parents[slot]) if (placed[parent] === 0) return `slot ${slot} comes before its parent ${parent}`;
    placed[slot] = 1;
    const lock = c.lockTime[slot];
    if (lock !== 0 && lock >= (lock < LOCKTIME_THRESHOLD ? rules.height : rules.lockTimeCutoff)) return `slot ${slot} is not final`;
    if (c.hasWitness[slot] !== 0 && !rules.segwitActive) return `slot ${slot} has a witness too early`;
    weight += c.weight[slot];
    sigops += c.sigops[slot];
    fees += c.fee[slot];
  }
  if (weight !== chosen.weight || weight > rules.maxWeight) return `weight ${weight} of ${rules.maxWeight}, said to be ${chosen.weight}`;
  if (sigops !== chosen.sigops || sigops > (rules.maxSigops ?? MAX_SIGOPS)) return `sigop cost ${sigops}, said to be ${chosen.sigops}`;
  if (fees !== chosen.fees || fees < 0) return `fees ${fees}, said to be ${chosen.fees}`;
  return '';
}
