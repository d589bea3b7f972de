// What the operator may change about templates, with Core 0.21's defaults.

/** core: rebuilt on request by Core's rule, ancestor order, exact counters. */
export type TemplateMode = 'core';

export interface TemplateOptions {
  readonly mode: TemplateMode;
  /** -blockmaxweight; clamped to 4,000..3,996,000. */
  readonly maxWeight: number;
  /** -blockmintxfee, satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  /** -blockversion, regtest only; null: by version bits. */
  readonly blockVersion: number | null;
  /** -checktemplates: connect each template dry before it is published. */
  readonly checkTemplates: boolean;
}

export const DEFAULT_TEMPLATE: TemplateOptions = {
  mode: 'core',
  maxWeight: 3_996_000,
  minFeeRate: 1000,
  blockVersion: null,
  checkTemplates: false,
};

const SMALLEST_WEIGHT = 4_000;
const LARGEST_WEIGHT = 3_996_000;

/** The weight that assembly works with. */
export function clampMaxWeight(weight: number): number {
  return Math.max(SMALLEST_WEIGHT, Math.min(LARGEST_WEIGHT, weight));
}
