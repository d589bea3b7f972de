// Options and dependencies of the chain.

import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Engine, EngineOptions } from '../engine/engine.js';
import type { Clock } from '../lib/clock.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import type { Logger } from '../log/logger.js';
import type { BlockHasher } from '../parallel/block-hasher.js';
import type { Verifier } from '../parallel/verifier.js';
import type { BlockFiles } from '../storage/block-files.js';
import type { BlockPosition } from '../storage/block-records.js';
import type { Store } from '../storage/store.js';
import type { PruneSettings } from './files/pruning.js';

/** The download engine without its private members. */
export type BlockEngine = Pick<Engine, keyof Engine>;
/** Starts a download engine. Rejects if threads, memory or WebAssembly cannot be had. */
export type StartEngine = (options: EngineOptions) => Promise<BlockEngine>;

/** Settings of the download engine. */
export interface EngineSettings {
  readonly threads: number;
  /** Number of blocks ahead of the tip that it may connect, from which it starts. */
  readonly leastBlocks: number;
  /** Height of the last block that it connects (-stopatheight); infinite for none. */
  readonly stopHeight: number;
  /** Reason why the engine must not run, for the log; null if it may. */
  readonly forbidden: string | null;
}

/** Settings of the chain. Each field has Core's default. */
export interface ChainOptions {
  /** Budget of the coins cache in bytes (-dbcache). */
  readonly coinsCacheBytes: number;
  /** Report script failures with the same wording whatever the number of script threads (since release 30). */
  readonly plainScriptFaults: boolean;
  /** For proposals, check the header in its context before the block itself (before release 30). */
  readonly triedHeaderFirst: boolean;
  /**
   * An invalid block also invalidates all headers on top of it, so none of these can be the best header (since release
   * 29).
   */
  readonly failedBranches: boolean;
  /** 1 selects Core's sequential order and wording of script failures (-par=1), anything else the parallel one. */
  readonly scriptThreads: number;
  /** Age of the tip in seconds above which the node is in the initial download (-maxtipage). */
  readonly maxTipAge: number;
  /** Overrides the network's minimum chain work (-minimumchainwork). */
  readonly minimumChainWork: bigint | null;
  /**
   * Display hex of the block whose ancestors' scripts are not verified (-assumevalid). '0' verifies all; null uses the
   * network's block.
   */
  readonly assumeValid: string | null;
  /** Refuse forks below the checkpoints of Core 0.21.1 (-checkpoints). */
  readonly checkpoints: boolean;
  /** Size of changed coins in bytes above which the initial download writes them. */
  readonly flushBytes: number;
  /**
   * Number of changed coins up to which all of them are written as one batch. No single block can change that many.
   * More coins are written in several batches, protected by a flush marker.
   */
  readonly atomicFlushEntries: number;
  /** Number of operations in one batch of such a flush. Building the batch takes the thread a few milliseconds. */
  readonly flushChunkEntries: number;
  /**
   * Bytes of blocks in one step of a reorganisation. A longer reorganisation takes several steps, and its intermediate
   * tips are visible.
   */
  readonly maxStepBytes: number;
  /**
   * If stored blocks have at most this many transactions, opening the chain connects them; -1 for never. Otherwise
   * connectStored connects all of them later.
   */
  readonly connectAtOpen: number;
  /**
   * True: opening the chain adds blocks that the files contain after the last block in the index. False while -reindex
   * reads all files anyway.
   */
  readonly adoptAtOpen: boolean;
  /** Settings of -prune; null: never prune. */
  readonly prune: PruneSettings | null;
  /** Settings of the download engine; null: do not use it. */
  readonly engine: EngineSettings | null;
  /** Bytes of imported blocks that stay in memory while their parent is missing. */
  readonly orphanBytes: number;
}

export const defaultChainOptions: ChainOptions = {
  coinsCacheBytes: 450 << 20,
  plainScriptFaults: false,
  triedHeaderFirst: true,
  failedBranches: false,
  scriptThreads: 0,
  maxTipAge: 24 * 60 * 60,
  minimumChainWork: null,
  assumeValid: null,
  checkpoints: false,
  flushBytes: 225 << 20,
  atomicFlushEntries: 200_000,
  flushChunkEntries: 4_000,
  maxStepBytes: 64 << 20,
  connectAtOpen: Number.POSITIVE_INFINITY,
  adoptAtOpen: true,
  prune: null,
  engine: null,
  orphanBytes: 128 << 20,
};

const MIB = 1 << 20;
const MOST_CACHE_MIB = 16_384;

