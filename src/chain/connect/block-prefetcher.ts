// Prefetches blocks ahead of the tip while stored blocks are being connected: reads the coins of the next blocks, and
// runs their scripts on the script threads, several small blocks as one batch. This is sound, because an outpoint
// always names the same output: scripts that pass now also pass when the block is connected. Connecting the block
// checks whether the coins still exist. If prefetching fails in any way, the block is checked completely when it is
// connected. See docs/decisions/0017-prefetch-blocks.md.

import type { BlockView } from '../../consensus/block/block-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { readU32 } from '../../consensus/bytes/reader.js';
import { canRepeat, enforceBip30 } from '../../consensus/rules/bip30.js';
import { blockScriptFlags } from '../../consensus/rules/block-script-flags.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import { StopFlag } from '../../parallel/stop-flag.js';
import type { TxJob } from '../../parallel/verifier.js';
import { readChecked } from '../files/read-checked.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import { keysCreated } from './coins-overlay.js';
import { scriptsReason } from './scripts-needed.js';
import type { ChainWorkspace } from './workspace.js';

/** Largest number of prefetched blocks and inputs: about 0.1 s of work for two threads. */
const MAX_BLOCKS = 192;
const MAX_INPUTS = 8_000;
/** Number of inputs, or of blocks (GROUP_BLOCKS), from which a batch starts while other batches are running. */
const GROUP_INPUTS = 400;
const GROUP_BLOCKS = 48;
/** Number of inputs between two yields to the event loop. */
const SLICE_INPUTS = 1_000;

/** Number of outpoints read at a time. */
const READ_OUTPOINTS = 4_000;

/** A prefetched block. */
export interface PrefetchedBlock {
  readonly node: HeaderNode;
  readonly block: BlockView;
  /**
   * Resolves when reading the block's coins has ended, with the eviction epoch of the cache before the read. While that
   * epoch is current, the coins are in memory. -1 if reading failed.
   */
  readonly coinsRead: Promise<number>;
  /**
   * True if the database is known to have no coin at any outpoint that the block creates (BIP-0030). While the eviction
   * epoch stays the same, such a coin can only be in memory. False means unknown. Never rejects.
   */
  readonly outputsLack: Promise<boolean>;
  /** True if all scripts of the block are known to pass; false means unknown. Never rejects. */
  readonly scriptsPass: Promise<boolean>;
}

interface Found {
  readonly node: HeaderNode;
  readonly block: BlockView;
  readonly inputs: number;
  readonly scripts: boolean;
  readonly flags: number;
}

type QueuedBlock = PrefetchedBlock & { readonly inputs: number };

export class BlockPrefetcher {
  /** Prefetched blocks in chain order, the next one to connect first. */
  #blocks: QueuedBlock[] = [];
  /** Blocks that were read from their files but belong to no batch yet. */
  #found: Found[] = [];
  /** Blocks that takeBlock returned but that are not in the active chain yet. Later blocks may spend their outputs. */
  #taken: QueuedBlock[] = [];
  #inputs = 0;
  /**
   * Transactions of the blocks in #blocks and #taken, by 30 bits of their txids. If two collide, a coin is not found
   * here, and the block is checked when it is connected.
   */
  #txs = new Map<number, TxView>();
  #stop = new StopFlag();
  /** Number of batches whose scripts are running. */
  #running = 0;
  /** The running loop that reads blocks towards the target, if any. */
  #walk: Promise<void> | null = null;
  /** Block that is being read from its file. */
  #reading: { readonly node: HeaderNode; readonly done: Promise<BlockView> } | null = null;
  readonly #work = new Set<Promise<unknown>>();
  /** Incremented when pending prefetches become obsolete. */
  #epoch = 0;
  readonly #ws: ChainWorkspace;

  constructor(ws: ChainWorkspace) {
    this.#ws = ws;
  }

