// Both ways to connect a block below the assumed-valid block: the ordinary rules on a map of coins, and the engine's kernel
// without its threads. Coins are in their stored form, by hex of their outpoint.

import type { ChainWorkspace } from '../../src/chain/connect/workspace.js';
import { engineBlock } from '../../src/chain/download/engine-block.js';
import type { HeaderNode } from '../../src/chain/tree/header-node.js';
import { type BlockView, parseBlock } from '../../src/consensus/block/block-view.js';
import { DecodeError } from '../../src/consensus/bytes/reader.js';
import { type Coin, isUnspendable } from '../../src/consensus/coin.js';
import { connectBlock, outpointOf } from '../../src/consensus/connect.js';
import type { HeaderContext } from '../../src/consensus/header-context.js';
import type { ChainParams } from '../../src/consensus/params/chain-params.js';
import { blockScriptFlags } from '../../src/consensus/rules/block-script-flags.js';
import { checkBlock } from '../../src/consensus/rules/check-block.js';
import { contextualCheckBlock } from '../../src/consensus/rules/contextual-check-block.js';
import { VersionBitsCache } from '../../src/consensus/rules/versionbits.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { loadSha256Update } from '../../src/crypto/native/sha256-update.js';
import type { EngineBlock } from '../../src/engine/engine.js';
import { compileKernel, createKernel, createMemory, type Kernel, PAGE_BYTES, type SharedMemory } from '../../src/engine/kernel-module.js';
import { decodeCoin, encodeCoin } from '../../src/storage/codec/coin.js';
import { encodeUndo } from '../../src/storage/codec/undo.js';
import { WriteBatch } from '../../src/storage/write-batch.js';
import { hash256 } from './messages.js';

export const crypto = createNativeCrypto();

/** Unspent coins in their stored form, by hex of their outpoint. */
export type Coins = ReadonlyMap<string, Uint8Array>;

/** Result of connecting a block. */
export interface Outcome {
  /** null: accepted. Otherwise the reason of the ordinary rules, or the kernel's code. */
  readonly rejected: string | number | null;
  readonly coins: Coins;
  readonly undo: Uint8Array;
  readonly undoChecksum: Uint8Array;
  readonly fees: number;
  readonly sigopCost: number;
}

const rejectedWith = (rejected: string | number): Outcome => ({
  rejected,
  coins: new Map(),
  undo: new Uint8Array(0),
  undoChecksum: new Uint8Array(0),
  fees: 0,
  sigopCost: 0,
});

/** Returns the facts that the node gives to the engine. */
export function factsOf(prev: HeaderContext, hash: Uint8Array, time: number, params: ChainParams, scripts = false): EngineBlock {
  const workspace = { params, versionBits: new VersionBitsCache() } as unknown as ChainWorkspace;
  return engineBlock(workspace, { prev, hash, time, height: prev.height + 1 } as unknown as HeaderNode, scripts);
}

const keyOf = (outpoint: Uint8Array): string => Buffer.from(outpoint).toString('hex');

/** Connects a block by the ordinary rules without scripts. */
export function connectOrdinarily(bytes: Uint8Array, prev: HeaderContext, params: ChainParams, coins: Coins): Outcome {
  let block: BlockView;
  try {
    block = parseBlock(bytes, crypto, { exact: true });
  } catch (error) {
    if (error instanceof DecodeError) return rejectedWith(error.message);
    throw error;
  }
  const cache = new VersionBitsCache();
  const early = checkBlock(block, params, crypto, { checkPow: false }) ?? contextualCheckBlock(block, prev, params, cache);
  if (early !== null) return rejectedWith(early.reason);
  const read = (outpoint: Uint8Array): Coin | undefined => {
    const stored = coins.get(keyOf(outpoint));
    return stored === undefined ? undefined : decodeCoin(stored);
  };
  const flags = blockScriptFlags(prev, block.hash, params, cache);
  const result = connectBlock(block, prev, params, { get: read }, { flags });
  if (result.verdict !== null) return rejectedWith(result.verdict.reason);
  const after = new Map(coins);
  const height = prev.height + 1;
  block.txs.forEach((tx, t) => {
    for (let k = 0; t > 0 && k < tx.inputCount; k++) after.delete(keyOf(tx.outpoint(k)));
    for (let k = 0; k < tx.outputCount; k++) {
      const script = tx.outputScript(k);
      if (isUnspendable(script)) continue;
      after.set(keyOf(outpointOf(tx, k)), encodeCoin({ value: tx.outputValue(k), script, height, coinbase: t === 0 }));
    }
  });
  const undo = encodeUndo(result.spentByTx.slice(1));
  const undoChecksum = hash256(Buffer.concat([block.header.prevHash, undo]));
  return { rejected: null, coins: after, undo, undoChecksum, fees: result.fees, sigopCost: result.sigopCost };
}

