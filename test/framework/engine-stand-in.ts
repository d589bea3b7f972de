// Stands in for the download engine (src/engine) in tests of the node's side: connects blocks with the node's own rules,
// and fails where a test wants it to.
import type { Chain } from '../../src/chain/chain.js';
import type { BlockEngine } from '../../src/chain/options.js';
import { type BlockView, parseBlock } from '../../src/consensus/block/block-view.js';
import { equalBytes } from '../../src/consensus/bytes/hex.js';
import { type Coin, isUnspendable } from '../../src/consensus/coin.js';
import { connectBlock } from '../../src/consensus/connect.js';
import { blockScriptFlags } from '../../src/consensus/rules/block-script-flags.js';
import { checkBlock } from '../../src/consensus/rules/check-block.js';
import { contextualCheckBlock } from '../../src/consensus/rules/contextual-check-block.js';
import { VersionBitsCache } from '../../src/consensus/rules/versionbits.js';
import type { ChangedCoins, EngineBlock, EngineOptions, FinishedBlock, RefusedBlock } from '../../src/engine/engine.js';
import { EngineFailure, FAILURE } from '../../src/engine/engine.js';
import { decodeCoin, encodeCoin } from '../../src/storage/codec/coin.js';
import { encodeUndo } from '../../src/storage/codec/undo.js';
import { FIRST_COINS } from '../../src/storage/layout.js';
import { WriteBatch } from '../../src/storage/write-batch.js';
import { crypto } from './chain-fixture.js';

const SLOTS = 6;
/** Code of any broken rule. */
const BROKEN_RULE = 1;

/** Behaviour that a test asks of the engine. */
export interface StandInPlan {
  /** Height at which the thread dies. */
  readonly dieAt?: number;
  /** Bytes that the engine claims to use. */
  readonly bytes?: (coins: number) => number;
  /** Fail after this many batches of changed coins. */
  readonly dieAfterBatches?: number;
  /** Coins in one batch. */
  readonly batchCoins?: number;
}

