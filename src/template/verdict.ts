// Explains why a transaction is or is not in the current template, from the figures of the template and of the mempool
// now. Runs on the node thread without a build and without waiting. Considers the transaction, its cluster (at most 100
// transactions), and searches the template's list once.
import { feeForSize } from '../policy/fee-rate.js';
import {
  adjustedWeightOf,
  ancestorOrder,
  chunksOf,
  clusterGraph,
  compareFeeFractions,
  type PackageRate,
  SpanningForest,
} from '../selection/index.js';
import type { ChosenRecords } from './chosen-records.js';
import type { TemplateMode } from './options.js';
import type { CandidateRecords } from './source.js';

/** Largest cluster that is ordered here. Larger ones would take too long on the node thread. */
const MOST_ROWS = 100;
/** Limit of node visits: some tenths of a millisecond. Ordinary clusters are optimal well before. */
const ORDER_COST = 30_000;
/** A block with less free weight than this counts as full: small transactions that happen to fit fill its end. */
const FULL_WEIGHT = 8_000;
const WITNESS_SCALE = 4;
/** Lock times below this are heights. */
const LOCKTIME_THRESHOLD = 500_000_000;

export interface VerdictTemplate {
  readonly records: ChosenRecords;
  readonly mode: TemplateMode;
  /** True if transactions were omitted for now. */
  readonly empty: boolean;
  /** Height of the block, and the median time past to which BIP-0113 compares lock times. */
  readonly height: number;
  readonly lockTimeCutoff: number;
  readonly segwitActive: boolean;
  /** Weight and sigop cost that the block uses, including the reserve for the coinbase, and their limits. */
  readonly weight: number;
  readonly maxWeight: number;
  readonly sigops: number;
  readonly maxSigops: number;
  /** Least fee rate of a selected package, in satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  readonly cut: PackageRate | null;
  /** Serial of the newest transaction that the selection knew. */
  readonly youngest: number;
}

/** Transactions that are taken together, without those that the template has already. */
export interface VerdictPackage extends PackageRate {
  /** Txids of the transactions, 32 bytes each in internal order, parents first. */
  readonly txids: readonly Uint8Array[];
}

/**
 * included: with its position, from 1. absent: neither in the template nor in the mempool. pending: the next build
 * decides (`reason`: empty-template, newer, changed). filtered: excluded by a rule (`reason`: non-final,
 * premature-witness, blockmintxfee, prioritised). below-cut: pays less than the last selected package, by
 * `missingSats`. `no-room`: pays enough but does not fit (`reason`: weight, sigops). large-cluster: not examined.
 */
export type TemplateVerdict =
  | { readonly verdict: 'included'; readonly position: number }
  | { readonly verdict: 'absent' | 'large-cluster' }
  | { readonly verdict: 'pending'; readonly reason: 'empty-template' | 'newer' | 'changed'; readonly pack?: VerdictPackage }
  | {
      readonly verdict: 'filtered';
      readonly reason: 'non-final' | 'premature-witness' | 'blockmintxfee' | 'prioritised';
      readonly pack: VerdictPackage;
    }
  | { readonly verdict: 'below-cut'; readonly missingSats: bigint; readonly pack: VerdictPackage }
  | { readonly verdict: 'no-room'; readonly reason: 'weight' | 'sigops'; readonly pack: VerdictPackage };

/** @param txid internal order */
export function templateVerdict(records: CandidateRecords, template: VerdictTemplate, txid: Uint8Array): TemplateVerdict {
  const row = records.find(txid);
  const { rows } = records;
  const position = row < 0 ? template.records.positionOf(txid) : template.records.positionOfSerial(rows.serial[row]);
  if (position >= 0) return { verdict: 'included', position: position + 1 };
  if (row < 0) return { verdict: 'absent' };
  if (template.empty) return { verdict: 'pending', reason: 'empty-template' };
  // Serials wrap around after about four thousand million.
  if (((rows.serial[row] - template.youngest) | 0) > 0) return { verdict: 'pending', reason: 'newer' };
  return new VerdictCheck(records, template).verdictOf(row);
}

class VerdictCheck {
  readonly #records: CandidateRecords;
  readonly #template: VerdictTemplate;
  readonly #inTemplate = new Map<number, boolean>();

  constructor(records: CandidateRecords, template: VerdictTemplate) {
    this.#records = records;
    this.#template = template;
  }

