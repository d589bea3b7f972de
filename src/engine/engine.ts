// Connects blocks below the assumed-valid block on threads of its own: blocks go in by height, undo data and the changed
// coins come out. README.md describes the threads. The engine changes nothing outside its own memory.

/** A block's facts that the engine cannot read in the block. The header must have passed every check of headers. */
export interface EngineBlock {
  readonly height: number;
  /** Hash of the block, 32 bytes, internal order. The engine refuses bytes with another header. */
  readonly hash: Uint8Array;
  /** Subsidy in satoshis (rules/subsidy.ts). */
  readonly subsidy: number;
  /** Time that absolute lock times are compared with (BIP-0113): the parent's median time, or the block's own time. */
  readonly lockTimeCutoff: number;
  /** Median time of the parent. */
  readonly parentMedianTime: number;
  /** The coinbase must begin with the height (BIP-0034). */
  readonly heightInCoinbase: boolean;
  /** Outputs must not overwrite unspent coins (enforceBip30 in rules/bip30.ts). */
  readonly noOverwrites: boolean;
  /** Relative locks apply (BIP-0068). */
  readonly relativeLocks: boolean;
  /** Witness commitments apply (BIP-0141). */
  readonly witnesses: boolean;
  /** Signature operations of redeem scripts count (SCRIPT_VERIFY_P2SH of blockScriptFlags). */
  readonly countRedeemScripts: boolean;
  /** Signature operations of witnesses count (SCRIPT_VERIFY_WITNESS of blockScriptFlags). */
  readonly countWitnesses: boolean;
}

/** Options of an engine. */
export interface EngineOptions {
  /** Number of threads, 1 to 32. Each owns one shard of the coins. */
  readonly threads: number;
  /** Bound of all shards together, in bytes. A block that would exceed it fails with code FAILURE.memory. */
  readonly memoryBytes: number;
  /** Height of the first block, at least 1. The coins are those of the block before it. */
  readonly firstHeight: number;
  /** Median times of the blocks 0 to firstHeight - 1 of the branch, in seconds. */
  readonly medianTimes: Uint32Array;
  /** First byte of a coin's key in the database (PREFIX.coin or PREFIX.otherCoin). */
  readonly coinPrefix: number;
}

/** A block that passed all checks. */
export interface FinishedBlock {
  readonly height: number;
  /** Number of transactions. */
  readonly txCount: number;
  /** Number of inputs, the coinbase's included. */
  readonly inputCount: number;
  /** Fees of all transactions in satoshis. */
  readonly fees: number;
  /** Signature operation cost (BIP-0141). */
  readonly sigopCost: number;
  /** The block's bytes. View of shared memory, valid until release. */
  readonly bytes: Uint8Array;
  /** Undo data as encodeUndo writes it. View of shared memory, valid until release. */
  readonly undo: Uint8Array;
  /** Checksum of a rev file's record: sha256d of the parent's hash and the undo data. View, valid until release. */
  readonly undoChecksum: Uint8Array;
}

/** Changed coins of one shard, in key order, in the form of a WriteBatch (WriteBatch.from). */
export interface ChangedCoins {
  readonly buffer: ArrayBuffer;
  readonly size: number;
  readonly count: number;
}

/** Size of an engine. */
export interface EngineFigures {
  /** Number of unspent coins. */
  readonly coins: number;
  /** Bytes of the shards' cells and tables. */
  readonly bytes: number;
  /** Number of coins that changedCoins would write or remove; a coin made and spent since the last markClean counts as none. */
  readonly changed: number;
  /** Processor time of all threads by stage, in milliseconds. */
  readonly stageMs: Readonly<Record<'ids' | 'parse' | 'emit' | 'apply' | 'finish', number>>;
}

/** Reports that the engine stopped: a block that is not certainly valid, or a fault of the engine itself. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';

  /**
   * @param height height of the block in work; 0 if there was none
   * @param code one of FAILURE or a code of the kernel
   */
  constructor(
    readonly height: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** An engine. Any rejection means: close it. Its coins are lost, and the caller's chain is as it was. */
export class Engine {
  /**
   * Starts the threads.
   * @throws EngineFailure if shared memory, threads or the native hashes are not available
   */
  static async start(_options: EngineOptions): Promise<Engine> {
    throw new EngineFailure(0, 0, 'The download engine is not built yet.');
  }

  /**
   * Loads coins of the block before firstHeight: pairs of key and value as in the database. May be called several times,
   * before the first offer, each call after the one before has resolved.
   */
  async loadCoins(_rows: readonly (readonly [Uint8Array, Uint8Array])[]): Promise<void> {}

  /**
   * Copies a block's bytes into a free slot. Heights must be consecutive.
   * @returns false if no slot is free: take `next` and `release` first
   */
  offer(_block: EngineBlock, _bytes: Uint8Array): boolean {
    return false;
  }

  /**
   * Resolves with the next block in order of height, after it passed. May be called before the block is offered. One
   * call at a time. Rejects with EngineFailure once a block fails, a thread dies, or after close.
   */
  async next(): Promise<FinishedBlock> {
    throw new EngineFailure(0, 0, 'The download engine is not built yet.');
  }

  /** Frees the slot of the block that `next` returned last. Its views are invalid afterwards. */
  release(_height: number): void {}

  /**
   * Yields the coins that changed since loadCoins or the last markClean. All offered blocks must have been released.
   * After all batches are written, the database has the coins of the last released block.
   */
  async *changedCoins(): AsyncGenerator<ChangedCoins> {}

  /** Marks all coins as stored, after the batches of changedCoins were written. */
  async markClean(): Promise<void> {}

  figures(): EngineFigures {
    throw new EngineFailure(0, 0, 'The download engine is not built yet.');
  }

  /** Ends the threads and frees the memory. A pending call rejects. May be called at any time and repeatedly. */
  async close(): Promise<void> {}
}

/** Failures of the engine itself. Codes of the kernel are below 1000. */
export const FAILURE = { memory: 1000, thread: 1001, stalled: 1002, closed: 1003, header: 1004 } as const;
