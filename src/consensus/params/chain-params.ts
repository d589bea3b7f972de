// The shape of a network's parameters and how to get a network's record. Consensus numbers are those of Bitcoin Core 0.21, so that
// replies match it; testnet4, which it did not know, and the script flag exceptions come from later versions.

import type { Hashes } from '../../crypto/crypto.js';
import { ByteWriter } from '../bytes/writer.js';
import { type Deployment, NEVER_HEIGHT } from './deployment.js';
import { mainParams } from './main.js';
import { regtestParams } from './regtest.js';
import { signetParams } from './signet.js';
import { testnet3Params } from './testnet3.js';
import { testnet4Params } from './testnet4.js';

/** Names as getblockchaininfo shows them. */
export type ChainName = 'main' | 'test' | 'testnet4' | 'signet' | 'regtest';

/** Everything that differs between networks. */
export interface ChainParams {
  readonly name: ChainName;
  /** Folder below the data directory; empty for main. */
  readonly datadirSub: string;
  /** First four bytes of every P2P message and block file record. */
  readonly magic: Uint8Array;
  readonly p2pPort: number;
  readonly rpcPort: number;
  /** Hosts of the DNS seeds. */
  readonly dnsSeeds: readonly string[];
  /** Nodes to begin with when DNS tells none, packed (fixed-seeds.ts); empty: none. */
  readonly fixedSeeds: string;
  /** The whole genesis block. */
  readonly genesis: Uint8Array;
  /** Internal order. */
  readonly genesisHash: Uint8Array;
  /** Easiest target. */
  readonly powLimit: bigint;
  /** Seconds. */
  readonly powTargetSpacing: number;
  /** Seconds. */
  readonly powTargetTimespan: number;
  /** Whether a block more than two spacings late may have the easiest target. */
  readonly allowMinDifficultyBlocks: boolean;
  readonly noRetargeting: boolean;
  /** Retarget from the period's first block and limit how far its time goes back (BIP-0094). */
  readonly enforceBip94: boolean;
  /** Blocks between halvings of the subsidy. */
  readonly halvingInterval: number;
  readonly bip34Height: number;
  /** Internal order; null where no history makes BIP-0030 superfluous. */
  readonly bip34Hash: Uint8Array | null;
  readonly bip65Height: number;
  readonly bip66Height: number;
  readonly csvHeight: number;
  readonly segwitHeight: number;
  /** Script flags of blocks that later rules would reject, by display hex of their hash. */
  readonly scriptFlagExceptions: ReadonlyMap<string, number>;
  /** In the order RPC lists them. */
  readonly deployments: readonly Deployment[];
  /** Votes that lock a deployment in. */
  readonly ruleChangeThreshold: number;
  /** Blocks of a voting period. */
  readonly minerConfirmationWindow: number;
  /** Votes for rules nobody told us of are looked at from this height on: before it, other things were done with versions. */
  readonly unknownVotesFrom: number;
  /** Script that signs blocks (BIP-0325), null where blocks need no signature. */
  readonly signetChallenge: Uint8Array | null;
  readonly minimumChainWork: bigint;
  /** Display hex; scripts below this block are taken as valid. */
  readonly assumeValid: string | null;
  /** By height ascending: [height, display hex]. */
  readonly checkpoints: readonly (readonly [number, string])[];
  readonly base58: {
    readonly p2pkh: number;
    readonly p2sh: number;
    readonly wif: number;
    /** First four bytes as a number. */
    readonly xpub: number;
    readonly xprv: number;
  };
  readonly bech32Hrp: string;
  /** Whether only standard transactions are relayed by default. */
  readonly requireStandard: boolean;
  /** Up to this height no block is pruned. */
  readonly pruneAfterHeight: number;
  readonly isTestChain: boolean;
  /** Whether generate calls may find blocks here within reason. */
  readonly mineOnDemand: boolean;
}

/** One -vbparams option. */
export interface DeploymentOverride {
  readonly name: string;
  readonly startTime: bigint;
  readonly timeout: bigint;
  readonly minActivationHeight: number;
}

/** What options may change. */
export interface ChainOverrides {
  /** signet: another challenge; the network loses minimum work, assumed-valid block and seeds. Needs hashes for the magic. */
  readonly signetChallenge?: Uint8Array;
  readonly signetSeedNodes?: readonly string[];
  /** regtest: height from which segwit holds; -1 for never. */
  readonly segwitHeight?: number;
  /** regtest: start, timeout and minimum height of named deployments. */
  readonly vbparams?: readonly DeploymentOverride[];
}

/**
 * The parameters of a network.
 * @param hashes needed for a custom signet only, whose magic is a hash of its challenge
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

function signet(overrides: ChainOverrides, hashes: Hashes | undefined): ChainParams {
  const base = signetParams();
  const seeds = overrides.signetSeedNodes;
  const challenge = overrides.signetChallenge;
  if (challenge === undefined) return seeds === undefined ? base : { ...base, dnsSeeds: seeds };
  if (hashes === undefined) throw new TypeError('a custom signet needs hash functions for its magic');
  return {
    ...base,
    signetChallenge: challenge,
    magic: signetMagic(challenge, hashes),
    minimumChainWork: 0n,
    assumeValid: null,
    dnsSeeds: seeds ?? [],
    fixedSeeds: '',
  };
}

/** First four bytes of the double SHA-256 of the challenge as a sized byte string (BIP-0325). */
export function signetMagic(challenge: Uint8Array, hashes: Hashes): Uint8Array {
  return hashes.sha256d(new ByteWriter(challenge.length + 3).varBytes(challenge).finish()).slice(0, 4);
}

function regtest(overrides: ChainOverrides): ChainParams {
  const base = regtestParams();
  const segwit = overrides.segwitHeight ?? base.segwitHeight;
  return {
    ...base,
    segwitHeight: segwit < 0 ? NEVER_HEIGHT : segwit,
    deployments: base.deployments.map((deployment) => {
      // Later options win, as when Core applies them one by one.
      const change = overrides.vbparams?.findLast((item) => item.name === deployment.name);
      if (change === undefined) return deployment;
      const { startTime, timeout, minActivationHeight } = change;
      return { ...deployment, startTime, timeout, minActivationHeight };
    }),
  };
}

/** Blocks of a retarget period. */
export function retargetInterval(params: ChainParams): number {
  return params.powTargetTimespan / params.powTargetSpacing;
}
