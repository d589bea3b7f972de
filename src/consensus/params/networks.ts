// Parameters of a network by name, with changes by options.
import type { Hashes } from '../../crypto/crypto.js';
import { equalBytes } from '../bytes/hex.js';
import { ByteWriter } from '../bytes/writer.js';
import type { ChainName, ChainParams } from './chain-params.js';
import { NEVER_HEIGHT } from './deployment.js';
import { mainParams } from './main.js';
import { regtestParams } from './regtest.js';
import { signetParams } from './signet.js';
import { testnet3Params } from './testnet3.js';
import { testnet4Params } from './testnet4.js';

/** One -vbparams option. */
export interface DeploymentOverride {
  readonly name: string;
  readonly startTime: bigint;
  readonly timeout: bigint;
  readonly minActivationHeight: number;
}

/** Buried rules by the names of -testactivationheight. */
export const BURIED_RULES = ['segwit', 'bip34', 'dersig', 'cltv', 'csv'] as const;
export type BuriedRule = (typeof BURIED_RULES)[number];

/** Values of regtest that differ between versions of Core, or that -test changes. */
export type RegtestVariant = Partial<Pick<ChainParams, 'powTargetTimespan' | 'activity' | 'enforceBip94'>>;

/** Changes that options make to a network's parameters. */
export interface ChainOverrides {
  /**
   * signet: another challenge (-signetchallenge). The network then has no minimum chain work, assumed-valid block or
   * seeds. chainParams then needs `hashes` to compute the magic.
   */
  readonly signetChallenge?: Uint8Array;
  readonly signetSeedNodes?: readonly string[];
  /** regtest: parameters that differ between releases of Core (-compat), or that -test changes. */
  readonly regtest?: RegtestVariant;
  /** regtest: activation heights of rules; -1 for never. */
  readonly activationHeights?: Readonly<Partial<Record<BuriedRule, number>>>;
  /** regtest: start, timeout and minimum height of named deployments. */
  readonly vbparams?: readonly DeploymentOverride[];
}

/**
 * Returns the parameters of a network.
 * @param hashes only needed for a custom signet, whose magic is a hash of its challenge
 */
export function chainParams(name: ChainName, overrides: ChainOverrides = {}, hashes?: Hashes): ChainParams {
  switch (name) {
    case 'main':
      return mainParams();
    case 'test':
      return testnet3Params();
    case 'testnet4':
      return testnet4Params();
    case 'signet':
      return signet(overrides, hashes);
    case 'regtest':
      return regtest(overrides);
  }
}

/** Returns the name of the network with this message start; null for none. */
export function networkOfMagic(magic: Uint8Array): ChainName | null {
  const all = [mainParams(), testnet3Params(), testnet4Params(), signetParams(), regtestParams()];
  return all.find((params) => equalBytes(params.magic, magic))?.name ?? null;
}

function signet(overrides: ChainOverrides, hashes: Hashes | undefined): ChainParams {
  const base = signetParams();
  const seeds = overrides.signetSeedNodes;
  const challenge = overrides.signetChallenge;
  if (challenge === undefined) return seeds === undefined ? base : { ...base, dnsSeeds: seeds };
  if (hashes === undefined) throw new TypeError('a custom signet requires hash functions to compute its magic');
  return {
    ...base,
    signetChallenge: challenge,
    magic: signetMagic(challenge, hashes),
    minimumChainWork: 0n,
    assumeValid: null,
    activity: { time: 0, transactions: 0, rate: 0 },
    assumedBlocksGb: 0,
    assumedChainStateGb: 0,
    dnsSeeds: seeds ?? [],
    fixedSeeds: '',
  };
}

/** Returns the first four bytes of the double SHA-256 of the challenge as a sized byte string (BIP-0325). */
export function signetMagic(challenge: Uint8Array, hashes: Hashes): Uint8Array {
  return hashes.sha256d(new ByteWriter(challenge.length + 3).varBytes(challenge).finish()).slice(0, 4);
}

function regtest(overrides: ChainOverrides): ChainParams {
  const base = regtestParams();
  const { segwit, bip34, dersig, cltv, csv } = overrides.activationHeights ?? {};
  const from = (wanted: number | undefined, usual: number): number => (wanted === undefined ? usual : wanted < 0 ? NEVER_HEIGHT : wanted);
  return {
    ...base,
    ...overrides.regtest,
    segwitHeight: from(segwit, base.segwitHeight),
    bip34Height: from(bip34, base.bip34Height),
    bip66Height: from(dersig, base.bip66Height),
    bip65Height: from(cltv, base.bip65Height),
    csvHeight: from(csv, base.csvHeight),
    deployments: base.deployments.map((deployment) => {
      // Later options win, as when Core applies them one by one.
      const change = overrides.vbparams?.findLast((item) => item.name === deployment.name);
      if (change === undefined) return deployment;
      const { startTime, timeout, minActivationHeight } = change;
      return { ...deployment, startTime, timeout, minActivationHeight };
    }),
  };
}