/** Options for operators. The config module converts files, hex values, and values of -par up to 0. */
export const CHAIN_ROWS = {
  dbCacheBytes: [
    'dbcache',
    'int',
    'Memory for coins and database caches, in MiB (default: {default}, at least 4)',
    defaultChainOptions.coinsCacheBytes,
    { unit: MIB, least: 4, most: MOST_CACHE_MIB },
  ],
  dbBatchBytes: ['dbbatchsize', 'int', 'Maximum size in bytes of a batch of coins that is written to the database', 16 * MIB, { least: 1 }],
  scriptCacheBytes: [
    'maxsigcachesize',
    'int',
    'Memory for the script-execution cache, in MiB',
    32 * MIB,
    { unit: MIB, least: 0, most: MOST_CACHE_MIB },
  ],
  loadBlockFiles: [
    'loadblock',
    'list',
    'Import blocks at the start from a Core block file, a bootstrap file, a file with one block in hex per line, or the blocks folder of a stopped Core node (with its xor.dat). adit only reads this folder',
  ],
  blocksXor: [
    'blocksxor',
    'bool',
    'Obfuscate the block and undo files of a new folder with a random XOR key (xor.dat). With 0 the node does not start if the folder has a key (default: 0, but an existing key is used)',
  ],
  par: [
    'par',
    'int',
    'Script verification threads (0: one per core, below 0: leave that many cores free; at most 16; default: {default})',
    0,
  ],
  assumeValidHex: ['assumevalid', 'string', 'Do not verify the scripts of this block and its ancestors (0: verify all)'],
  minimumChainWorkHex: [
    'minimumchainwork',
    'string',
    'Minimum work of a valid chain, in hex. Initial block download does not end below it',
  ],
  maxTipAgeSeconds: [
    'maxtipage',
    'int',
    'If the tip is older than this many seconds, the node is in initial block download',
    defaultChainOptions.maxTipAge,
  ],
  checkpoints: [
    'checkpoints',
    'bool',
    'Refuse forks below the checkpoints of Core 0.21.1 (default: {default}; {0.21.1} with -compat=0.21.1; no effect with -compat=31)',
    ({ checkpoints }: { readonly checkpoints: boolean }) => checkpoints,
  ],
  pruneMib: [
    'prune',
    'int',
    'Delete old blocks (0: never; 1: only by pruneblockchain; 550 or more: keep block and undo files below this many MiB; default: {default}). Not possible with -txindex or -txospenderindex. To undo it, use -reindex, which downloads the whole chain again',
    0,
  ],
  smallBlockFiles: ['fastprune', 'bool', '', false],
  reindex: ['reindex', 'bool', 'Rebuild the block index, the coins and the optional indexes from the block files', false],
  reindexChainstate: ['reindex-chainstate', 'bool', 'Rebuild the coins from the stored blocks. Not possible with -prune', false],
  checkBlocks: ['checkblocks', 'int', 'Number of blocks to check at the start (0: all; default: {default})', 6, { least: 0 }],
  checkLevel: ['checklevel', 'int', 'How thorough the check of -checkblocks is: 0 to 4, as in verifychain', 3, { least: 0, most: 4 }],
  downloadEngine: [
    'engine',
    'bool',
    'Connect the blocks of the initial download and of -reindex with the download engine: threads of its own that keep coins in memory, within -dbcache (default: {default})',
    true,
  ],
  stopAfterImport: [
    'stopafterblockimport',
    'bool',
    'Stop the node once the stored blocks are connected and the files of -loadblock are imported',
    false,
  ],
  stopAtHeight: ['stopatheight', 'int', 'Stop the node once the chain has this height (default: {default}, never)', 0, { least: 0 }],
} as const;

/** Estimated bytes of a changed coin in a batch, including its key. */
const COIN_WRITE_BYTES = 84;

/**
 * Converts -dbbatchsize to numbers of coins. Larger values than the default do not make batches that take the thread
 * longer.
 */
export function batchBounds(bytes: number): Pick<ChainOptions, 'atomicFlushEntries' | 'flushChunkEntries'> {
  const entries = Math.max(1, Math.ceil(bytes / COIN_WRITE_BYTES));
  return { atomicFlushEntries: entries, flushChunkEntries: Math.min(entries, defaultChainOptions.flushChunkEntries) };
}

/** Positions in the block files that are in the index; see BlockFilesOptions. */
export interface KnownFiles {
  readonly lastKnown: BlockPosition | null;
  readonly knownBackwards: () => Iterable<BlockPosition>;
  /** Last undo position by file. Corrected after the files are open, if undo data turns out to be lost. */
  readonly lastKnownUndo: ReadonlyMap<number, number>;
}

export interface ChainDeps {
  readonly params: ChainParams;
  readonly store: Store;
  /** Opens the block files. The chain closes them. */
  readonly openFiles: (known: KnownFiles) => Promise<BlockFiles>;
  readonly verifier: Verifier;
  /**
   * Computes ids and roots of large blocks on other threads. If absent, the node thread computes them in time slices.
   */
  readonly blockHasher?: BlockHasher;
  /** Starts the download engine. If absent, the node thread connects all blocks. */
  readonly startEngine?: StartEngine;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly log: Logger;
  /** Guard that runs the listeners. The chain creates its own if absent. */
  readonly guard?: ListenerGuard;
  /** Called once when the storage has failed. The chain refuses further changes, so the node should stop. */
  readonly onFault?: (fault: Error) => void;
  /** Fires when the node begins to stop. Long work ends at the next block. */
  readonly stopping?: AbortSignal;
  /**
   * Durations in seconds, for histograms: names connect_gather, connect_check, connect_scripts, connect_apply,
   * connect_coins, connect_persist, connect_total.
   */
  readonly observe?: (name: string, seconds: number, labels?: Record<string, string>) => void;
}