  /** Prefetches stored blocks from the tip towards the target, up to the limits. */
  prefetchBlocks(target: HeaderNode, assumed: HeaderNode | undefined): void {
    const { tip } = this.#ws.active;
    if (tip === undefined) return;
    for (let taken = this.#taken[0]; taken !== undefined && tip.height >= taken.node.height; taken = this.#taken[0]) {
      this.#taken.shift();
      this.#dropTransactions(taken);
    }
    if (this.#walk !== null) return;
    const next = this.#blocks[0]?.node ?? this.#found[0]?.node;
    const last = this.#last;
    if (next !== undefined && (next.prev !== tip || last === undefined || target.ancestor(last.height) !== last)) this.clear();
    const walk = this.#read(target, assumed, this.#epoch)
      .catch(() => undefined)
      .finally(() => {
        this.#walk = null;
        this.#reading = null;
        this.#work.delete(walk);
      });
    this.#walk = walk;
    this.#work.add(walk);
  }

  get #last(): HeaderNode | undefined {
    return (this.#found[this.#found.length - 1] ?? this.#blocks[this.#blocks.length - 1])?.node;
  }

  /** Returns the prefetched block that is connected next; undefined if it was not prefetched. */
  async takeBlock(node: HeaderNode): Promise<PrefetchedBlock | undefined> {
    // Wait for a read of this block that is in progress. Reading the block again would keep the prefetcher from getting
    // ahead.
    if (this.#last === undefined && this.#reading?.node === node) await this.#reading.done.catch(() => undefined);
    if (this.#blocks.length === 0) this.#beginFound();
    const [first] = this.#blocks;
    if (first === undefined || first.node !== node) return undefined;
    this.#blocks.shift();
    this.#taken.push(first);
    return first;
  }

  #dropTransactions({ block, inputs }: QueuedBlock): void {
    this.#inputs -= inputs;
    for (const tx of block.txs) {
      const key = keyOf(tx.txid, 0);
      if (this.#txs.get(key) === tx) this.#txs.delete(key);
    }
  }

  /** True if no blocks are prefetched. */
  get isEmpty(): boolean {
    return this.#blocks.length + this.#found.length + this.#taken.length === 0;
  }

  /** Drops all blocks and stops running batches. */
  clear(): void {
    this.#epoch++;
    this.#stop.raise();
    this.#stop = new StopFlag();
    this.#blocks = [];
    this.#found = [];
    this.#taken = [];
    this.#inputs = 0;
    this.#txs = new Map();
  }

  /** Drops all blocks and waits until running batches have stopped. */
  async close(): Promise<void> {
    this.clear();
    await Promise.allSettled([...this.#work]);
  }

  async #read(target: HeaderNode, assumed: HeaderNode | undefined, epoch: number): Promise<void> {
    const ws = this.#ws;
    for (;;) {
      const from = this.#last ?? (ws.active.tip as HeaderNode);
      if (from.height >= target.height || !this.#isBelowLimits) break;
      const node = target.ancestor(from.height + 1) as HeaderNode;
      // The tip is on another branch. The coins after the reorganisation are unknown until it is finished, so do not
      // prefetch.
      if (node.prev !== from) break;
      if (!node.has(NodeStatus.HAVE_DATA) || node.failed) break;
      let block = ws.blocks.waitingBlock(node);
      if (block === undefined) {
        const done = readChecked(ws, node);
        this.#reading = { node, done };
        block = await done;
        this.#reading = null;
        if (epoch !== this.#epoch) return;
        // The tip has passed the block during the read.
        if (node.prev !== (this.#last ?? ws.active.tip)) continue;
      }
      this.#add(node, block, assumed);
    }
    // Start the remaining blocks, although they are few, if the threads have nothing else to do.
    if (this.#running === 0) this.#beginFound();
  }

  get #isBelowLimits(): boolean {
    return this.#blocks.length + this.#found.length < MAX_BLOCKS && this.#inputs < MAX_INPUTS;
  }

  #add(node: HeaderNode, block: BlockView, assumed: HeaderNode | undefined): void {
    const ws = this.#ws;
    const prev = node.prev as HeaderNode;
    const flags = blockScriptFlags(prev, block.hash, ws.params, ws.versionBits);
    const scripts = scriptsReason(ws, node, assumed) !== null;
    const [first] = this.#found;
    // All blocks of a batch must have the same flags, so start a new batch.
    if (first !== undefined && (first.flags !== flags || first.scripts !== scripts)) this.#beginFound();
    let inputs = 0;
    for (let t = 1; t < block.txs.length; t++) inputs += (block.txs[t] as TxView).inputCount;
    this.#found.push({ node, block, inputs, scripts, flags });
    this.#inputs += inputs;
    const total = this.#found.reduce((sum, found) => sum + found.inputs, 0);
    if (total >= GROUP_INPUTS || this.#found.length >= GROUP_BLOCKS) this.#beginFound();
  }

  /** Starts one batch with all blocks that were read. */
  #beginFound(): void {
    const group = this.#found;
    if (group.length === 0) return;
    this.#found = [];
    this.#running++;
    const epoch = this.#epoch;
    const coinsRead = this.#readCoins(group, epoch).catch(() => -1);
    // Check the outputs after the coins were read, because the scripts wait for the coins.
    const outputsLack = coinsRead.then(() => this.#checkOutputsAbsent(group, epoch)).catch(() => false);
    this.#work.add(outputsLack);
    void outputsLack.finally(() => this.#work.delete(outputsLack));
    const scriptsPass = coinsRead
      .then(() => this.#verify(group, epoch))
      .catch(() => false)
      .finally(() => {
        this.#running--;
        this.#work.delete(scriptsPass);
        if (this.#running === 0) this.#beginFound();
      });
    this.#work.add(scriptsPass);
    for (const { node, block, inputs } of group) this.#blocks.push({ node, block, inputs, coinsRead, outputsLack, scriptsPass });
  }

  /**
   * Reads the coins that no prefetched block creates, usually all in one read.
   * @returns see PrefetchedBlock.coinsRead
   */
  async #readCoins(group: readonly Found[], epoch: number): Promise<number> {
    const { coins } = this.#ws;
    const { evictionEpoch, holdsAll } = coins;
    const wanted: Uint8Array[] = [];
    for (const { block } of group) {
      for (let t = 0; t < block.txs.length; t++) {
        const tx = block.txs[t] as TxView;
        const inputs = t === 0 || holdsAll ? 0 : tx.inputCount;
        for (let i = 0; i < inputs; i++) {
          if (this.#prefetchedTx(tx.buffer, tx.outpointAt(i)) === undefined) wanted.push(tx.outpoint(i));
        }
        this.#txs.set(keyOf(tx.txid, 0), tx);
      }
    }
    const turns = new TimeSlice();
    for (let at = 0; at < wanted.length; at += READ_OUTPOINTS) {
      await coins.prefetch(wanted.slice(at, at + READ_OUTPOINTS));
      if (turns.over) await turns.next();
      if (epoch !== this.#epoch) return -1;
    }
    return evictionEpoch;
  }

  /** @returns see PrefetchedBlock.outputsLack */
  async #checkOutputsAbsent(group: readonly Found[], epoch: number): Promise<boolean> {
    const { coins, store, space, params } = this.#ws;
    const turns = new TimeSlice();
    for (const { node, block } of group) {
      if (coins.holdsAll) return true;
      if (!canRepeat(params) || !enforceBip30(node.prev as HeaderNode, block.hash, params)) continue;
      for (const keys of keysCreated(space, block, READ_OUTPOINTS)) {
        const found = await store.getMany(keys);
        if (epoch !== this.#epoch || found.some((coin) => coin !== undefined)) return false;
        if (turns.over) await turns.next();
      }
    }
    return true;
  }

  async #verify(group: readonly Found[], epoch: number): Promise<boolean> {
    const [{ flags, scripts }] = group as [Found];
    const stop = this.#stop;
    // If no scripts are required, none run, and the result is unknown. tryConnect decides whether they are needed.
    if (!scripts || epoch !== this.#epoch) return false;
    const jobs: TxJob[] = [];
    let slice = 0;
    for (const { block } of group) {
      for (let t = 1; t < block.txs.length; t++) {
        const tx = block.txs[t] as TxView;
        const spent: SpentOutput[] = [];
        for (let i = 0; i < tx.inputCount; i++) {
          const output = this.#output(tx.buffer, tx.outpointAt(i));
          if (output === undefined) return false;
          spent.push(output);
        }
        jobs.push({ tx, spent });
        slice += tx.inputCount;
        if (slice < SLICE_INPUTS) continue;
        slice = 0;
        await yieldToLoop();
        if (epoch !== this.#epoch) return false;
      }
    }
    if (jobs.length === 0) return true;
    const { ok, stopped } = await this.#ws.verifier.verifyTxs({ txs: jobs, flags, klass: 'block', stop, bulk: true });
    return ok && !stopped;
  }

  /** Returns the transaction of a prefetched block that creates the outpoint at bytes[at]. */
  #prefetchedTx(bytes: Uint8Array, at: number): TxView | undefined {
    const tx = this.#txs.get(keyOf(bytes, at));
    return tx !== undefined && equalBytes(tx.txid, bytes.subarray(at, at + 32)) ? tx : undefined;
  }

  #output(bytes: Uint8Array, at: number): SpentOutput | undefined {
    const source = this.#prefetchedTx(bytes, at);
    if (source === undefined) return this.#ws.coins.touchIfKnown(bytes, at);
    const index = readU32(bytes, at + 32);
    return index < source.outputCount ? { value: source.outputValue(index), script: source.outputScript(index) } : undefined;
  }
}

/** Returns the first 30 bits of an id, a number that V8 stores without an object. */
function keyOf(bytes: Uint8Array, at: number): number {
  return readU32(bytes, at) >>> 2;
}
