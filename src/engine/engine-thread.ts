// A thread of the engine. It takes whole blocks for the stages without an order, and applies every block, in order, to the
// shard of the coins that it owns. No other thread reads or writes this shard. The thread that applies a block last also
// finishes the block. All threads check the inputs' scripts then.

import { performance } from 'node:perf_hooks';
import { adviseHugePages } from '../crypto/native/huge-pages.js';
import { createNativeCrypto } from '../crypto/native/index.js';
import { loadSha256Update } from '../crypto/native/sha256-update.js';
import { createKernel, createMemory, type Kernel, MAX_PAGES, PAGE_BYTES, type SharedMemory } from './kernel-module.js';
import { ScriptChecks } from './script-checks.js';
import {
  CONTROL,
  type EngineCommand,
  type EngineReply,
  type EngineThreadData,
  FIGURE,
  FIGURES,
  type MissingCoins,
  SLOT,
  signal,
  signalDone,
  sleepUntilEvent,
  slotOf,
} from './shared-state.js';

/** Initial size of the hash table: 2^16 entries. */
const TABLE_BITS = 16;
const FIRST_PAGES = 256;
const OUTPOINT_BYTES = 36;
/** Longest sleep. Every event wakes the threads; this is for a lost one. */
const SLEEP_MS = 1_000;
/** Number of inputs whose scripts a thread checks before it looks for other work. */
const CHECK_INPUTS = 16;

/** Connection of a thread to the node thread. */
export interface EnginePort {
  reply(message: EngineReply | MissingCoins, transfer: ArrayBuffer[]): void;
  /** Returns the next command; undefined if there is none. */
  receive(): EngineCommand | undefined;
}

/** Numbers of a slot by name. */
interface SlotWords {
  readonly [name: string]: number;
}

class EngineThread {
  readonly #data: EngineThreadData;
  readonly #port: EnginePort;
  /** Kernel over the slots' memory, and the address of the scratch that only this thread uses. */
  readonly #kernel: Kernel;
  readonly #scratch: number;
  readonly #scripts: ScriptChecks;
  readonly #shard: Kernel;
  readonly #shardMemory: SharedMemory;
  #shardBytes: Uint8Array;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #figures: Float64Array;
  readonly #at: SlotWords;
  readonly #resultBytes: number;
  /** Height of the next block for the shard. */
  #height: number;
  /** False if the database has coins that the shard lacks. */
  #complete: boolean;
  /** Height of the last block whose missing coins the thread has listed, and heights whose answers are pending. */
  #listed = 0;
  readonly #pending = new Set<number>();
  /** Number of commands that were run. */
  #commands = 0;

