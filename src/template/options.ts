// What the operator may change about templates, with Core 0.21's defaults.
import { MAX_BLOCK_WEIGHT } from '../consensus/limits.js';
import type { AssemblyMode } from '../jobs/assemble-messages.js';
import { COMPATS, type Compat, type Release } from '../policy/compat.js';

/**
 * core, chunks: rebuilt on request by Core's rule, with exact counters; core by ancestors as 0.21, chunks as Core's
 * master. live: follows the mempool by itself, clusters by chunks, an empty template first after a new tip.
 */
export type TemplateMode = AssemblyMode;

export interface TemplateOptions {
  readonly mode: TemplateMode;
  /** -blockmaxweight, 4,000,000 at most. */
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
  /** Mode core: whether a cached template stays valid when the clock falls behind the tip. 0.21.1 checks new templates only. */
  readonly keptBehindClock: boolean;
  /** -checktemplates: connect each template dry before it is published, not only one of each tip behind that. */
  readonly checkTemplates: boolean;
}

const { policy: OLD } = COMPATS['0.21.1'];

export const DEFAULT_TEMPLATE: TemplateOptions = {
  mode: 'core',
  maxWeight: OLD.blockWeight,
  reservedWeight: OLD.reservedWeight,
  emptyFirst: true,
  longPollDeltaSats: 1_000_000,
  longPollIntervalSeconds: 60,
  minFeeRate: OLD.blockMinFeeRate,
  blockVersion: null,
  release: 21,
  keptBehindClock: false,
  checkTemplates: false,
};

/** Of a whole template, unless Core's master is followed, where the reserve bounds it. */
export const SMALLEST_WEIGHT = 4_000;
/** Header, count and the smallest coinbase need most of it. */
export const SMALLEST_RESERVE = 2_000;

/** What an operator gives, in the names above; `mode` is core or live, and the limits on clusters make core chunks. */
export const TEMPLATE_ROWS = {
  maxWeight: [
    'blockmaxweight',
    'int',
    `Largest weight of a template, header and coinbase included (${SMALLEST_WEIGHT} to ${MAX_BLOCK_WEIGHT}, default: {default}; with -compat=0.21.1 {0.21.1}, which is the most then)`,
    ({ policy }: Compat) => policy.blockWeight,
  ],
  minFeeRate: [
    'blockmintxfee',
    'amount',
    'Lowest fee rate of a package in a template, BTC/kvB (default: {default}; with -compat=0.21.1 {0.21.1})',
    ({ policy }: Compat) => policy.blockMinFeeRate,
  ],
  reservedWeight: [
    'blockreservedweight',
    'int',
    `Weight kept for header and coinbase (default: {default}, with -compat=0.21.1 {0.21.1}; least: ${SMALLEST_RESERVE})`,
    ({ policy }: Compat) => policy.reservedWeight,
  ],
  mode: [
    'templatemode',
    'string',
    'core: as Bitcoin Core builds and times templates; live: built ahead, better paying, empty first (default: {default}; with -compat=0.21.1 or 31 {0.21.1})',
    ({ templateMode }: Compat): string => templateMode,
  ],
  emptyFirst: [
    'emptyfirst',
    'bool',
    'Mode live: after a new tip hand out a template without transactions until the full one is ready',
    DEFAULT_TEMPLATE.emptyFirst,
  ],
  longPollDeltaSats: [
    'longpolldelta',
    'amount',
    'Mode live: long polls are answered when fees have risen by this much, BTC',
    DEFAULT_TEMPLATE.longPollDeltaSats,
  ],
  longPollIntervalSeconds: [
    'longpollinterval',
    'int',
    'Mode live: seconds after which a long poll is answered with any newer template',
    DEFAULT_TEMPLATE.longPollIntervalSeconds,
    { least: 1 },
  ],
  checkTemplates: [
    'checktemplates',
    'bool',
    'Connect every template dry before it is handed out; otherwise one of each tip, a second after it was',
    DEFAULT_TEMPLATE.checkTemplates,
  ],
  blockVersion: ['blockversion', 'int', 'Version of blocks made here, regtest only'],
} as const;
