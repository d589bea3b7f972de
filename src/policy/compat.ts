// Which Bitcoin Core the node speaks and acts like (-compat): one record that config chooses and every room is handed
// its part of. Nothing else decides between versions, no network's name either. What exists since and until which
// release is said where it is declared (rpc/methods); this record says which releases count.

import type { RegtestVariant } from '../consensus/params/networks.js';
import { DEFAULT_POLICY, NEW_RULES, OLD_RULES, type PolicyRules } from './options.js';

/** A release by its major number; 21 is 0.21.1, 32 what came after the branch of v31 (Core's master of August 2026). */
export type Release = number;

/**
 * Policy of a version: its rules, and the defaults of options. Rates in satoshis per 1,000 virtual
 * bytes.
 */
export interface CompatPolicy {
  readonly rules: PolicyRules;
  /** -minrelaytxfee and -incrementalrelayfee */
  readonly relayFeeRate: number;
  /** -blockmintxfee */
  readonly blockMinFeeRate: number;
  /** -blockmaxweight, which is also the most that it may be, and -blockreservedweight. */
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

/** What a version decides. Plain data: fronts are given it too. */
export interface Compat {
  readonly name: CompatName;
  /** Version of Core that adit reports: as number in `version` of getnetworkinfo, and as text in the user agent. */
  readonly coreVersion: { readonly number: number; readonly text: string };
  /** Replies have what any release from the first to the second had. */
  readonly replies: { readonly oldest: Release; readonly newest: Release };
  /** The language of descriptors, and with it whether taproot is for wallets. */
  readonly descriptors: '0.21' | 'master';
  /** Mark of hardened steps in paths of replies: `h` since release 26. getaddressinfo uses its own. */
  readonly hardenedMark: "'" | 'h';
  readonly templateMode: 'core' | 'live';
  /** Whether connections are encrypted (BIP-0324) unless -v2transport says otherwise. */
  readonly encryptPeers: boolean;
  /** Whether peers are treated as by 0.21.1 (net/options.ts has what that means). */
  readonly legacyPeers: boolean;
  /** How many orphans are kept unless -maxorphantx says otherwise (net/relay/orphanage.ts has what counts). */
  readonly orphanScore: number;
  /** What is relayed and mined, and the options' defaults. */
  readonly policy: CompatPolicy;
  /**
   * Arguments are held against their declarations before a method runs, and none may be named twice, as since releases
   * 24 and 25.
   */
  readonly strictArguments: boolean;
  /** What createwallet makes when nothing is said: a wallet of descriptors, as since release 23. */
  readonly descriptorWallets: boolean;
  /** Where rules begin on regtest that other networks have buried, when it is not where 0.21.1 has them begin. */
  readonly activationHeights: Readonly<Partial<Record<'bip34' | 'dersig' | 'cltv' | 'csv', number>>>;
  /** Other values of regtest that differ from Core's master. */
  readonly regtest: RegtestVariant;
  /** Whether to refuse forks below the checkpoints of 0.21.1 by default (-checkpoints). */
  readonly checkpoints: boolean;
  /** Whether `"jsonrpc":"2.0"` counts unless -jsonrpc2 says otherwise. */
  readonly jsonRpc2: boolean;
}

/** When something was there. */
export interface Span {
  /** The first release that has it; absent: 0.21.1 had it. */
  readonly since?: Release;
  /** The first release that has it no more; absent: it is there still. */
  readonly until?: Release;
}

const NEWEST: Release = 32;
/** Version of Core's master of August 2026, between releases 31 and 32. */
const MASTER = { number: 319_900, text: '31.99.0' };
/** What adit adds to replies stands beyond every release: where one is followed to the letter it is left out. */
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

/** Whether replies have something. */
export const shows = ({ replies }: Compat, { since = 0, until = Number.POSITIVE_INFINITY }: Span): boolean =>
  since <= replies.newest && until > replies.oldest;

/** Whether only releases count that have what came with one. */
export const only = ({ replies }: Compat, since: Release): boolean => replies.oldest >= since;

/** Whether something means what it means since a release: of two meanings the newest counts. */
export const follows = ({ replies }: Compat, since: Release): boolean => replies.newest >= since;

/** Returns whether replies and the user agent name adit. With -compat=0.21.1 or 31 they name Core. */
export const namesAdit = (compat: Compat): boolean => shows(compat, { since: ADDED });
