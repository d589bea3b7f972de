// Loads the kernel: AssemblyScript in kernel/, which the build compiles to WebAssembly (src/launch.mjs).

import { readFile } from 'node:fs/promises';
import type { Sha256Update } from '../crypto/native/sha256-update.js';
import { ENGINE_KERNEL } from '../lib/worker-entries.js';

/** A WebAssembly memory that threads share. Its buffer is a new object after it has grown. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
}

/** A compiled module. It can be sent to other threads. */
export type KernelModule = object;

// The part of WebAssembly that the engine uses. The types of Node.js do not declare it.
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<KernelModule>;
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => SharedMemory;
  readonly Instance: new (module: KernelModule, imports: object) => { readonly exports: Record<string, unknown> };
};

export const PAGE_BYTES = 65_536;
/** Most pages of a memory: one less than 4 GiB, so that every address has 32 bits. */
export const MAX_PAGES = 65_535;

/** Functions of the kernel. Addresses are byte offsets in its memory; kernel/ describes the functions. */
export interface KernelFunctions {
  parse(slot: number): number;
  checkHashes(slot: number, scratch: number): number;
  emit(slot: number, shards: number): number;
  finish(slot: number, times: number, scratch: number): number;
  openTx(slot: number, t: number, scratch: number): void;
  layOutCheck(input: number, flags: number): number;
  open(secret0: bigint, secret1: bigint, bits: number, maxPages: number): number;
  apply(length: number, height: number, noOverwrites: number): number;
  listMissing(length: number, outputs: number): number;
  loadRows(length: number): number;
  listChanged(): number;
  nextChanged(prefix: number): number;
  rowCount(): number;
  markClean(): void;
  evict(height: number): number;
  coinCount(): number;
  changedCount(): number;
  usedBytes(): number;
  inAt(): number;
  inBytes(): number;
  outAt(): number;
}

/** An instance of the kernel over a memory. */
export interface Kernel extends KernelFunctions {
  /** A number of the kernel by its name. */
  layout(name: string): number;
}

/** Reads and compiles the kernel. Throws if the build lacks it or the system has no WebAssembly threads. */
export async function compileKernel(): Promise<KernelModule> {
  return WebAssembly.compile(await readFile(ENGINE_KERNEL));
}

/** Reserves addresses for a shared memory. Throws if the system refuses. @param maximum in pages; `initial` are zeroed */
export function createMemory(initial: number, maximum: number): SharedMemory {
  return new WebAssembly.Memory({ initial, maximum, shared: true });
}

/**
 * Creates an instance of the kernel.
 * @param native hashes; null: no function that hashes will be called. With hashes, the memory must have a fixed size
 */
export function createKernel(module: KernelModule, memory: SharedMemory, native: Sha256Update | null = null): Kernel {
  const abort = (): never => {
    throw new Error('the kernel called abort');
  };
  const base = native?.addressOf(new Uint8Array(memory.buffer)) ?? 0;
  const compress =
    native === null ? abort : (context: number, p: number, length: number) => void native.update(base + context, base + p, length);
  const { exports } = new WebAssembly.Instance(module, { env: { memory, abort, compress, seed: Date.now } });
  const layout = (name: string): number => (exports[name] as { readonly value: number }).value;
  return { ...(exports as unknown as KernelFunctions), layout };
}
