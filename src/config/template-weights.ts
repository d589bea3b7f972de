// Reads -blockmaxweight and -blockreservedweight, with the errors of Core 31. Except with -compat=31, an out-of-range
// -blockmaxweight is replaced by the nearest allowed value, as in 0.21, so that existing configurations keep working.
import { MAX_BLOCK_WEIGHT } from '../consensus/limits.js';
import { type Compat, only } from '../policy/compat.js';
import { SMALLEST_RESERVE, SMALLEST_WEIGHT, type TemplateOptions } from '../template/options.js';
import { ConfigError } from './args.js';

/** Checks the weights. @returns maxWeight for templates, and lines for the log @throws ConfigError */
export function templateWeights(
  { maxWeight: wanted, reservedWeight: reserved }: Pick<TemplateOptions, 'maxWeight' | 'reservedWeight'>,
  compat: Compat,
): { maxWeight: number; notes: string[] } {
  const most = compat.policy.blockWeight;
  const strict = only(compat, 31);
  const maxWeight = strict ? wanted : Math.max(SMALLEST_WEIGHT, Math.min(wanted, most));
  if (reserved < SMALLEST_RESERVE)
    throw new ConfigError(`-blockreservedweight (${reserved}) is lower than minimum safety value of (${SMALLEST_RESERVE})`);
  for (const [name, weight] of [
    ['blockreservedweight', reserved],
    ['blockmaxweight', maxWeight],
  ] as const) {
    if (weight > MAX_BLOCK_WEIGHT)
      throw new ConfigError(`-${name} (${weight}) exceeds consensus maximum block weight (${MAX_BLOCK_WEIGHT})`);
  }
  if (reserved > maxWeight) throw new ConfigError(`-blockreservedweight (${reserved}) exceeds -blockmaxweight (${maxWeight})`);
  if (wanted === maxWeight) return { maxWeight, notes: [] };
  const range = `${SMALLEST_WEIGHT} to ${most}`;
  return { maxWeight, notes: [`Warning: -blockmaxweight=${wanted} is out of range; templates are built with ${maxWeight} (${range})`] };
}
