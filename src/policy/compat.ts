// Release of Bitcoin Core that the node follows (-compat). The config module selects one record, and every module gets
// the part that it needs. No other setting selects a release, not even the network. The declaration of an RPC feature
// states in which releases it exists (rpc/methods); this record states which releases the node follows.

import type { RegtestVariant } from '../consensus/params/networks.js';
import { DEFAULT_POLICY, NEW_RULES, OLD_RULES, type PolicyRules } from './options.js';

/** Major number of a release; 21 is 0.21.1, 32 is the state after the branch of v31 (Core's master of August 2026). */
export type Release = number;

/** Policy of a release: its rules and its defaults for options. Rates in satoshis per 1,000 virtual bytes. */
export interface CompatPolicy {
  readonly rules: PolicyRules;
  /** -minrelaytxfee and -incrementalrelayfee */
  readonly relayFeeRate: number;
  /** -blockmintxfee */
  readonly blockMinFeeRate: number;
  /**
   * Default of -blockmaxweight, which is also its largest value. The next field is the default of -blockreservedweight.
   */
  readonly blockWeight: number;
  readonly reservedWeight: number;
  /** -datacarriersize */
  readonly dataCarrierBytes: number;
  /** -limitclustercount and -limitclustersize in 1,000 virtual bytes; 0 for none. */
  readonly clusterCount: number;
  readonly clusterKvb: number;
}

const OLD_POLICY: CompatPolicy = {
  rules: OLD_RULES,
  relayFeeRate: DEFAULT_POLICY.minRelayFeeRate,
  blockMinFeeRate: 1000,
  blockWeight: 3_996_000,
  reservedWeight: 4000,
  dataCarrierBytes: DEFAULT_POLICY.dataCarrierBytes,
  clusterCount: 0,
  clusterKvb: 0,
};

const NEW_POLICY: CompatPolicy = {
  rules: NEW_RULES,
  relayFeeRate: 100,
  blockMinFeeRate: 1,
  blockWeight: 4_000_000,
  reservedWeight: 8000,
  dataCarrierBytes: 100_000,
  clusterCount: 64,
  clusterKvb: 101,
};

export type CompatName = '0.21.1' | '31' | 'default';

/** Settings that depend on the release. Plain data, because fronts receive a copy. */
export interface Compat {
  readonly name: CompatName;
  /** Version of Core that adit reports: as number in `version` of getnetworkinfo, and as text in the user agent. */
  readonly coreVersion: { readonly number: number; readonly text: string };
  /** Range of releases. Replies contain every member that any release in this range has. */
  readonly replies: { readonly oldest: Release; readonly newest: Release };
  /** Descriptor language. It also decides whether wallets support taproot. */
  readonly descriptors: '0.21' | 'master';
  /** Mark of hardened steps in paths of replies: `h` since release 26. getaddressinfo does not use this setting. */
  readonly hardenedMark: "'" | 'h';
  readonly templateMode: 'core' | 'live';
  /** Default of -v2transport, which encrypts connections (BIP-0324). */
  readonly encryptPeers: boolean;
  /** Treat peers as 0.21.1 does; see net/options.ts. */
  readonly legacyPeers: boolean;
  /** Default limit for orphans (-maxorphantx). net/relay/orphanage.ts states what the limit counts. */
  readonly orphanScore: number;
  /** Rules for relay and mining, and the defaults of options. */
  readonly policy: CompatPolicy;
  /**
   * Check arguments against their declarations before a method runs, and refuse repeated names, as releases since 24
   * and 25 do.
   */
  readonly strictArguments: boolean;
  /** Default of createwallet: create descriptor wallets (since release 23). */
  readonly descriptorWallets: boolean;
  /** Activation heights of buried rules on regtest, if they differ from 0.21.1's. */
  readonly activationHeights: Readonly<Partial<Record<'bip34' | 'dersig' | 'cltv' | 'csv', number>>>;
  /** Other regtest parameters that differ from Core's master. */
  readonly regtest: RegtestVariant;
  /** Default of -checkpoints: refuse forks below the checkpoints of 0.21.1. */
  readonly checkpoints: boolean;
  /** Default of -jsonrpc2: whether the node responds to `"jsonrpc":"2.0"` in requests with replies of JSON-RPC 2.0. */
  readonly jsonRpc2: boolean;
}

/** Range of releases that have a feature. */
export interface Span {
  /** First release that has the feature. Absent: 0.21.1 has it. */
  readonly since?: Release;
  /** First release that no longer has the feature. Absent: the newest release has it. */
  readonly until?: Release;
}

const NEWEST: Release = 32;
/** Version of Core's master of August 2026, between releases 31 and 32. */
const MASTER = { number: 319_900, text: '31.99.0' };
/**
 * Pseudo-release of adit's own additions to replies. Replies do not contain them with -compat=0.21.1 and -compat=31.
 */
export const ADDED: Release = 33;

export const COMPATS: Readonly<Record<CompatName, Compat>> = {
  '0.21.1': {
    name: '0.21.1',
    coreVersion: { number: 210_100, text: '0.21.1' },
    replies: { oldest: 21, newest: 21 },
    descriptors: '0.21',
    hardenedMark: "'",
    templateMode: 'core',
    encryptPeers: false,
    legacyPeers: true,
    orphanScore: 100,
    policy: OLD_POLICY,
    strictArguments: false,
    descriptorWallets: false,
    activationHeights: {},
    regtest: { powTargetTimespan: 14 * 24 * 60 * 60, activity: { time: 0, transactions: 0, rate: 0 } },
    checkpoints: true,
    jsonRpc2: false,
  },
  '31': {
    name: '31',
    coreVersion: MASTER,
    replies: { oldest: NEWEST, newest: NEWEST },
    descriptors: 'master',
    hardenedMark: 'h',
    templateMode: 'core',
    encryptPeers: true,
    legacyPeers: false,
    orphanScore: 3_000,
    policy: NEW_POLICY,
    strictArguments: true,
    descriptorWallets: true,
    activationHeights: { bip34: 1, dersig: 1, cltv: 1, csv: 1 },
    regtest: {},
    checkpoints: false,
    jsonRpc2: true,
  },
  default: {
    name: 'default',
    coreVersion: MASTER,
    replies: { oldest: 21, newest: ADDED },
    descriptors: 'master',
    hardenedMark: 'h',
    templateMode: 'live',
    encryptPeers: true,
    legacyPeers: false,
    orphanScore: 3_000,
    policy: NEW_POLICY,
    strictArguments: true,
    descriptorWallets: false,
    activationHeights: {},
    regtest: {},
    checkpoints: false,
    jsonRpc2: false,
  },
};

/** Returns whether replies include a feature that exists in a span of releases. */
export const shows = ({ replies }: Compat, { since = 0, until = Number.POSITIVE_INFINITY }: Span): boolean =>
  since <= replies.newest && until > replies.oldest;

/** Returns whether every followed release has a feature that exists since `since`. */
export const only = ({ replies }: Compat, since: Release): boolean => replies.oldest >= since;

/**
 * Returns whether the newest followed release has a behaviour that exists since `since`. If releases differ in the
 * meaning of a reply member, the newest followed release decides.
 */
export const follows = ({ replies }: Compat, since: Release): boolean => replies.newest >= since;

/**
 * Returns whether replies and the user agent contain the name adit. With -compat=0.21.1 or 31 they contain Core's name.
 */
export const namesAdit = (compat: Compat): boolean => shows(compat, { since: ADDED });