  verdictOf(row: number): TemplateVerdict {
    const needed = this.#ancestry([row]);
    if (needed === null) return { verdict: 'large-cluster' };
    const members = this.#template.mode === 'core' ? needed : (this.#chunk(row) ?? needed);
    const all = members === needed ? needed : (this.#ancestry(members) ?? members);
    const pack = this.#package(members);
    const barred = this.#barred(all);
    if (barred !== null) return { verdict: 'filtered', reason: barred, pack };
    const { rows } = this.#records;
    const vsize = sum(members, rows.size);
    const least = feeForSize(this.#template.minFeeRate, vsize);
    if (pack.fee < least) {
      const reason = sum(members, rows.fee) >= least ? 'prioritised' : 'blockmintxfee';
      return { verdict: 'filtered', reason, pack };
    }
    return this.#against(pack, all);
  }

  /** Compares a package with the cut and with the free space. */
  #against(pack: VerdictPackage, all: readonly number[]): TemplateVerdict {
    const { cut, weight, maxWeight, sigops, maxSigops, mode } = this.#template;
    const { rows } = this.#records;
    const core = mode === 'core';
    // Core 0.21 counts virtual bytes and never fills a block to its last unit.
    const heavier = weight + (core ? WITNESS_SCALE * sum(all, rows.size) : sum(all, rows.weight)) - maxWeight;
    const more = sigops + sum(all, rows.sigopCost) - maxSigops;
    const fitsWeight = mode === 'live' ? heavier <= 0 : heavier < 0;
    const fitsSigops = mode === 'live' ? more <= 0 : more < 0;
    const fits = fitsWeight && fitsSigops;
    const below = cut !== null && compareFeeFractions(pack.fee, pack.size, cut.fee, cut.size) < 0;
    if (below && (!fits || maxWeight - weight < FULL_WEIGHT)) {
      return { verdict: 'below-cut', missingSats: missingSats(pack, cut), pack };
    }
    if (!fits) return { verdict: 'no-room', reason: fitsWeight ? 'sigops' : 'weight', pack };
    return { verdict: 'pending', reason: 'changed', pack };
  }

  #has(row: number): boolean {
    let found = this.#inTemplate.get(row);
    if (found === undefined) {
      found = this.#template.records.positionOfSerial(this.#records.rows.serial[row]) >= 0;
      this.#inTemplate.set(row, found);
    }
    return found;
  }

  /** Returns these rows and their ancestors that the template lacks, parents first; null if there are too many. */
  #ancestry(start: readonly number[]): number[] | null {
    const { links, rows } = this.#records;
    const found = new Set(start);
    for (const row of found) {
      for (const parent of links.parents(row)) if (!this.#has(parent)) found.add(parent);
      if (found.size > MOST_ROWS) return null;
    }
    return [...found].sort((a, b) => rows.ancestorCount[a] - rows.ancestorCount[b]);
  }

  /** Returns the row's chunk in the part of its cluster that the template lacks; null if that part is too large. */
  #chunk(row: number): number[] | null {
    const { links, rows } = this.#records;
    const places = new Map([[row, 0]]);
    for (const member of places.keys()) {
      for (const list of [links.parents(member), links.children(member)]) {
        for (const relative of list) if (!places.has(relative) && !this.#has(relative)) places.set(relative, places.size);
      }
      if (places.size > MOST_ROWS) return null;
    }
    const members = [...places.keys()];
    if (members.length === 1) return members;
    const graph = clusterGraph(
      members.map((member) => rows.modifiedFee[member]),
      members.map((member) => adjustedWeightOf(rows.size[member], rows.weight[member])),
      members.map((member) =>
        links
          .parents(member)
          .map((parent) => places.get(parent))
          .filter((place) => place !== undefined),
      ),
    );
    const forest = new SpanningForest(graph, ancestorOrder(graph));
    forest.improve(ORDER_COST);
    const order = Array.from(forest.order(), (place) => members[place]);
    let end = 0;
    for (const { count } of chunksOf(graph, forest.order())) {
      const chunk = order.slice(end, end + count);
      if (chunk.includes(row)) return chunk;
      end += count;
    }
    return null;
  }

  #package(members: readonly number[]): VerdictPackage {
    const { rows, arena } = this.#records;
    const core = this.#template.mode === 'core';
    let size = 0;
    for (const row of members) size += core ? WITNESS_SCALE * rows.size[row] : adjustedWeightOf(rows.size[row], rows.weight[row]);
    const txids = members.map((row) => arena.bytesOf(row).slice(rows.offset[row], rows.offset[row] + 32));
    return { txids, fee: sum(members, rows.modifiedFee), size };
  }

  #barred(members: readonly number[]): 'non-final' | 'premature-witness' | null {
    const { rows } = this.#records;
    const { height, lockTimeCutoff, segwitActive } = this.#template;
    for (const row of members) {
      const lock = rows.lockTime[row];
      if (lock !== 0 && lock >= (lock < LOCKTIME_THRESHOLD ? height : lockTimeCutoff)) return 'non-final';
      if (!segwitActive && rows.hasWitness(row)) return 'premature-witness';
    }
    return null;
  }
}

function sum(members: readonly number[], column: ArrayLike<number>): number {
  let total = 0;
  for (const row of members) total += column[row];
  return total;
}

/** Returns the least fee that raises a package's rate to the cut's. */
function missingSats(pack: PackageRate, cut: PackageRate): bigint {
  const needed = BigInt(cut.fee) * BigInt(pack.size);
  const size = BigInt(cut.size);
  return (needed + size - 1n) / size - BigInt(pack.fee);
}