/** Memory in pages: for median times, for the guard zone on each side of the slot, and for a shard. */
const TIMES_PAGES = 64;
const GUARD_PAGES = 1;
const SHARD_PAGES = 4_096;

/** The kernel with one slot and some shards on the calling thread. */
export class KernelWithoutThreads {
  readonly kernel: Kernel;
  readonly memory: SharedMemory;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly slot: number;
  readonly slotBytes: number;
  readonly scratch: number;
  readonly timesAt: number = PAGE_BYTES;
  readonly #shards: { readonly kernel: Kernel; readonly memory: SharedMemory }[];

  private constructor(module: object, shards: number) {
    const sizes = createKernel(module, createMemory(2, 2));
    this.slotBytes = sizes.layout('SLOT_BYTES');
    const scratchPages = sizes.layout('SCRATCH_BYTES') / PAGE_BYTES;
    const scratch = (1 + TIMES_PAGES) * PAGE_BYTES;
    this.scratch = scratch;
    this.slot = scratch + (scratchPages + GUARD_PAGES) * PAGE_BYTES;
    const pages = this.slot / PAGE_BYTES + this.slotBytes / PAGE_BYTES + GUARD_PAGES;
    this.memory = createMemory(pages, pages);
    const native = loadSha256Update();
    if (native === null) throw new Error('no SHA-256 by address');
    this.kernel = createKernel(module, this.memory, native);
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
    this.#shards = Array.from({ length: shards }, () => {
      const memory = createMemory(256, 65_535);
      return { kernel: createKernel(module, memory), memory };
    });
  }

  static async create(shards: number): Promise<KernelWithoutThreads> {
    return new KernelWithoutThreads(await compileKernel(), shards);
  }

  word(name: string): number {
    return this.words[(this.slot + this.kernel.layout(name)) >> 2];
  }

  setWord(name: string, value: number): void {
    this.words[(this.slot + this.kernel.layout(name)) >> 2] = value;
  }

  view(name: string, length: number): Uint8Array {
    const at = this.slot + this.kernel.layout(name);
    return this.bytes.slice(at, at + length);
  }

  /** Puts a block into the slot. */
  fill(block: EngineBlock, bytes: Uint8Array, medianTimes: readonly number[]): void {
    const flag = (set: boolean, name: string): number => (set ? this.kernel.layout(name) : 0);
    this.bytes.set(bytes, this.slot + this.kernel.layout('RAW'));
    this.bytes.set(block.hash, this.slot + this.kernel.layout('HASH'));
    this.setWord('HEIGHT', block.height);
    this.setWord('LENGTH', bytes.length);
    this.setWord('LOCK_TIME_CUTOFF', block.lockTimeCutoff);
    this.setWord('PARENT_MEDIAN_TIME', block.parentMedianTime);
    const subsidy = (this.slot + this.kernel.layout('SUBSIDY')) >> 2;
    this.words[subsidy] = block.subsidy | 0;
    this.words[subsidy + 1] = Math.floor(block.subsidy / 2 ** 32);
    this.setWord(
      'FLAGS',
      flag(block.heightInCoinbase, 'HEIGHT_IN_COINBASE') |
        flag(block.noOverwrites, 'NO_OVERWRITES') |
        flag(block.mayRepeat, 'MAY_REPEAT') |
        flag(block.relativeLocks, 'RELATIVE_LOCKS') |
        flag(block.witnesses, 'WITNESSES') |
        flag(block.countRedeemScripts, 'COUNT_REDEEM_SCRIPTS') |
        flag(block.countWitnesses, 'COUNT_WITNESSES'),
    );
    this.words.set(medianTimes, this.timesAt >> 2);
  }

  /** Empties the shards, and loads these coins. @returns 0 or an error code */
  load(coins: Coins): number {
    this.#shards.forEach(({ kernel }, i) => {
      if (kernel.open(BigInt(i), 7n, 4, SHARD_PAGES) !== 0) throw new Error('no memory');
    });
    for (const [key, coin] of coins) {
      const outpoint = Buffer.from(key, 'hex');
      const { kernel, memory } = this.#shards[Math.floor((outpoint.readUInt32LE(0) * this.#shards.length) / 2 ** 32)];
      const row = Buffer.alloc((40 + coin.length + 3) & ~3);
      outpoint.copy(row);
      row.writeUInt32LE(coin.length, 36);
      row.set(coin, 40);
      new Uint8Array(memory.buffer).set(row, kernel.inAt());
      const code = kernel.loadRows(row.length);
      if (code !== 0) return code;
    }
    return 0;
  }

  /** Connects the block in the slot on the shards' coins. @returns 0 or an error code */
  connect(): number {
    const { kernel, slot, scratch } = this;
    const early = kernel.parse(slot) || kernel.checkHashes(slot, scratch) || kernel.emit(slot, this.#shards.length);
    if (early !== 0) return early;
    let results = 0;
    for (let i = 0; i < this.#shards.length; i++) {
      const { kernel, memory } = this.#shards[i];
      const begin = this.words[((slot + kernel.layout('SEGMENT_BEGIN')) >> 2) + i];
      const end = this.words[((slot + kernel.layout('SEGMENT_END')) >> 2) + i];
      new Uint8Array(memory.buffer).set(this.bytes.subarray(slot + begin, slot + end), kernel.inAt());
      const noOverwrites = this.word('FLAGS') & kernel.layout('NO_OVERWRITES');
      const length = kernel.apply(end - begin, this.word('HEIGHT'), noOverwrites === 0 ? 0 : 1);
      if (length < 0) return -length;
      const out = kernel.outAt();
      this.bytes.set(new Uint8Array(memory.buffer).subarray(out, out + length), slot + kernel.layout('RESULT') + results);
      results += length;
    }
    this.setWord('RESULT_LENGTH', results);
    return kernel.finish(slot, this.timesAt, scratch);
  }

  /** Rows that changed since `load` or `markClean`, as a database would apply them. */
  changed(prefix = 67): { readonly type: 'put' | 'del'; readonly key: Uint8Array; readonly value?: Uint8Array }[] {
    return this.#shards.flatMap(({ kernel, memory }) => {
      if (kernel.listChanged() !== 0) throw new Error('no memory');
      const rows = [];
      for (;;) {
        const size = kernel.nextChanged(prefix);
        const buffer = new Uint8Array(memory.buffer).slice(kernel.outAt(), kernel.outAt() + size).buffer;
        if (kernel.rowCount() === 0) return rows;
        for (const op of WriteBatch.from({ buffer: new Uint8Array(new Uint8Array(buffer)).buffer, size, count: kernel.rowCount() })) {
          rows.push(
            op.type === 'put' ? { type: op.type, key: op.key.slice(), value: op.value.slice() } : { type: op.type, key: op.key.slice() },
          );
        }
      }
    });
  }

  markClean(): void {
    for (const { kernel } of this.#shards) kernel.markClean();
  }

  get coinCount(): number {
    return this.#shards.reduce((sum, { kernel }) => sum + kernel.coinCount(), 0);
  }

  get changedCount(): number {
    return this.#shards.reduce((sum, { kernel }) => sum + kernel.changedCount(), 0);
  }

  /** Applies changed rows to coins. */
  static applyRows(coins: Coins, rows: ReturnType<KernelWithoutThreads['changed']>): Map<string, Uint8Array> {
    const after = new Map(coins);
    for (const { key, value } of rows) {
      const outpoint = Buffer.concat([key.subarray(1, 33), Buffer.from(key.subarray(33)).reverse()]).toString('hex');
      if (value === undefined) after.delete(outpoint);
      else after.set(outpoint, value);
    }
    return after;
  }

  /** Loads the coins and connects a block. */
  run(block: EngineBlock, bytes: Uint8Array, coins: Coins, medianTimes: readonly number[]): Outcome {
    const loaded = this.load(coins);
    if (loaded !== 0) return rejectedWith(loaded);
    this.fill(block, bytes, medianTimes);
    const code = this.connect();
    if (code !== 0) return rejectedWith(code);
    const fees = (this.slot + this.kernel.layout('FEES')) >> 2;
    return {
      rejected: null,
      coins: KernelWithoutThreads.applyRows(coins, this.changed()),
      undo: this.view('UNDO', this.word('UNDO_LENGTH')),
      undoChecksum: this.view('UNDO_CHECKSUM', 32),
      fees: this.words[fees + 1] * 2 ** 32 + (this.words[fees] >>> 0),
      sigopCost: this.word('SIGOP_COST'),
    };
  }
}

/** Describes the difference of two accepted outcomes; null if there is none. */
export function differenceOf(a: Outcome, b: Outcome): string | null {
  const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex');
  if (a.fees !== b.fees) return `fees ${a.fees}, ${b.fees}`;
  if (a.sigopCost !== b.sigopCost) return `sigop cost ${a.sigopCost}, ${b.sigopCost}`;
  if (hex(a.undo) !== hex(b.undo)) return `undo data ${hex(a.undo)}, ${hex(b.undo)}`;
  if (hex(a.undoChecksum) !== hex(b.undoChecksum)) return 'checksum of the undo data';
  if (a.coins.size !== b.coins.size) return `${a.coins.size}, ${b.coins.size} coins`;
  for (const [key, coin] of a.coins) if (hex(coin) !== hex(b.coins.get(key))) return `coin ${key}: ${hex(coin)}, ${hex(b.coins.get(key))}`;
  return null;
}
