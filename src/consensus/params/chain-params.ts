// Parameters of a network. The records are in main.ts, testnet3.ts, testnet4.ts, signet.ts and regtest.ts; networks.ts
// selects one. The numbers are those of Bitcoin Core's master of August 2026. `npm run facts` compares them with a
// source tree of Core.

import type { Deployment } from './deployment.js';

/** Names of networks as getblockchaininfo shows them. */
export type ChainName = 'main' | 'test' | 'testnet4' | 'signet' | 'regtest';

/**
 * A set of coins at a block. The node may use it (assumeutxo) before it has validated the blocks that create these
 * coins.
 */
export interface AssumedCoins {
  readonly height: number;
  /** Display hex of the block of these coins. */
  readonly blockHash: string;
  /** Display hex of Core's hash_serialized_3: sha256d over all coins as elements of the set. */
  readonly coinsHash: string;
  /** Number of transactions of the chain up to that block. */
  readonly chainTxCount: number;
}

/**
 * Number of transactions of a network when its parameters were written. Verification progress is estimated from these
 * figures.
 */
export interface NetworkActivity {
  /** Time of the last counted block, seconds. */
  readonly time: number;
  /** Number of transactions of the chain up to that block. */
  readonly transactions: number;
  /** Estimated transactions per second after that block. */
  readonly rate: number;
}

/** Limits of the headers presync (Core's HeadersSyncParams), chosen for a peer that lies for an hour. */
export interface HeadersSyncFigures {
  /** Number of headers for each commitment bit that the node stores. */
  readonly period: number;
  /**
   * Number of headers that the node buffers in the second download before it accepts the oldest. A peer that sends
   * other headers than in the first download must guess one bit per period.
   */
  readonly buffer: number;
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
  /** Fixed seeds, in the format of seeds/main.ts; empty: none. */
  readonly fixedSeeds: string;
  /** The whole genesis block. */
  readonly genesis: Uint8Array;
  /** Internal order. */
  readonly genesisHash: Uint8Array;
  /** Highest target, that is the lowest difficulty. */
  readonly powLimit: bigint;
  /** Seconds between two blocks on average. */
  readonly powTargetSpacing: number;
  /** Seconds of a retarget period. */
  readonly powTargetTimespan: number;
  /** Allow the highest target for a block whose time is more than two spacings after its parent's. */
  readonly allowMinDifficultyBlocks: boolean;
  readonly noRetargeting: boolean;
  /**
   * Retarget from the bits of the period's first block, and limit how far the time of a first block goes back
   * (BIP-0094).
   */
  readonly enforceBip94: boolean;
  /** Blocks between halvings of the subsidy. */
  readonly halvingInterval: number;
  readonly bip34Height: number;
  /**
   * Hash of the block at bip34Height, internal order. While the chain has this block, BIP-0030 need not be checked.
   * Null if no block makes the check unnecessary.
   */
  readonly bip34Hash: Uint8Array | null;
  readonly bip65Height: number;
  readonly bip66Height: number;
  readonly csvHeight: number;
  readonly segwitHeight: number;
  /** Script flags for blocks that break rules introduced later, by display hex of the block's hash. */
  readonly scriptFlagExceptions: ReadonlyMap<string, number>;
  /** Deployments in the order of RPC replies. */
  readonly deployments: readonly Deployment[];
  /** Number of signalling blocks in a period that locks a deployment in. */
  readonly ruleChangeThreshold: number;
  /** Number of blocks in a voting period. */
  readonly minerConfirmationWindow: number;
  /**
   * First height at which signals for unknown rules are counted (Core's MinBIP9WarningHeight). Signals before it were
   * for rules that are known now.
   */
  readonly unknownVotesFrom: number;
  /** Script that blocks must satisfy (BIP-0325); null if blocks need no signature. */
  readonly signetChallenge: Uint8Array | null;
  readonly minimumChainWork: bigint;
  readonly activity: NetworkActivity;
  readonly headersSync: HeadersSyncFigures;
  /** Size of all blocks, in GB, when the parameters were written; 0 for unknown. */
  readonly assumedBlocksGb: number;
  /** Size of Core's coins database, in GB, when the parameters were written; 0 for unknown. */
  readonly assumedChainStateGb: number;
  /** Display hex of the assumed-valid block: scripts of its ancestors are not verified. */
  readonly assumeValid: string | null;
  /** Snapshots of the coins that may be loaded, by height ascending. */
  readonly assumedCoins: readonly AssumedCoins[];
  /** Checkpoints by height ascending: [height, hash in internal order]. */
  readonly checkpoints: readonly (readonly [number, Uint8Array])[];
  readonly base58: {
    readonly p2pkh: number;
    readonly p2sh: number;
    readonly wif: number;
    /** First four bytes of an extended public key, as a number. */
    readonly xpub: number;
    readonly xprv: number;
  };
  readonly bech32Hrp: string;
  /** Height that the tip must exceed before blocks are pruned. */
  readonly pruneAfterHeight: number;
  readonly isTestChain: boolean;
  /** True if generate calls (generatetoaddress and others) can find blocks in reasonable time. */
  readonly mineOnDemand: boolean;
}

/** Returns the number of blocks in a retarget period. */
export function retargetInterval(params: ChainParams): number {
  return params.powTargetTimespan / params.powTargetSpacing;
}
