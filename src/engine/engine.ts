// Connects blocks on threads of its own: blocks go in by height, undo data and the changed
// coins come out. README.md describes the threads. The engine changes nothing outside its own memory.

import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { returnLargeBlocks } from '../crypto/native/memory-trimmer.js';
import { noteLoading, withinLimit } from '../lib/loading-threads.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import {
  compileKernel,
  createKernel,
  createMemory,
  type Kernel,
  type KernelModule,
  MAX_PAGES,
  PAGE_BYTES,
  type SharedMemory,
} from './kernel-module.js';
import {
  ALL_TAKEN,
  CONTROL,
  CONTROL_WORDS,
  type EngineCommand,
  type EngineReply,
  type EngineThreadData,
  FIGURE,
  FIGURES,
  MAX_HEIGHT,
  MAX_THREADS,
  type MissingCoins,
  SLOT,
  type SlotLayout,
  signal,
  slotLayout,
  slotOf,
} from './shared-state.js';

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
  /** An output of the block may exist already, in any valid chain of the network (canRepeat in rules/bip30.ts). */
  readonly mayRepeat: boolean;
  /** Relative locks apply (BIP-0068). */
  readonly relativeLocks: boolean;
  /** Witness commitments apply (BIP-0141). */
  readonly witnesses: boolean;
  /** Signature operations of redeem scripts count (SCRIPT_VERIFY_P2SH of blockScriptFlags). */
  readonly countRedeemScripts: boolean;
  /** Signature operations of witnesses count (SCRIPT_VERIFY_WITNESS of blockScriptFlags). */
  readonly countWitnesses: boolean;
  /** Flags of the scripts (blockScriptFlags); null: the scripts are not checked (-assumevalid). */
  readonly scriptFlags: number | null;
}

