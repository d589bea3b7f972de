// Which release of Bitcoin Core the node follows (-compat). config selects one record, and every module gets its part.
// Nothing else decides between releases, not even the network. A feature's declaration says since and until which
// release it exists (rpc/methods); this record says which releases count.

import type { RegtestVariant } from '../consensus/params/networks.js';
import { DEFAULT_POLICY, NEW_RULES, OLD_RULES, type PolicyRules } from './options.js';

/** Major number of a release; 21 is 0.21.1, 32 is the state after the branch of v31 (Core's master of August 2026). */
export type Release = number;

/** Policy of a release: its rules and the defaults of options. Rates in satoshis per 1,000 virtual bytes. */
export interface CompatPolicy {
  readonly rules: PolicyRules;
  /** -minrelaytxfee and -incrementalrelayfee */
  readonly relayFeeRate: number;
  /** -blockmintxfee */
  readonly blockMinFeeRate: number;
  /** -blockmaxweight, which is also its largest value, and -blockreservedweight. */
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

/** Settings that depend on the release. Plain data, because fronts get it too. */
export interface Compat {
  readonly name: CompatName;
  /** Version of Core that adit reports: as number in `version` of getnetworkinfo, and as text in the user agent. */
  readonly coreVersion: { readonly number: number; readonly text: string };
  /** Replies have what any release in this range had. */
  readonly replies: { readonly oldest: Release; readonly newest: Release };
  /** Descriptor language; it also decides whether wallets support taproot. */
  readonly descriptors: '0.21' | 'master';
  /** Mark of hardened steps in paths of replies: `h` since release 26. getaddressinfo uses its own. */
  readonly hardenedMark: "'" | 'h';
  readonly templateMode: 'core' | 'live';
  /** Default of -v2transport: encrypt connections (BIP-0324). */
  readonly encryptPeers: boolean;
  /** Treat peers as 0.21.1 does (see net/options.ts). */
  readonly legacyPeers: boolean;
  /** Default limit of orphans (-maxorphantx; net/relay/orphanage.ts says what counts). */
  readonly orphanScore: number;
  /** Rules for relay and mining, and the defaults of options. */
  readonly policy: CompatPolicy;
  /**
   * Check arguments against their declarations before a method runs, and refuse repeated names (since releases 24 and
   * 25).
   */
  readonly strictArguments: boolean;
  /** createwallet makes descriptor wallets by default (since release 23). */
  readonly descriptorWallets: boolean;
  /** Activation heights of buried rules on regtest, if they differ from 0.21.1's. */
  readonly activationHeights: Readonly<Partial<Record<'bip34' | 'dersig' | 'cltv' | 'csv', number>>>;
  /** Other regtest parameters that differ from Core's master. */
  readonly regtest: RegtestVariant;
  /** Default of -checkpoints: refuse forks below the checkpoints of 0.21.1. */
  readonly checkpoints: boolean;
  /** Default of -jsonrpc2: whether `"jsonrpc":"2.0"` in requests counts. */
  readonly jsonRpc2: boolean;
}

/** Releases that have a feature. */
export interface Span {
  /** First release that has it. Absent: 0.21.1 had it. */
  readonly since?: Release;
  /** First release that no longer has it. Absent: it still exists. */
  readonly until?: Release;
}

const NEWEST: Release = 32;
/** Version of Core's master of August 2026, between releases 31 and 32. */
const MASTER = { number: 319_900, text: '31.99.0' };
/** Pseudo-release of adit's own additions to replies. They are left out with -compat=0.21.1 and -compat=31. */
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

/** Returns whether replies include a feature of these releases. */
export const shows = ({ replies }: Compat, { since = 0, until = Number.POSITIVE_INFINITY }: Span): boolean =>
  since <= replies.newest && until > replies.oldest;

/** Returns whether all followed releases have a feature that came with a release. */
export const only = ({ replies }: Compat, since: Release): boolean => replies.oldest >= since;

/**
 * Returns whether the newest followed release has a behaviour that came with a release. If a member has two meanings,
 * the newest counts.
 */
export const follows = ({ replies }: Compat, since: Release): boolean => replies.newest >= since;

/** Returns whether replies and the user agent name adit. With -compat=0.21.1 or 31 they name Core. */
export const namesAdit = (compat: Compat): boolean => shows(compat, { since: ADDED });
