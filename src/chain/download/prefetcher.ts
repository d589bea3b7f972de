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
import { keysCreated } from '../connect/coins-overlay.js';
import { scriptsReason } from '../connect/scripts-needed.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import { readChecked } from '../files/read-checked.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import type { BlockJob, JobState, Prefetched } from './block-job.js';

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

type QueuedState = Extract<JobState, { kind: 'queued' }>;

/** A prefetched block. */
export interface PrefetchedBlock {
  readonly block: BlockView;
  readonly results: Prefetched;
}

export class BlockPrefetcher {
  /**
   * Blocks in chain order: those that takeBlock returned, then prefetched ones, then queued ones. A returned block stays
   * until it is in the active chain, because later blocks may spend its outputs.
   */
  #jobs: BlockJob[] = [];
  /** Number of inputs of the blocks in #jobs. */
  #inputs = 0;
  /**
   * Transactions of the blocks in #jobs that are not queued, by 30 bits of their txids. If two collide, a coin is not
   * found here, and the block is checked when it is connected.
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
    for (let first = this.#jobs[0]; first !== undefined && !isAhead(first) && tip.height >= first.node.height; first = this.#jobs[0]) {
      this.#jobs.shift();
      this.#dropTransactions(first);
    }
    if (this.#walk !== null) return;
    const next = this.#jobs.find(isAhead)?.node;
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

  /** The last block that is queued or prefetched. */
  get #last(): HeaderNode | undefined {
    return this.#jobs.findLast(isAhead)?.node;
  }

  /** Returns the prefetched block that is connected next; undefined if it was not prefetched. */
  async takeBlock(node: HeaderNode): Promise<PrefetchedBlock | undefined> {
    // Wait for a read of this block that is in progress. Reading the block again would keep the prefetcher from getting
    // ahead.
    if (this.#last === undefined && this.#reading?.node === node) await this.#reading.done.catch(() => undefined);
    if (this.#jobs.find(isAhead)?.state.kind === 'queued') this.#beginBatch();
    const first = this.#jobs.find(isAhead);
    if (first?.state.kind !== 'prefetched' || first.node !== node) return undefined;
    const { results } = first.state;
    first.moveTo({ kind: 'connecting' });
    return { block: first.block, results };
  }

  #dropTransactions({ block }: BlockJob): void {
    this.#inputs -= countInputs(block);
    for (const tx of block.txs) {
      const key = keyOf(tx.txid, 0);
      if (this.#txs.get(key) === tx) this.#txs.delete(key);
    }
  }

  /** True if no blocks are prefetched. */
  get isEmpty(): boolean {
    return this.#jobs.length === 0;
  }

  /** Drops all blocks and stops running batches. */
  clear(): void {
    this.#epoch++;
    this.#stop.raise();
    this.#stop = new StopFlag();
    for (const job of this.#jobs) this.#ws.jobs.release(job);
    this.#jobs = [];
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
      let job = ws.jobs.find(node);
      if (job?.state.kind !== 'stored') {
        const done = readChecked(ws, node);
        this.#reading = { node, done };
        const block = await done;
        this.#reading = null;
        if (epoch !== this.#epoch) return;
        // The tip has passed the block during the read.
        if (node.prev !== (this.#last ?? ws.active.tip)) continue;
        job = ws.jobs.adopt(node, block);
      }
      this.#add(job, assumed);
    }
    // Start the remaining blocks, although they are few, if the threads have nothing else to do.
    if (this.#running === 0) this.#beginBatch();
  }

  get #isBelowLimits(): boolean {
    if (this.#inputs >= MAX_INPUTS) return false;
    const first = this.#jobs.findIndex(isAhead);
    return first < 0 || this.#jobs.length - first < MAX_BLOCKS;
  }

  /** Blocks of the next batch. */
  get #queued(): BlockJob[] {
    let first = this.#jobs.length;
    while (this.#jobs[first - 1]?.state.kind === 'queued') first--;
    return this.#jobs.slice(first);
  }

  #add(job: BlockJob, assumed: HeaderNode | undefined): void {
    const ws = this.#ws;
    const { node, block } = job;
    const flags = blockScriptFlags(node.prev as HeaderNode, block.hash, ws.params, ws.versionBits);
    const scripts = scriptsReason(ws, node, assumed) !== null;
    const before = this.#jobs[this.#jobs.length - 1]?.state;
    // All blocks of a batch must have the same flags, so start a new batch.
    if (before?.kind === 'queued' && (before.flags !== flags || before.scripts !== scripts)) this.#beginBatch();
    const inputs = countInputs(block);
    job.moveTo({ kind: 'queued', scripts, flags, inputs });
    this.#jobs.push(job);
    this.#inputs += inputs;
    const queued = this.#queued;
    const total = queued.reduce((sum, { state }) => sum + (state.kind === 'queued' ? state.inputs : 0), 0);
    if (total >= GROUP_INPUTS || queued.length >= GROUP_BLOCKS) this.#beginBatch();
  }

  /** Starts one batch with all queued blocks. */
  #beginBatch(): void {
    const group = this.#queued;
    const before = group[0]?.state;
    if (before?.kind !== 'queued') return;
    this.#running++;
    const epoch = this.#epoch;
    const coinsRead = this.#readCoins(group, epoch).catch(() => -1);
    // Check the outputs after the coins were read, because the scripts wait for the coins.
    const outputsLack = coinsRead.then(() => this.#checkOutputsAbsent(group, epoch)).catch(() => false);
    this.#work.add(outputsLack);
    void outputsLack.finally(() => this.#work.delete(outputsLack));
    const scriptsPass = coinsRead
      .then(() => this.#verify(group, before, epoch))
      .catch(() => false)
      .finally(() => {
        this.#running--;
        this.#work.delete(scriptsPass);
        if (this.#running === 0) this.#beginBatch();
      });
    this.#work.add(scriptsPass);
    for (const job of group) job.moveTo({ kind: 'prefetched', results: { coinsRead, outputsLack, scriptsPass } });
  }

  /**
   * Reads the coins that no prefetched block creates, usually all in one read.
   * @returns see Prefetched.coinsRead
   */
  async #readCoins(group: readonly BlockJob[], epoch: number): Promise<number> {
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

  /** @returns see Prefetched.outputsLack */
  async #checkOutputsAbsent(group: readonly BlockJob[], epoch: number): Promise<boolean> {
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

  /** @param queued state of the blocks before the batch began */
  async #verify(group: readonly BlockJob[], { flags, scripts }: QueuedState, epoch: number): Promise<boolean> {
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

/** Returns whether takeBlock has yet to return the block. */
function isAhead({ state: { kind } }: BlockJob): boolean {
  return kind === 'queued' || kind === 'prefetched';
}

/** Returns the number of inputs of a block without its coinbase. */
function countInputs({ txs }: BlockView): number {
  let inputs = 0;
  for (let t = 1; t < txs.length; t++) inputs += (txs[t] as TxView).inputCount;
  return inputs;
}

/** Returns the first 30 bits of an id, a number that V8 stores without an object. */
function keyOf(bytes: Uint8Array, at: number): number {
  return readU32(bytes, at) >>> 2;
}