  constructor(data: EngineThreadData, port: EnginePort) {
    const { layout, memory, module, thread } = data;
    const native = loadSha256Update();
    if (native === null) throw new Error('Node.js exports no SHA-256 that koffi can call');
    const kernel = createKernel(module, memory, native);
    this.#data = data;
    this.#port = port;
    const scratch = layout.scratchAt + thread * layout.scratchBytes;
    this.#kernel = kernel;
    this.#scratch = scratch;
    this.#scripts = new ScriptChecks(kernel, createNativeCrypto(), memory.buffer, scratch);
    this.#shardMemory = createMemory(FIRST_PAGES, MAX_PAGES);
    this.#shard = createKernel(module, this.#shardMemory);
    if (this.#shard.open(...data.secret, TABLE_BITS, data.maxPages) !== 0) throw new Error('the memory of a shard is too small');
    this.#shardBytes = new Uint8Array(this.#shardMemory.buffer);
    adviseHugePages(this.#shardBytes, data.maxPages * PAGE_BYTES);
    this.#bytes = new Uint8Array(memory.buffer);
    this.#words = new Int32Array(memory.buffer);
    this.#figures = data.figures.subarray(thread * FIGURES, (thread + 1) * FIGURES);
    const names = ['STATE', 'HEIGHT', 'LEFT', 'REFUSAL', 'RESULT_LENGTH', 'FLAGS', 'SEGMENT_BEGIN', 'SEGMENT_END', 'RESULT', 'E_RESULTS'];
    names.push('E_SCRIPT');
    names.push('NO_OVERWRITES', 'MAY_REPEAT', 'ASK_NONE', 'ASK_COINBASE', 'ASK_ALL');
    names.push('CHECK_SCRIPTS', 'INPUT_COUNT', 'NEXT_CHECK', 'CHECKS_LEFT');
    this.#at = Object.fromEntries(names.map((name) => [name, kernel.layout(name)]));
    this.#resultBytes = kernel.layout('RESULT_BYTES');
    this.#height = data.firstHeight;
    this.#complete = data.complete;
  }

  /** Runs until the node thread ends this thread, or a block fails. Commands are answered in any case. */
  run(): void {
    const { control } = this.#data;
    this.#reply({ code: 0 });
    for (;;) {
      const event = Atomics.load(control, CONTROL.event);
      const failed = Atomics.load(control, CONTROL.failCode) !== 0;
      if (this.#runCommand() || (!failed && (this.#applyNext() || this.#checkNext() || this.#prepareNext()))) continue;
      sleepUntilEvent(control, event, SLEEP_MS);
    }
  }

  /** Applies the next block to the shard, if it is parsed and all its coins are here. @returns whether there was one */
  #applyNext(): boolean {
    const height = this.#height;
    const slot = slotOf(this.#data.layout, height);
    if (!this.#complete && this.#listNext()) return true;
    // Another thread may have parsed the block just after #listNext has looked for it.
    const isListed = this.#complete || this.#listed >= height;
    if (!isListed || this.#pending.has(height) || !this.#isSlot(slot, height, SLOT.parsed)) return false;
    this.#height++;
    const code = this.#apply(slot, height);
    if (code !== 0) this.#fail(code, height);
    return true;
  }

  /** Takes the lowest block that no thread has parsed. @returns whether there was one */
  #prepareNext(): boolean {
    const { control, layout } = this.#data;
    for (let i = 0; i < layout.slots; i++) {
      const slot = slotOf(layout, this.#height + i);
      const state = (slot + this.#at.STATE) >> 2;
      if (Atomics.compareExchange(this.#words, state, SLOT.filled, SLOT.parsing) !== SLOT.filled) continue;
      const code = this.#prepare(slot);
      if (code !== 0) this.#words[(slot + this.#at.REFUSAL) >> 2] = code;
      Atomics.store(this.#words, state, code === 0 ? SLOT.parsed : SLOT.refused);
      signal(control);
      if (code !== 0) signalDone(control);
      return true;
    }
    return false;
  }

  /** Checks scripts of the lowest block that has unchecked ones. @returns whether there was one */
  #checkNext(): boolean {
    const at = this.#at;
    const words = this.#words;
    const slot = this.#lowestToCheck();
    if (slot === 0) return false;
    const next = (slot + at.NEXT_CHECK) >> 2;
    const from = Atomics.load(words, next);
    // Once this thread has taken inputs, the block stays in its slot until they are checked. If the slot has got another
    // block since the search, either the exchange fails (offer writes ALL_TAKEN), or the inputs are those of that block.
    if (from >= words[(slot + at.INPUT_COUNT) >> 2] || Atomics.compareExchange(words, next, from, from + CHECK_INPUTS) !== from)
      return true;
    const end = Math.min(from + CHECK_INPUTS, words[(slot + at.INPUT_COUNT) >> 2]);
    if (this.#time(FIGURE.scripts, () => this.#scripts.check(slot, from, end)) !== 0) {
      this.#fail(this.#at.E_SCRIPT, words[(slot + at.HEIGHT) >> 2]);
      return true;
    }
    if (Atomics.sub(words, (slot + at.CHECKS_LEFT) >> 2, end - from) === end - from) {
      this.#finished(slot);
    } else Atomics.add(this.#data.control, CONTROL.done, 1);
    return true;
  }

  /** Returns the slot of the lowest block with scripts that no thread has taken; 0 for none. */
  #lowestToCheck(): number {
    const { slots, slotsAt, slotBytes } = this.#data.layout;
    const at = this.#at;
    const words = this.#words;
    let found = 0;
    let lowest = Number.POSITIVE_INFINITY;
    for (let i = 0, slot = slotsAt; i < slots; i++, slot += slotBytes) {
      if (Atomics.load(words, (slot + at.STATE) >> 2) !== SLOT.checking) continue;
      if (Atomics.load(words, (slot + at.NEXT_CHECK) >> 2) >= words[(slot + at.INPUT_COUNT) >> 2]) continue;
      const height = words[(slot + at.HEIGHT) >> 2];
      if (height < lowest) [found, lowest] = [slot, height];
    }
    return found;
  }

  #finished(slot: number): void {
    Atomics.store(this.#words, (slot + this.#at.STATE) >> 2, SLOT.finished);
    signalDone(this.#data.control);
  }

  #isSlot(slot: number, height: number, state: number): boolean {
    return (
      Atomics.load(this.#words, (slot + this.#at.STATE) >> 2) === state &&
      Atomics.load(this.#words, (slot + this.#at.HEIGHT) >> 2) === height
    );
  }

  /** @returns 0, or the error code of a block that must be refused */
  #prepare(slot: number): number {
    const { layout } = this.#data;
    const parsed = this.#time(FIGURE.parse, () => this.#kernel.parse(slot));
    if (parsed !== 0) return parsed;
    const hashed = this.#time(FIGURE.ids, () => this.#kernel.checkHashes(slot, this.#scratch));
    if (hashed !== 0) return hashed;
    const emitted = this.#time(FIGURE.emit, () => this.#kernel.emit(slot, layout.threads));
    if (emitted !== 0) return emitted;
    this.#words[(slot + this.#at.RESULT_LENGTH) >> 2] = 0;
    Atomics.store(this.#words, (slot + this.#at.LEFT) >> 2, layout.threads);
    return 0;
  }

  #apply(slot: number, height: number): number {
    const code = this.#time(FIGURE.apply, () => this.#applySegment(slot, height));
    this.#note();
    if (code !== 0) return code;
    if (Atomics.sub(this.#words, (slot + this.#at.LEFT) >> 2, 1) !== 1) return 0;
    const finished = this.#time(FIGURE.finish, () => this.#kernel.finish(slot, this.#data.layout.timesAt, this.#scratch));
    if (finished !== 0) return finished;
    const inputs = this.#words[(slot + this.#at.INPUT_COUNT) >> 2];
    if ((this.#words[(slot + this.#at.FLAGS) >> 2] & this.#at.CHECK_SCRIPTS) === 0 || inputs === 1) {
      this.#finished(slot);
      return 0;
    }
    // The coinbase's input has number 0.
    Atomics.store(this.#words, (slot + this.#at.CHECKS_LEFT) >> 2, inputs - 1);
    Atomics.store(this.#words, (slot + this.#at.STATE) >> 2, SLOT.checking);
    // From here on, threads take inputs. A thread may do so before it sees the state, because it has found the slot earlier.
    Atomics.store(this.#words, (slot + this.#at.NEXT_CHECK) >> 2, 1);
    signal(this.#data.control);
    return 0;
  }

  /**
   * Asks the node thread for coins of the database, for the lowest block for which that was not done. No block below it may
   * be unparsed: such a block could be refused, and this one be replaced.
   * @returns whether there was one
   */
  #listNext(): boolean {
    const height = Math.max(this.#listed + 1, this.#height);
    const slot = slotOf(this.#data.layout, height);
    if (height >= this.#height + this.#data.layout.slots || !this.#isSlot(slot, height, SLOT.parsed)) return false;
    const at = this.#at;
    const shard = this.#shard;
    const flags = this.#words[(slot + at.FLAGS) >> 2];
    const length = this.#takeSegment(slot);
    const outputs = (flags & at.NO_OVERWRITES) === 0 ? at.ASK_COINBASE : at.ASK_ALL;
    const count = shard.listMissing(length, (flags & at.MAY_REPEAT) === 0 ? at.ASK_NONE : outputs);
    this.#listed = height;
    if (count < 0) this.#fail(-count, height);
    if (count <= 0) return true;
    const out = shard.outAt();
    const missing = this.#shardBytes.slice(out, out + count * OUTPOINT_BYTES);
    this.#pending.add(height);
    this.#port.reply({ height, missing }, [missing.buffer]);
    return true;
  }

  /** Copies the block's segment into the shard. @returns its length */
  #takeSegment(slot: number): number {
    const { thread } = this.#data;
    const begin = this.#words[((slot + this.#at.SEGMENT_BEGIN) >> 2) + thread];
    const end = this.#words[((slot + this.#at.SEGMENT_END) >> 2) + thread];
    this.#shardBytes.set(this.#bytes.subarray(slot + begin, slot + end), this.#shard.inAt());
    return end - begin;
  }

  #applySegment(slot: number, height: number): number {
    const at = this.#at;
    const words = this.#words;
    const shard = this.#shard;
    const noOverwrites = words[(slot + at.FLAGS) >> 2] & at.NO_OVERWRITES;
    const length = shard.apply(this.#takeSegment(slot), height, noOverwrites === 0 ? 0 : 1);
    this.#refreshView();
    if (length < 0) return -length;
    const to = Atomics.add(words, (slot + at.RESULT_LENGTH) >> 2, length);
    if (to + length > this.#resultBytes) return this.#at.E_RESULTS;
    const out = shard.outAt();
    this.#bytes.set(this.#shardBytes.subarray(out, out + length), slot + at.RESULT + to);
    return 0;
  }

  /** A grown memory has a new buffer, which the old view does not cover. */
  #refreshView(): void {
    const { buffer } = this.#shardMemory;
    if (buffer.byteLength !== this.#shardBytes.length) this.#shardBytes = new Uint8Array(buffer);
  }

  /** Runs the next command. @returns whether there was one */
  #runCommand(): boolean {
    if (Atomics.load(this.#data.control, CONTROL.commands + this.#data.thread) === this.#commands) return false;
    const command = this.#port.receive();
    if (command === undefined) return false;
    this.#commands++;
    this.#answer(command);
    return true;
  }

  #answer(command: EngineCommand): void {
    const shard = this.#shard;
    switch (command.type) {
      case 'load':
        if (this.#load(command.rows) && command.last) this.#pending.delete(command.height);
        break;
      case 'list':
        this.#reply({ code: shard.listChanged() });
        break;
      case 'next': {
        const size = shard.nextChanged(this.#data.coinPrefix);
        this.#refreshView();
        const out = shard.outAt();
        const rows = new Uint8Array(size);
        rows.set(this.#shardBytes.subarray(out, out + size));
        this.#reply({ code: 0, rows: { buffer: rows.buffer, size, count: shard.rowCount() } }, [rows.buffer]);
        break;
      }
      case 'clean':
        shard.markClean();
        this.#reply({ code: 0 });
        break;
      case 'evict':
        this.#complete = false;
        this.#reply({ code: shard.evict(this.#height) });
        break;
    }
  }

  /** Loads coins. @returns false if one is wrong, and the engine ends */
  #load(rows: Uint8Array): boolean {
    this.#shardBytes.set(rows, this.#shard.inAt());
    const code = this.#shard.loadRows(rows.length);
    this.#reply({ code });
    return code === 0;
  }

  /** Replies, with the shard's new size published before. */
  #reply(reply: EngineReply, transfer: ArrayBuffer[] = []): void {
    this.#note();
    this.#port.reply(reply, transfer);
  }

  /** Publishes the shard's size. */
  #note(): void {
    this.#refreshView();
    this.#figures[FIGURE.coins] = this.#shard.coinCount();
    this.#figures[FIGURE.bytes] = this.#shard.usedBytes();
    this.#figures[FIGURE.changed] = this.#shard.changedCount();
  }

  #fail(code: number, height: number): void {
    const { control } = this.#data;
    if (Atomics.compareExchange(control, CONTROL.failCode, 0, code) === 0) Atomics.store(control, CONTROL.failHeight, height);
    signal(control);
    signalDone(control);
  }

  #time(figure: number, run: () => number): number {
    const begin = performance.now();
    const code = run();
    this.#figures[figure] += performance.now() - begin;
    return code;
  }
}

/** Runs a thread of the engine. Throws if the system lacks something; returns never. */
export function runEngineThread(data: EngineThreadData, port: EnginePort): void {
  new EngineThread(data, port).run();
}
