// Options of templates, with the defaults of Core 0.21.
import { MAX_BLOCK_WEIGHT } from '../consensus/limits.js';
import type { AssemblyMode } from '../jobs/assemble-messages.js';
import { COMPATS, type Compat, type Release } from '../policy/compat.js';

/**
 * core, chunks: rebuilt on request by Core's rule, with exact counters; core selects by ancestors as 0.21, chunks as
 * Core's master. live: follows the mempool by itself, selects by chunks of clusters, and publishes an empty template
 * first after a new tip.
 */
export type TemplateMode = AssemblyMode;

export interface TemplateOptions {
  readonly mode: TemplateMode;
  /** -blockmaxweight, at most 4,000,000. */
  readonly maxWeight: number;
  /** -blockreservedweight: reserve for header and coinbase, at least 2,000. */
  readonly reservedWeight: number;
  /** -emptyfirst, mode live: a template without transactions is published immediately after a new tip. */
  readonly emptyFirst: boolean;
  /** -longpolldelta, mode live: increase of fees in satoshis at which long polls are answered. */
  readonly longPollDeltaSats: number;
  /** -longpollinterval, mode live: seconds after which a long poll is answered with any newer template. */
  readonly longPollIntervalSeconds: number;
  /** -blockmintxfee, satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  /** -blockversion, regtest only; null: by version bits. */
  readonly blockVersion: number | null;
  /** The release of Core whose coinbases and lists of rules are used (-compat). */
  readonly release: Release;
  /** Mode core: true if a cached template stays valid when the clock falls behind the tip. 0.21.1 checks new templates only. */
  readonly keptBehindClock: boolean;
  /** -checktemplates: check each template before it is published, not only one per tip afterwards. */
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

/** Least value of -blockmaxweight. With -compat=31 -blockreservedweight is the lower bound instead. */
export const SMALLEST_WEIGHT = 4_000;
/** Least reserve: header, transaction count and the smallest coinbase need most of it. */
export const SMALLEST_RESERVE = 2_000;

/** Rows of the options, named as in TemplateOptions. `mode` is core or live; limits on clusters turn core into chunks. */
export const TEMPLATE_ROWS = {
  maxWeight: [
    'blockmaxweight',
    'int',
    `Maximum weight of a block, including header and coinbase (${SMALLEST_WEIGHT} to ${MAX_BLOCK_WEIGHT}, default: {default}; with -compat=0.21.1 default and maximum {0.21.1})`,
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
    `Weight kept free for the header and the coinbase (default: {default}, with -compat=0.21.1 {0.21.1}; at least ${SMALLEST_RESERVE})`,
    ({ policy }: Compat) => policy.reservedWeight,
  ],
  mode: [
    'templatemode',
    'string',
    'When templates are built. core: when a client asks, as in Bitcoin Core. live: before clients ask (default: {default}; with -compat=0.21.1 or 31 {0.21.1})',
    ({ templateMode }: Compat): string => templateMode,
  ],
  emptyFirst: [
    'emptyfirst',
    'bool',
    'With -templatemode=live: after a new tip, send a template without transactions until the full one is ready',
    DEFAULT_TEMPLATE.emptyFirst,
  ],
  longPollDeltaSats: [
    'longpolldelta',
    'amount',
    'With -templatemode=live: answer long polls when the fees have risen by this much, in BTC',
    DEFAULT_TEMPLATE.longPollDeltaSats,
  ],
  longPollIntervalSeconds: [
    'longpollinterval',
    'int',
    'With -templatemode=live: after this many seconds, answer a long poll with any newer template',
    DEFAULT_TEMPLATE.longPollIntervalSeconds,
    { least: 1 },
  ],
  checkTemplates: [
    'checktemplates',
    'bool',
    'Check every template before it is sent. With 0, check one template of each tip, one second after it was sent',
    DEFAULT_TEMPLATE.checkTemplates,
  ],
  blockVersion: ['blockversion', 'int', 'Version of blocks that this node makes. Regtest only'],
} as const;
