// Memory that the node thread and the engine's threads share. States and counters are written with Atomics; a thread that
// sees a state sees everything that was written before it.
//
//   control   words of CONTROL, then a command counter for each thread
//   figures   FIGURES numbers for each thread, as doubles
//   memory    page 0: data of the kernel | median times by height, 4 bytes | slots | scratch of each thread

import type { Kernel, KernelModule, SharedMemory } from './kernel-module.js';
import { PAGE_BYTES } from './kernel-module.js';

/** Words of the control array. */
export const CONTROL = {
  /** Changes whenever a thread may have something to do. */
  event: 0,
  /** Changes whenever a block finished or something failed. */
  done: 2,
  /** First error code; 0 for none. */
  failCode: 3,
  failHeight: 4,
  /** Number of waits for an event. */
  sleepers: 5,
  /** First command counter. */
  commands: 16,
} as const;
export const MAX_THREADS = 32;
export const CONTROL_WORDS: number = CONTROL.commands + MAX_THREADS;

/** States of a slot. A refused block has not reached the shards, and neither has any block above it. */
export const SLOT = { free: 0, filled: 1, parsing: 2, parsed: 3, checking: 4, finished: 5, refused: 6 } as const;

/** NEXT_CHECK of a block whose inputs cannot be taken for script checks yet. */
export const ALL_TAKEN = 0x7fffffff;

/** Figures of a thread by position. */
export const FIGURE = { coins: 0, bytes: 1, changed: 2, parse: 3, ids: 4, emit: 5, apply: 6, finish: 7, scripts: 8 } as const;
export const FIGURES = 9;

/** Slots beyond one for each thread. More slots would put blocks out of the processor's cache between two stages. */
const MORE_SLOTS = 6;
/** Heights for which there is space for a median time. */
export const MAX_HEIGHT = 4_000_000;

/** Where everything lies in the slots' memory. */
export interface SlotLayout {
  readonly threads: number;
  readonly slots: number;
  readonly slotBytes: number;
  readonly timesAt: number;
  readonly slotsAt: number;
  readonly scratchAt: number;
  readonly scratchBytes: number;
  readonly pages: number;
}

/** @param sizes any instance of the kernel */
export function slotLayout(threads: number, sizes: Pick<Kernel, 'layout'>): SlotLayout {
  const slots = threads + MORE_SLOTS;
  const slotBytes = sizes.layout('SLOT_BYTES');
  const scratchBytes = sizes.layout('SCRATCH_BYTES');
  const timesAt = PAGE_BYTES;
  const slotsAt = timesAt + Math.ceil((MAX_HEIGHT * 4) / PAGE_BYTES) * PAGE_BYTES;
  const scratchAt = slotsAt + slots * slotBytes;
  const pages = (scratchAt + threads * scratchBytes) / PAGE_BYTES;
  return { threads, slots, slotBytes, timesAt, slotsAt, scratchAt, scratchBytes, pages };
}

/** Returns the address of the slot of a height. */
export function slotOf(layout: SlotLayout, height: number): number {
  return layout.slotsAt + (height % layout.slots) * layout.slotBytes;
}

/**
 * Wakes sleeping threads of the engine. A wake is a call of the system, so there is none if no thread sleeps.
 * @param count largest number of threads to wake; default: all
 */
export function signal(control: Int32Array, count?: number): void {
  Atomics.add(control, CONTROL.event, 1);
  if (Atomics.load(control, CONTROL.sleepers) > 0) Atomics.notify(control, CONTROL.event, count);
}

/** Sleeps until the next event after the one that was seen. */
export function sleepUntilEvent(control: Int32Array, seen: number, timeoutMs: number): void {
  // A signal that does not see this sleeper has changed the event before, so that the wait ends at once.
  Atomics.add(control, CONTROL.sleepers, 1);
  Atomics.wait(control, CONTROL.event, seen, timeoutMs);
  Atomics.sub(control, CONTROL.sleepers, 1);
}

/** Tells the node thread that something is done. */
export function signalDone(control: Int32Array): void {
  Atomics.add(control, CONTROL.done, 1);
  Atomics.notify(control, CONTROL.done);
}

/** Data of a thread at its start. */
export interface EngineThreadData {
  readonly thread: number;
  readonly module: KernelModule;
  readonly memory: SharedMemory;
  readonly layout: SlotLayout;
  readonly control: Int32Array;
  readonly figures: Float64Array;
  /** Bound of the shard in pages. */
  readonly maxPages: number;
  readonly firstHeight: number;
  readonly coinPrefix: number;
  /** True if the database has no coins. Otherwise the shard asks for each coin that it lacks. */
  readonly complete: boolean;
  /** Secret of the shard's hash table, two 64-bit words. */
  readonly secret: readonly [bigint, bigint];
}

/** A command to a thread. It replies to each with an EngineReply. */
export type EngineCommand =
  /** Adds rows to the shard: see loadRows of kernel/shard.ts. `last` ends the answer to the MissingCoins of this height. */
  | { readonly type: 'load'; readonly height: number; readonly rows: Uint8Array<ArrayBuffer>; readonly last: boolean }
  /** Lists the changed coins in key order; 'next' takes them by and by, with size 0 at the end. */
  | { readonly type: 'list' }
  | { readonly type: 'next' }
  /** Marks all coins as stored. */
  | { readonly type: 'clean' }
  /** Drops the older half of the coins, see evict of kernel/shard.ts. */
  | { readonly type: 'evict' };

/** Question of a thread for coins of the database. The answer is one or more commands of type 'load'. */
export interface MissingCoins {
  /** Height of the block that needs them. */
  readonly height: number;
  /** Outpoints, 36 bytes each. */
  readonly missing: Uint8Array<ArrayBuffer>;
}

/** Reply of a thread to the start ('ready') or to a command. */
export interface EngineReply {
  /** 0 or an error code. */
  readonly code: number;
  /** Rows of 'next', in the form of a WriteBatch. */
  readonly rows?: { readonly buffer: ArrayBuffer; readonly size: number; readonly count: number };
}
