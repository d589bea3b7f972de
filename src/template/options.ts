// What the operator may change about templates, with Core 0.21's defaults.
import type { AssemblyMode } from '../jobs/assemble-messages.js';
import type { Release } from '../policy/compat.js';

/**
 * core, chunks: rebuilt on request by Core's rule, with exact counters; core by ancestors as 0.21, chunks as Core's
 * master. live: follows the mempool by itself, clusters by chunks, an empty template first after a new tip.
 */
export type TemplateMode = AssemblyMode;

export interface TemplateOptions {
  readonly mode: TemplateMode;
  /** -blockmaxweight; clamped to 4,000..4,000,000. */
  readonly maxWeight: number;
  /** -blockreservedweight: kept free for header and coinbase, at least 2,000. */
  readonly reservedWeight: number;
  /** -emptyfirst, mode live: a template without transactions goes out at once after a new tip. */
  readonly emptyFirst: boolean;
  /** -longpolldelta, mode live: satoshis of fees more at which long polls are answered. */
  readonly longPollDeltaSats: number;
  /** -longpollinterval, mode live: seconds after which a long poll is answered whatever small thing changed. */
  readonly longPollIntervalSeconds: number;
  /** -blockmintxfee, satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  /** -blockversion, regtest only; null: by version bits. */
  readonly blockVersion: number | null;
  /** Whose coinbases and lists of rules these are (-compat). */
  readonly release: Release;
  /** -checktemplates: connect each template dry before it is published. */
  readonly checkTemplates: boolean;
}

export const DEFAULT_TEMPLATE: TemplateOptions = {
  mode: 'core',
  maxWeight: 3_996_000,
  reservedWeight: 4_000,
  emptyFirst: true,
  longPollDeltaSats: 1_000_000,
  longPollIntervalSeconds: 60,
  minFeeRate: 1000,
  blockVersion: null,
  release: 21,
  checkTemplates: false,
};

const SMALLEST_WEIGHT = 4_000;
const LARGEST_WEIGHT = 4_000_000;

/** The weight that assembly works with. */
export function clampMaxWeight(weight: number): number {
  return Math.max(SMALLEST_WEIGHT, Math.min(LARGEST_WEIGHT, weight));
}