interface Slot {
  readonly facts: EngineBlock;
  readonly bytes: Uint8Array;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export class EngineStandIn implements BlockEngine {
  readonly #coins = new Map<string, Coin>();
  #stored = new Map<string, string>();
  #slots: Slot[] = [];
  #finished = 0;
  /** Height of the refused block; 0 for none. */
  #refused = 0;
  #failure: EngineFailure | null = null;
  #wake: (() => void) | null = null;
  closed = false;
  evictions = 0;
  /** Heights in the order in which they were offered. */
  readonly offered: number[] = [];
  readonly #chain: () => Chain;
  readonly #plan: StandInPlan;
  readonly options: EngineOptions;

  constructor(options: EngineOptions, chain: () => Chain, plan: StandInPlan = {}) {
    this.options = options;
    this.#chain = chain;
    this.#plan = plan;
  }

  /** Reads the coins of a block that are in the database only. */
  async #readCoins(block: BlockView): Promise<void> {
    if (this.options.complete && this.evictions === 0) return;
    const spent = block.txs.slice(1).flatMap((tx) => Array.from({ length: tx.inputCount }, (_, i) => hex(tx.outpoint(i))));
    const missing = spent.filter((outpoint) => !this.#coins.has(outpoint) && !this.#stored.has(outpoint));
    const values = await this.options.readCoins(missing.map((outpoint) => FIRST_COINS.key(Buffer.from(outpoint, 'hex'))));
    for (const [i, value] of values.entries()) {
      if (value === undefined) continue;
      this.#coins.set(missing[i]!, decodeCoin(value));
      this.#stored.set(missing[i]!, hex(value));
    }
  }

  offer(facts: EngineBlock, bytes: Uint8Array): boolean {
    if (this.closed || this.#refused !== 0 || this.#slots.length === SLOTS) return false;
    const last = this.offered.at(-1) ?? this.options.firstHeight - 1;
    if (facts.height !== last + 1) throw new Error(`height ${facts.height} after ${last}`);
    this.#slots.push({ facts, bytes: new Uint8Array(bytes) });
    this.offered.push(facts.height);
    this.#wake?.();
    return true;
  }

  async next(): Promise<FinishedBlock | RefusedBlock> {
    while (!this.closed && this.#failure === null && this.#finished === this.#slots.length) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      // Threads answer later.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.closed) throw new EngineFailure(0, FAILURE.closed, 'closed');
    if (this.#failure !== null) throw this.#failure;
    const slot = this.#slots[this.#finished] as Slot;
    const block = this.#check(slot);
    if (block === null) {
      this.#refused = slot.facts.height;
      this.#slots.splice(this.#finished);
      return { height: this.#refused, refusal: BROKEN_RULE };
    }
    this.#finished++;
    return this.#connect(slot, block);
  }

  offerAgain(height: number): void {
    if (height !== this.#refused) throw new RangeError(`block ${height} was not refused`);
    this.#refused = 0;
    this.offered.splice(this.offered.indexOf(height));
  }

  /** Checks what needs no coins. */
  #check({ facts, bytes }: Slot): BlockView | null {
    const { params } = this.#chain().view;
    const prev = this.#chain().view.node(facts.hash)!.prev!;
    try {
      const block = parseBlock(bytes, crypto);
      const wrong = checkBlock(block, params, crypto) ?? contextualCheckBlock(block, prev, params, new VersionBitsCache());
      return wrong === null && equalBytes(block.hash, facts.hash) ? block : null;
    } catch {
      return null;
    }
  }

  #fail(height: number, code: number, message: string): never {
    this.#failure = new EngineFailure(height, code, message);
    throw this.#failure;
  }

  async #connect({ facts, bytes }: Slot, block: BlockView): Promise<FinishedBlock> {
    const { height } = facts;
    if (this.#plan.dieAt === height) this.#fail(height, FAILURE.thread, 'a thread has died');
    const { params } = this.#chain().view;
    const prev = this.#chain().view.node(facts.hash)!.prev!;
    const versionBits = new VersionBitsCache();
    await this.#readCoins(block);
    const view = { get: (outpoint: Uint8Array) => this.#coins.get(hex(outpoint)) };
    const flags = blockScriptFlags(prev, facts.hash, params, versionBits);
    const result = connectBlock(block, prev, params, view, { flags, versionBits });
    if (result.verdict !== null) this.#fail(height, BROKEN_RULE, `block ${height}: ${result.verdict.reason}`);
    for (const [t, tx] of block.txs.entries()) {
      for (let i = 0; t > 0 && i < tx.inputCount; i++) this.#coins.delete(hex(tx.outpoint(i)));
      for (let o = 0; o < tx.outputCount; o++) {
        const script = new Uint8Array(tx.outputScript(o));
        if (isUnspendable(script)) continue;
        const outpoint = Buffer.concat([tx.txid, Buffer.alloc(4)]);
        outpoint.writeUInt32LE(o, 32);
        this.#coins.set(hex(outpoint), { value: tx.outputValue(o), script, height, coinbase: t === 0 });
      }
    }
    const undo = encodeUndo(result.spentByTx.slice(1));
    return {
      height,
      txCount: block.txs.length,
      inputCount: block.txs.reduce((sum, { inputCount }) => sum + inputCount, 0),
      fees: result.fees,
      sigopCost: result.sigopCost,
      bytes,
      undo,
      undoChecksum: crypto.sha256d(Buffer.concat([prev.hash, undo])),
    };
  }

  release(height: number): void {
    if (this.#slots[0]?.facts.height !== height || this.#finished === 0)
      throw new RangeError(`block ${height} is not the next one to release`);
    // The views are invalid now.
    this.#slots.shift()!.bytes.fill(0xee);
    this.#finished--;
  }

  async *changedCoins(): AsyncGenerator<ChangedCoins> {
    if (this.#slots.length > 0) throw new Error('blocks are in work');
    const now = new Map([...this.#coins].map(([outpoint, coin]) => [outpoint, hex(encodeCoin(coin))]));
    const changed = [...new Set([...now.keys(), ...this.#stored.keys()])].filter((one) => now.get(one) !== this.#stored.get(one)).sort();
    const size = this.#plan.batchCoins ?? 100;
    for (let at = 0, batches = 0; at < changed.length; at += size, batches++) {
      if (batches === this.#plan.dieAfterBatches) this.#fail(0, FAILURE.thread, 'a thread has died');
      const batch = new WriteBatch();
      for (const outpoint of changed.slice(at, at + size)) {
        const key = FIRST_COINS.key(Buffer.from(outpoint, 'hex'));
        const value = now.get(outpoint);
        if (value === undefined) batch.del(key);
        else batch.put(key, Buffer.from(value, 'hex'));
      }
      yield batch.takeBuffer() as ChangedCoins;
    }
    this.#stored = now;
  }

  async markClean(): Promise<void> {}

  async evict(): Promise<void> {
    this.evictions++;
    this.#coins.clear();
    this.#stored.clear();
  }

  figures() {
    const coins = this.#coins.size;
    const bytes = this.#plan.bytes?.(coins) ?? coins * 80;
    return {
      coins,
      bytes,
      fullness: bytes / this.options.memoryBytes,
      changed: 0,
      read: 0,
      stageMs: { ids: 0, parse: 0, emit: 0, apply: 0, finish: 0, scripts: 0 },
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#wake?.();
  }
}
