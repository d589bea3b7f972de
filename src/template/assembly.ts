// Asks the assembler for a choice of transactions and brings its mirror back in step when it lost it. Used by the
// template service.

import { MAX_BLOCK_SIGOPS_COST } from '../consensus/limits.js';
import { ASSEMBLE_VERSION, type AssembleReply, type AssemblyMode, type MirrorDelta } from '../jobs/assemble-messages.js';
import { Slicer } from '../lib/slicer.js';
import type { Assembler } from '../parallel/assembler.js';
import { RESERVED_SIGOPS } from '../selection/ancestor-selection.js';
import { ChosenRecords, NO_RECORDS } from './chosen-records.js';
import { maxEncodedBytes } from './encode/transactions.js';
import { MirrorFeed } from './mirror-feed.js';
import type { TransactionSource } from './source.js';
import type { TipFacts } from './tip-facts.js';

/** Lightest thinkable transaction: bounds how many fit. */
const MIN_TX_WEIGHT = 240;

/** Limits of one assembly. */
export interface AssemblyLimits {
  /** Already clamped. */
  readonly maxWeight: number;
  /** Weight kept free for header and coinbase. */
  readonly reservedWeight: number;
  /** Satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  readonly mode: AssemblyMode;
  /** Sigop cost of the block with the coinbase's; the consensus limit unless given. */
  readonly maxSigops?: number;
  /** Txids that stay out, with all that depends on them. */
  readonly exclude?: readonly Uint8Array[];
  /** For one client: the shared template's order and encoding stay as they are. */
  readonly apart?: boolean;
  /** Whether the merkle branch is wanted; mode live always has it in templates that are encoded. */
  readonly branch?: boolean;
}

/** The transactions of a block. */
export interface ChosenTransactions {
  readonly records: ChosenRecords;
  readonly fees: number;
  /** With the part reserved for header and coinbase. */
  readonly weight: number;
  /** Cost with the coinbase's reserve. */
  readonly sigops: number;
  /** The lowest rate at which a package was taken. */
  readonly cut: AssembleReply['cut'];
  /** Serial of the youngest transaction that the choice knew of. */
  readonly youngest: number;
  /** 32 bytes. */
  readonly witnessRoot: Uint8Array;
  /** From the coinbase up; empty when it wasn't wanted. */
  readonly merkleBranch: readonly Uint8Array[];
  /** Length of the encoded JSON array. */
  readonly encodedLength: number;
  readonly selectMs: number;
  readonly encodeMs: number;
}

/**
 * No transactions: a tree of the coinbase's zero leaf alone.
 * @param reservedWeight what such a block counts as @param youngest serial of the youngest transaction there is
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

/** The assembler broke a promise; the message says which. */
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

  /** Full copies sent after the first. */
  get resyncs(): number {
    return this.#resyncs;
  }
  get arenaBytes(): number {
    return this.#source.records.arena.reservedBytes;
  }

  /** Bytes that are enough for the encoding of any choice made now. */
  encodedBound({ maxWeight }: AssemblyLimits): number {
    const count = Math.min(this.#source.size, Math.ceil(maxWeight / MIN_TX_WEIGHT));
    return maxEncodedBytes(count, Math.min(this.#source.records.txBytes, maxWeight));
  }

  /**
   * Call before a choice, as long ago as it may: gathers what the assembler does not know yet, in slices if that is
   * much. @returns undefined when there is nothing to wait for
   */
  prepare(): Promise<void> | undefined {
    const slicer = new Slicer();
    return this.#feed.prepare(() => slicer.pause());
  }

  /**
   * Chooses from the set as it is now.
   * @param output where the encoding goes; null when it isn't wanted
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
   * There was no request for long, and the mirror keeps much that has left. If this message is lost, the next choice
   * sends a full copy.
   */
  #emptyMirror(delta: MirrorDelta): void {
    const limits: AssemblyLimits = { maxWeight: 0, reservedWeight: 0, minFeeRate: 0, mode: 'core' };
    this.#request({ height: 0, lockTimeCutoff: 0, segwitActive: true }, limits, null, delta).catch(() => {});
  }

  /** Of those that are in the set, at the moment of the delta. */
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
