// Requests a selection of transactions from the assembler, and resynchronises its mirror if it was lost.

import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import { ASSEMBLE_VERSION, type AssembleReply, type AssemblyMode, type MirrorDelta } from '../jobs/assemble-messages.js';
import { maxEncodedBytes } from '../jobs/encode-transactions.js';
import { TimeSlice } from '../lib/time-slice.js';
import type { Assembler } from '../parallel/assembler.js';
import { RESERVED_SIGOPS } from '../selection/index.js';
import { ChosenRecords, NO_RECORDS } from './chosen-records.js';
import { MirrorFeed } from './mirror-feed.js';
import type { TransactionSource } from './source.js';
import type { TipFacts } from './tip-facts.js';

/** Weight of the smallest possible transaction; limits the number that fits into a block. */
const MIN_TX_WEIGHT = 240;

/** Limits of one selection. */
export interface AssemblyLimits {
  /** Maximum weight of the block, including reservedWeight. The caller keeps it within the consensus limit. */
  readonly maxWeight: number;
  /** Weight reserved for header and coinbase. */
  readonly reservedWeight: number;
  /** Least fee rate of a selected package, in satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  readonly mode: AssemblyMode;
  /** Limit of the block's sigop cost, including the coinbase's. Default: the consensus limit. */
  readonly maxSigops?: number;
  /** Txids to exclude, together with all their descendants. */
  readonly exclude?: readonly Uint8Array[];
  /** True for a template for one client: order and encoding of the shared template stay unchanged. */
  readonly apart?: boolean;
  /** True if the merkle branch is needed. Mode live always computes it for encoded templates. */
  readonly branch?: boolean;
}

export interface ChosenTransactions {
  readonly records: ChosenRecords;
  readonly fees: number;
  /** Weight of the block, including the reserve for header and coinbase. */
  readonly weight: number;
  /** Sigop cost, including the coinbase's reserve. */
  readonly sigops: number;
  /** The lowest fee rate of a selected package. */
  readonly cut: AssembleReply['cut'];
  /** Serial of the newest transaction that the selection knew. */
  readonly youngest: number;
  /** Root of the witness merkle tree, 32 bytes. */
  readonly witnessRoot: Uint8Array;
  /** Merkle branch of the coinbase, lowest sibling first; empty if not requested. */
  readonly merkleBranch: readonly Uint8Array[];
  /** Length of the encoded JSON array. */
  readonly encodedLength: number;
  readonly selectMs: number;
  readonly encodeMs: number;
}

/**
 * Returns a selection without transactions, whose witness tree has the coinbase's zero leaf only.
 * @param reservedWeight weight of such a block
 * @param youngest serial of the newest transaction that exists
 */
export function nothingChosen(reservedWeight: number, youngest = 0): ChosenTransactions {
  return {
    records: NO_RECORDS,
    fees: 0,
    weight: reservedWeight,
    sigops: RESERVED_SIGOPS,
    cut: null,
    youngest,
    witnessRoot: new Uint8Array(32),
    merkleBranch: [],
    encodedLength: 0,
    selectMs: 0,
    encodeMs: 0,
  };
}

/** The assembler broke a rule; the message says which. */
export class AssemblyFault extends Error {
  readonly code = 'ASSEMBLY_FAULT';
  constructor(message: string) {
    super(message);
    this.name = 'AssemblyFault';
  }
}

export class Assembly {
  readonly #assembler: Assembler;
  readonly #source: TransactionSource;
  readonly #feed: MirrorFeed;
  #resyncs = 0;

  /** @param instance a number that no other user of this assembler has */
  constructor(assembler: Assembler, source: TransactionSource, instance: number) {
    this.#assembler = assembler;
    this.#source = source;
    this.#feed = new MirrorFeed(source.records, instance, (delta) => this.#emptyMirror(delta));
  }

  /** Number of full copies sent after the first one. */
  get resyncs(): number {
    return this.#resyncs;
  }
  get arenaBytes(): number {
    return this.#source.records.arena.reservedBytes;
  }

  /** Returns a size that suffices for the encoding of any selection made now. */
  encodedBound({ maxWeight }: AssemblyLimits): number {
    const count = Math.min(this.#source.size, Math.ceil(maxWeight / MIN_TX_WEIGHT));
    return maxEncodedBytes(count, Math.min(this.#source.records.txBytes, maxWeight));
  }

  /**
   * Collects the changes that the assembler does not know yet, in slices if there are many. Call it as early as
   * possible before a selection.
   * @returns undefined if there is nothing to wait for
   */
  prepare(): Promise<void> | undefined {
    const slice = new TimeSlice();
    return this.#feed.prepare(() => slice.next());
  }

  /**
   * Selects from the current candidates.
   * @param output buffer for the encoding; null if it is not needed
   * @throws AssemblyFault
   */
  async choose(tip: TipFacts, limits: AssemblyLimits, output: SharedArrayBuffer | null): Promise<ChosenTransactions> {
    this.#feed.requestStarted();
    try {
      let youngest = this.#source.records.lastSerial;
      let reply = await this.#request(tip, limits, output, this.#feed.delta(false));
      if (reply.status === 'resync') {
        this.#resyncs++;
        youngest = this.#source.records.lastSerial;
        reply = await this.#request(tip, limits, output, this.#feed.delta(true));
      }
      if (reply.status !== 'done') throw new AssemblyFault(`block assembly failed: ${reply.status} ${reply.problem}`);
      const records = new ChosenRecords(this.#source.records, reply.slots);
      this.#feed.acknowledge(reply.sequence);
      const { fees, weight, sigops, cut, witnessRoot, merkleBranch, encodedLength, selectMs, encodeMs } = reply;
      return { records, fees, weight, sigops, cut, youngest, witnessRoot, merkleBranch, encodedLength, selectMs, encodeMs };
    } finally {
      this.#feed.requestEnded();
    }
  }

  /**
   * Empties the mirror, after a long time without requests in which many transactions left. If this message is lost,
   * the next selection sends a full copy.
   */
  #emptyMirror(delta: MirrorDelta): void {
    const limits: AssemblyLimits = { maxWeight: 0, reservedWeight: 0, minFeeRate: 0, mode: 'core' };
    this.#request({ height: 0, lockTimeCutoff: 0, segwitActive: true }, limits, null, delta).catch(() => {});
  }

  /** Returns the rows of those txids that are candidates now. */
  #rowsOf(txids: readonly Uint8Array[]): Int32Array {
    return Int32Array.from(txids.map((txid) => this.#source.records.find(txid)).filter((row) => row >= 0));
  }

  #request(
    tip: Pick<TipFacts, 'height' | 'lockTimeCutoff' | 'segwitActive'>,
    limits: AssemblyLimits,
    output: SharedArrayBuffer | null,
    delta: MirrorDelta,
  ): Promise<AssembleReply> {
    return this.#assembler.assemble({
      version: ASSEMBLE_VERSION,
      delta,
      height: tip.height,
      lockTimeCutoff: tip.lockTimeCutoff,
      segwitActive: tip.segwitActive,
      maxWeight: limits.maxWeight,
      reservedWeight: limits.reservedWeight,
      mode: limits.mode,
      branch: limits.branch ?? (limits.mode === 'live' && output !== null),
      minFeeRate: limits.minFeeRate,
      maxSigops: limits.maxSigops ?? MAX_BLOCK_SIGOPS_COST,
      excluded: this.#rowsOf(limits.exclude ?? []),
      apart: limits.apart === true,
      output,
    });
  }
}
