// The shape of a network's parameters (networks.ts has the records). Consensus numbers are those of Bitcoin Core 0.21,
// so that replies match it; testnet4, which it did not know, and the script flag exceptions come from later versions.

import type { Deployment } from './deployment.js';

/** Names as getblockchaininfo shows them. */
export type ChainName = 'main' | 'test' | 'testnet4' | 'signet' | 'regtest';

/** A set of coins that may stand in for the blocks that made it, until those are validated. */
export interface AssumedCoins {
  readonly height: number;
  /** Display hex of the block they stand at. */
  readonly blockHash: string;
  /** Display hex of Core's hash_serialized_3: sha256d over all coins as elements of the set. */
  readonly coinsHash: string;
  /** Transactions of the chain up to that block. */
  readonly chainTxCount: number;
}

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
  /**
   * Votes for rules that this release does not know are counted from this height on: before it, miners used version
   * bits for other purposes.
   */
  readonly unknownVotesFrom: number;
  /** Script that signs blocks (BIP-0325), null where blocks need no signature. */
  readonly signetChallenge: Uint8Array | null;
  readonly minimumChainWork: bigint;
  /** Display hex; scripts below this block are taken as valid. */
  readonly assumeValid: string | null;
  /** Snapshots of the coins that may be loaded, by height ascending. */
  readonly assumedCoins: readonly AssumedCoins[];
  /** By height ascending: [height, hash in internal order]. */
  readonly checkpoints: readonly (readonly [number, Uint8Array])[];
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

/** Blocks of a retarget period. */
export function retargetInterval(params: ChainParams): number {
  return params.powTargetTimespan / params.powTargetSpacing;
}