/** Options of an engine. */
export interface EngineOptions {
  /** Number of threads, 1 to 32. Each owns one shard of the coins. */
  readonly threads: number;
  /** Bound of all shards together, in bytes; at least 32 MiB a thread count. A block that would exceed it fails with code FAILURE.memory. */
  readonly memoryBytes: number;
  /** Height of the first block, at least 1. The coins are those of the block before it. */
  readonly firstHeight: number;
  /** Median times of the blocks 0 to firstHeight - 1 of the branch, in seconds. */
  readonly medianTimes: Uint32Array;
  /** First byte of a coin's key in the database (PREFIX.coin or PREFIX.otherCoin). */
  readonly coinPrefix: number;
  /** True if the database has no coins. */
  readonly complete: boolean;
  /**
   * Reads coins of the database as the last checkpoint left them, by their keys; undefined for a coin that it lacks.
   * The engine calls this only while blocks are in work.
   */
  readCoins(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
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

/**
 * A block that was refused before any shard applied it. The coins are those of the block before it. It may be a changed
 * copy, a block that breaks a rule, or one that only the ordinary code can judge.
 */
export interface RefusedBlock {
  readonly height: number;
  /** Error code of the kernel or of a stage. */
  readonly refusal: number;
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
  /** Part of its memory that the fullest shard needs at a checkpoint, 0 to 1. Shards need not be equally full. */
  readonly fullness: number;
  /** Number of coins that changedCoins would write or remove; a coin made and spent since the last markClean counts as none. */
  readonly changed: number;
  /** Number of coins that the threads asked the database for. */
  readonly read: number;
  /** Time that the threads spent in each stage, in milliseconds. */
  readonly stageMs: Readonly<Record<'ids' | 'parse' | 'emit' | 'apply' | 'finish' | 'scripts', number>>;
}

/** Reports that the engine stopped: a block that is not certainly valid, or a fault of the engine itself. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';

  /**
   * @param height height of the block that failed. If it is unknown which one failed, the highest block in work; 0 if there
   *   was none
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

/** Failures of the engine itself. Codes of the kernel and of the stages are below 1000. */
export const FAILURE = { start: 1000, thread: 1001, stalled: 1002, closed: 1003, read: 1004 } as const;

/** Least memory of a shard. Its buffers take 13 MB. */
const MIN_SHARD_PAGES = 512;
/** Memory in bytes that a checkpoint takes for each changed coin. */
const LISTED_BYTES = 16;
/** Bound of the shards in bytes below which freed memory goes back to the system at once, at the price of page faults. */
const SMALL_BYTES = 256 << 20;
/** Bytes of rows in one command. A row has at most 10,100 bytes. */
const LOAD_BYTES = 4_000_000;
const ROW_BYTES = 10_100;
const KEY_BYTES = 37;
const OUTPOINT_BYTES = 36;
/** Bounds the garbage that a thread leaves in memory before it is collected. */
const YOUNG_GENERATION_MB = 4;
/** Longest wait for an event. Every event ends the wait; this is for a lost one. */
const WAIT_MS = 1_000;
/**
 * Number of such waits in a row, without any progress while blocks are in work, after which the engine gives up. The time
 * during which the process was stopped does not count.
 */
const STALL_WAITS = 120;

/** Atomics.waitAsync, which the compiler's library lacks. */
type WaitAsync = (
  words: Int32Array,
  index: number,
  value: number,
  timeoutMs: number,
) => { async: false } | { async: true; value: Promise<unknown> };
const { waitAsync } = Atomics as unknown as { waitAsync: WaitAsync };

/** A thread with its pending replies. */
interface EngineThreadHandle {
  readonly worker: Worker;
  /** Resolves when the thread has loaded its libraries or has ended. */
  readonly loaded: Promise<void>;
  readonly replies: { resolve(reply: EngineReply): void; reject(error: Error): void }[];
}

/** An engine. Any rejection means: close it. Its coins are lost, and the caller's chain is as it was. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #layout: SlotLayout;
  readonly #memory: SharedMemory;
  readonly #kernel: Kernel;
  readonly #bytes: Uint8Array<SharedArrayBuffer>;
  readonly #words: Int32Array;
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
  readonly #figures: Float64Array;
  readonly #threads: EngineThreadHandle[] = [];
  #failure: EngineFailure | null = null;
  #isSmall = false;
  #read = 0;
  /** Heights of the next block to offer, to return from `next`, and to release. */
  #offerHeight: number;
  #nextHeight: number;
  #releaseHeight: number;
  /** True from the refusal of a block until `offerAgain`. */
  #refusing = false;

  private constructor(options: EngineOptions, module: KernelModule) {
    this.#options = options;
    const { threads, firstHeight, medianTimes } = options;
    if (!(threads >= 1 && threads <= MAX_THREADS)) throw new RangeError(`an engine has 1 to ${MAX_THREADS} threads`);
    if (medianTimes.length < firstHeight || firstHeight < 1) throw new RangeError('a median time of each earlier block is needed');
    const sizes = createKernel(module, createMemory(2, MAX_PAGES));
    this.#layout = slotLayout(threads, sizes);
    this.#memory = createMemory(this.#layout.pages, this.#layout.pages);
    this.#kernel = createKernel(module, this.#memory);
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#words = new Int32Array(this.#memory.buffer);
    this.#figures = new Float64Array(new SharedArrayBuffer(threads * FIGURES * 8));
    this.#offerHeight = this.#nextHeight = this.#releaseHeight = firstHeight;
    this.#words.set(medianTimes.subarray(0, firstHeight), this.#layout.timesAt >> 2);
  }

  /**
   * Starts the threads.
   * @throws EngineFailure if shared memory, threads or the native hashes are not available
   */
  static async start(options: EngineOptions): Promise<Engine> {
    let engine: Engine | undefined;
    try {
      const module = await compileKernel();
      engine = new Engine(options, module);
      // Blocks, memtables and batches come and go, and arenas of malloc would keep some 60 MB for them.
      engine.#isSmall = options.memoryBytes < SMALL_BYTES;
      if (engine.#isSmall) returnLargeBlocks(true);
      await engine.#startThreads(options, module);
      return engine;
    } catch (error) {
      await engine?.close();
      throw new EngineFailure(0, FAILURE.start, `The download engine cannot start: ${(error as Error).message}`);
    }
  }

  /**
   * Copies a block's bytes into a free slot. Heights must be consecutive.
   * @returns false if no slot is free: take `next` and `release` first. Also false while a block is refused
   */
  offer(block: EngineBlock, bytes: Uint8Array): boolean {
    const { height } = block;
    if (height !== this.#offerHeight || height > MAX_HEIGHT) throw new RangeError(`block ${height} is not the next one`);
    const slot = slotOf(this.#layout, height);
    const state = this.#wordOf(slot, 'STATE');
    if (this.#failure !== null || this.#refusing || Atomics.load(this.#words, state) !== SLOT.free) return false;
    const kernel = this.#kernel;
    const fits = bytes.length <= kernel.layout('RAW_BYTES');
    if (fits) this.#bytes.set(bytes, slot + kernel.layout('RAW'));
    this.#bytes.set(block.hash, slot + kernel.layout('HASH'));
    const words = this.#words;
    // The kernel refuses a block without bytes.
    words[this.#wordOf(slot, 'LENGTH')] = fits ? bytes.length : 0;
    words[this.#wordOf(slot, 'FLAGS')] = this.#flagsOf(block);
    words[this.#wordOf(slot, 'SCRIPT_FLAGS')] = block.scriptFlags ?? 0;
    Atomics.store(words, this.#wordOf(slot, 'NEXT_CHECK'), ALL_TAKEN);
    words[this.#wordOf(slot, 'LOCK_TIME_CUTOFF')] = block.lockTimeCutoff;
    words[this.#wordOf(slot, 'PARENT_MEDIAN_TIME')] = block.parentMedianTime;
    words[(this.#layout.timesAt >> 2) + height - 1] = block.parentMedianTime;
    const subsidy = this.#wordOf(slot, 'SUBSIDY');
    words[subsidy] = block.subsidy | 0;
    words[subsidy + 1] = Math.floor(block.subsidy / 2 ** 32);
    Atomics.store(words, this.#wordOf(slot, 'HEIGHT'), height);
    Atomics.store(words, state, SLOT.filled);
    this.#offerHeight++;
    // One thread parses the block. The others are woken when it is parsed.
    signal(this.#control, 1);
    return true;
  }

  /**
   * Resolves with the next block in order of height, after it passed or was refused. May be called before the block is
   * offered. One call at a time. Rejects with EngineFailure once a block fails in the shards, a thread dies, or after
   * close.
   */
  async next(): Promise<FinishedBlock | RefusedBlock> {
    const height = this.#nextHeight;
    const slot = slotOf(this.#layout, height);
    let waits = 0;
    for (;;) {
      const seen = Atomics.load(this.#control, CONTROL.done);
      this.#throwFailure();
      if (Atomics.load(this.#words, this.#wordOf(slot, 'HEIGHT')) === height) {
        const state = Atomics.load(this.#words, this.#wordOf(slot, 'STATE'));
        if (state === SLOT.finished) {
          this.#nextHeight++;
          return this.#finished(slot, height);
        }
        if (state === SLOT.refused) {
          const refusal = this.#words[this.#wordOf(slot, 'REFUSAL')];
          await this.#emptyFrom(height);
          return { height, refusal };
        }
      }
      if (this.#offerHeight <= height) waits = 0;
      if (waits > STALL_WAITS) throw this.#fail(height, FAILURE.stalled, `block ${height} is not finished after ${STALL_WAITS} s`);
      const wait = waitAsync(this.#control, CONTROL.done, seen, WAIT_MS);
      if (wait.async) await wait.value;
      waits = Atomics.load(this.#control, CONTROL.done) === seen ? waits + 1 : 0;
    }
  }

  /** Empties the slots of a refused block and of the blocks above it, which no shard has applied. */
  async #emptyFrom(height: number): Promise<void> {
    this.#refusing = true;
    for (let above = height; above < this.#offerHeight; above++) {
      const state = this.#wordOf(slotOf(this.#layout, above), 'STATE');
      for (;;) {
        const seen = Atomics.load(this.#control, CONTROL.event);
        const found = Atomics.load(this.#words, state);
        if (found !== SLOT.parsing && Atomics.compareExchange(this.#words, state, found, SLOT.free) === found) break;
        Atomics.add(this.#control, CONTROL.sleepers, 1);
        const wait = waitAsync(this.#control, CONTROL.event, seen, WAIT_MS);
        if (wait.async) await wait.value;
        Atomics.sub(this.#control, CONTROL.sleepers, 1);
        this.#throwFailure();
      }
    }
  }

  /** Continues after a refused block. The next block to offer is the one of this height, then those above it. */
  offerAgain(height: number): void {
    if (!this.#refusing || height !== this.#nextHeight) throw new RangeError(`block ${height} was not refused`);
    this.#offerHeight = height;
    this.#refusing = false;
  }

  /** Frees the slot of the block that `next` returned last. Its views are invalid afterwards. */
  release(height: number): void {
    if (height !== this.#releaseHeight || height >= this.#nextHeight)
      throw new RangeError(`block ${height} is not the next one to release`);
    this.#releaseHeight++;
    Atomics.store(this.#words, this.#wordOf(slotOf(this.#layout, height), 'STATE'), SLOT.free);
  }

  /**
   * Yields the coins that changed since the start or the last markClean. All offered blocks must have been released.
   * After all batches are written, the database has the coins of the last released block.
   */
  async *changedCoins(): AsyncGenerator<ChangedCoins> {
    if (this.#releaseHeight !== this.#offerHeight) throw new RangeError('a block is still in work');
    await Promise.all(this.#threads.map((_, i) => this.#command(i, { type: 'list' })));
    for (let i = 0; i < this.#threads.length; i++) {
      let next = this.#command(i, { type: 'next' });
      for (;;) {
        const { rows } = await next;
        if (rows === undefined || rows.count === 0) break;
        // The thread collects the next rows while the caller writes these.
        next = this.#command(i, { type: 'next' });
        next.catch(() => undefined);
        yield rows;
      }
    }
  }

  /** Marks all coins as stored, after the batches of changedCoins were written. */
  async markClean(): Promise<void> {
    await Promise.all(this.#threads.map((_, i) => this.#command(i, { type: 'clean' })));
  }

  /** Drops the older half of the coins. All must be marked as stored, and no block may be in work. */
  async evict(): Promise<void> {
    await Promise.all(this.#threads.map((_, i) => this.#command(i, { type: 'evict' })));
  }

  figures(): EngineFigures {
    const sum = (figure: number): number => this.#threads.reduce((total, _, i) => total + this.#figures[i * FIGURES + figure], 0);
    const stageMs = {
      ids: sum(FIGURE.ids),
      parse: sum(FIGURE.parse),
      emit: sum(FIGURE.emit),
      apply: sum(FIGURE.apply),
      finish: sum(FIGURE.finish),
      scripts: sum(FIGURE.scripts),
    };
    const needed = this.#threads.map((_, i) => {
      const [bytes, changed] = [FIGURE.bytes, FIGURE.changed].map((figure) => this.#figures[i * FIGURES + figure]);
      return bytes + changed * LISTED_BYTES;
    });
    const fullness = Math.max(0, ...needed) / (this.#options.memoryBytes / this.#options.threads);
    return { coins: sum(FIGURE.coins), bytes: sum(FIGURE.bytes), fullness, changed: sum(FIGURE.changed), read: this.#read, stageMs };
  }

  /** Ends the threads and frees the memory. A pending call rejects. May be called at any time and repeatedly. */
  async close(): Promise<void> {
    this.#fail(0, FAILURE.closed, 'the engine was closed');
    // The end of a thread that loads koffi ends the process.
    await withinLimit(Promise.all(this.#threads.map(({ loaded }) => loaded)));
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
    if (this.#isSmall) returnLargeBlocks(false);
    this.#isSmall = false;
  }

  async #startThreads(options: EngineOptions, module: KernelModule): Promise<void> {
    const { threads, firstHeight, coinPrefix } = options;
    const pages = Math.floor(options.memoryBytes / threads / PAGE_BYTES);
    for (let thread = 0; thread < threads; thread++) {
      const secret = randomBytes(16);
      this.#startThread({
        thread,
        module,
        memory: this.#memory,
        layout: this.#layout,
        control: this.#control,
        figures: this.#figures,
        maxPages: Math.min(MAX_PAGES, Math.max(MIN_SHARD_PAGES, pages)),
        firstHeight,
        coinPrefix,
        complete: options.complete,
        secret: [secret.readBigUInt64LE(0), secret.readBigUInt64LE(8)],
      });
    }
    // Each thread sends one reply when it is ready.
    await Promise.all(this.#threads.map((thread) => this.#reply(thread)));
  }

  #startThread(data: EngineThreadData): void {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB };
    const worker = new Worker(WORKER_ENTRY.engine, { name: 'adit-engine', workerData: data, resourceLimits });
    const loaded = new Promise<void>((resolve) => {
      worker.once('message', () => resolve());
      worker.once('exit', () => resolve());
    });
    noteLoading(loaded);
    const handle: EngineThreadHandle = { worker, loaded, replies: [] };
    worker.on('message', (message: EngineReply | MissingCoins) => {
      if ('missing' in message)
        this.#loadCoins(data.thread, message).catch((error: Error) => this.#failInWork(FAILURE.read, error.message));
      else handle.replies.shift()?.resolve(message);
    });
    worker.on('error', (error) => this.#failInWork(FAILURE.thread, `a thread failed: ${error.message}`));
    worker.on('exit', () => this.#failInWork(FAILURE.thread, 'a thread ended'));
    this.#threads.push(handle);
  }

  /** Answers a thread's question for coins. */
  async #loadCoins(thread: number, { height, missing: outpoints }: MissingCoins): Promise<void> {
    const keys = keysOf(outpoints, this.#options.coinPrefix);
    this.#read += keys.length;
    const coins = await this.#options.readCoins(keys);
    if (coins.some((coin) => coin !== undefined && coin.length > ROW_BYTES - OUTPOINT_BYTES)) throw new Error('a coin has a wrong size');
    const rows = new Uint8Array(
      Math.min(
        LOAD_BYTES,
        coins.reduce((sum, coin) => sum + (coin?.length ?? 0) + 44, ROW_BYTES),
      ),
    );
    let size = 0;
    const loads: Promise<EngineReply>[] = [];
    const load = (last: boolean): void => {
      loads.push(this.#command(thread, { type: 'load', height, rows: rows.slice(0, size), last }));
      size = 0;
    };
    for (const [i, coin] of coins.entries()) {
      if (coin === undefined) continue;
      if (size + ROW_BYTES > LOAD_BYTES) load(false);
      size = writeRow(rows, size, outpoints.subarray(i * OUTPOINT_BYTES, (i + 1) * OUTPOINT_BYTES), coin);
    }
    load(true);
    await Promise.all(loads);
  }

  /** Sends a command to a thread. Rejects with EngineFailure if it fails or the engine stops. */
  #command(thread: number, command: EngineCommand): Promise<EngineReply> {
    const handle = this.#threads[thread];
    const reply = this.#reply(handle);
    handle.worker.postMessage(command, command.type === 'load' ? [command.rows.buffer] : []);
    Atomics.add(this.#control, CONTROL.commands + thread, 1);
    signal(this.#control);
    return reply;
  }

  async #reply(thread: EngineThreadHandle): Promise<EngineReply> {
    this.#throwFailure();
    const reply = await new Promise<EngineReply>((resolve, reject) => thread.replies.push({ resolve, reject }));
    if (reply.code !== 0) throw this.#fail(0, reply.code, `a command failed with code ${reply.code}`);
    return reply;
  }

  /** Notes a failure that any of the blocks in work may have caused. */
  #failInWork(code: number, message: string): void {
    const [first, last] = [this.#nextHeight, this.#offerHeight - 1];
    if (last < first) this.#fail(0, code, message);
    else this.#fail(last, code, `${message}, with the blocks ${first} to ${last} in work`);
  }

  /** Notes the first failure, and ends all waits. @returns the first failure */
  #fail(height: number, code: number, message: string): EngineFailure {
    if (this.#failure === null) {
      this.#failure = new EngineFailure(height, code, message);
      for (const { replies } of this.#threads) for (const { reject } of replies.splice(0)) reject(this.#failure);
      Atomics.add(this.#control, CONTROL.done, 1);
      Atomics.notify(this.#control, CONTROL.done);
    }
    return this.#failure;
  }

  #throwFailure(): void {
    const code = Atomics.load(this.#control, CONTROL.failCode);
    if (code !== 0 && this.#failure === null) {
      const height = Atomics.load(this.#control, CONTROL.failHeight);
      this.#fail(height, code, `block ${height} is not certainly valid: code ${code}`);
    }
    if (this.#failure !== null) throw this.#failure;
  }

  #finished(slot: number, height: number): FinishedBlock {
    const layout = (name: string): number => this.#kernel.layout(name);
    const word = (name: string): number => this.#words[this.#wordOf(slot, name)];
    const view = (name: string, length: number): Uint8Array => this.#bytes.subarray(slot + layout(name), slot + layout(name) + length);
    const fees = this.#wordOf(slot, 'FEES');
    return {
      height,
      txCount: word('TX_COUNT'),
      inputCount: word('INPUT_COUNT'),
      fees: this.#words[fees + 1] * 2 ** 32 + (this.#words[fees] >>> 0),
      sigopCost: word('SIGOP_COST'),
      bytes: view('RAW', word('LENGTH')),
      undo: view('UNDO', word('UNDO_LENGTH')),
      undoChecksum: view('UNDO_CHECKSUM', 32),
    };
  }

  #flagsOf(block: EngineBlock): number {
    const flag = (set: boolean, name: string): number => (set ? this.#kernel.layout(name) : 0);
    return (
      flag(block.heightInCoinbase, 'HEIGHT_IN_COINBASE') |
      flag(block.noOverwrites, 'NO_OVERWRITES') |
      flag(block.mayRepeat, 'MAY_REPEAT') |
      flag(block.relativeLocks, 'RELATIVE_LOCKS') |
      flag(block.witnesses, 'WITNESSES') |
      flag(block.countRedeemScripts, 'COUNT_REDEEM_SCRIPTS') |
      flag(block.countWitnesses, 'COUNT_WITNESSES') |
      flag(block.scriptFlags !== null, 'CHECK_SCRIPTS')
    );
  }

  /** Returns the index in #words of a number of a slot. */
  #wordOf(slot: number, name: string): number {
    return (slot + this.#kernel.layout(name)) >> 2;
  }
}

/** Returns the keys of outpoints in the database. They count indexes from the highest byte on. */
function keysOf(outpoints: Uint8Array, prefix: number): Uint8Array[] {
  const count = outpoints.length / OUTPOINT_BYTES;
  const bytes = new Uint8Array(count * KEY_BYTES);
  return Array.from({ length: count }, (_, i) => {
    const key = bytes.subarray(i * KEY_BYTES, (i + 1) * KEY_BYTES);
    key[0] = prefix;
    key.set(outpoints.subarray(i * OUTPOINT_BYTES, i * OUTPOINT_BYTES + 32), 1);
    for (let k = 0; k < 4; k++) key[33 + k] = outpoints[i * OUTPOINT_BYTES + 35 - k];
    return key;
  });
}

/** Writes a row for the kernel: outpoint, length of the coin, coin, rounded up to 4 bytes. @returns the position behind it */
function writeRow(bytes: Uint8Array, at: number, outpoint: Uint8Array, coin: Uint8Array): number {
  bytes.set(outpoint, at);
  new DataView(bytes.buffer).setUint32(at + OUTPOINT_BYTES, coin.length, true);
  bytes.set(coin, at + 40);
  return (at + 40 + coin.length + 3) & ~3;
}
