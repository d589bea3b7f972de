// Writes the mempool as JSON: all ids, all entries, or the fee-rate diagram. Runs on the node thread for few
// transactions, and on render threads for many.
import {
  ChunkFinder,
  collectAncestors,
  FLAG,
  type PoolCopy,
  type PoolTables,
  sortedChunks,
  sortedRows,
  tablesOf,
} from '../../mempool/index.js';
import { shows } from '../../policy/compat.js';
import type { TextForm, TextStyle } from '../context/mempool.js';
import { ENTRY_MEMBERS } from '../declare/members.js';
import { objectShaper } from '../declare/versions.js';
import { hashHex } from '../render/hex.js';
import { JsonBytes } from '../wire/json-bytes.js';

export interface TextOrder {
  readonly form: TextForm;
  /** Rows to write, in this order; null for the whole mempool. */
  readonly rows: Int32Array | null;
  readonly sequence: number;
}

/** Message of a job that writes a text. */
export interface TextJob extends TextOrder {
  readonly copy: PoolCopy;
  readonly style: TextStyle;
}

/** Runs a job. @returns the text, in shared memory */
export function runTextJob({ copy, style, ...order }: TextJob): Uint8Array {
  return sharedText(writeText(tablesOf(copy), order, style));
}

/** Returns all rows in getrawmempool's order, for a snapshot. */
export const runSortJob = ({ copy, byChunks }: { readonly copy: PoolCopy; readonly byChunks: boolean }): Int32Array =>
  sortedRows(tablesOf(copy), byChunks);

/** Copies a text into shared memory, so that several replies can contain it. */
export function sharedText(json: JsonBytes): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(json.size));
  let at = 0;
  for (const part of json.parts()) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Writes a text about the mempool. */
export function writeText(pool: PoolTables, { form, rows, sequence }: TextOrder, style: TextStyle): JsonBytes {
  const json = new JsonBytes();
  const finder = new ChunkFinder(pool);
  if (form === 'diagram') {
    writeDiagram(json, pool, finder);
    return json;
  }
  const list = rows ?? sortedRows(pool, style.byChunks, finder);
  const writeId = (row: number): void => {
    const from = pool.rows.offset[row];
    json.hash(pool.records.arena.bytesOf(row).subarray(from, from + ID_BYTES));
  };
  const writer = form === 'entries' ? new EntryWriter(json, pool, finder, style) : null;
  json.text(form === 'sequence' ? '{"txids":[' : writer === null ? '[' : '{');
  for (let i = 0; i < list.length; i++) {
    json.beginEntry();
    if (i > 0) json.text(',');
    writeId(list[i]);
    if (writer !== null) {
      json.text(':');
      writer.write(list[i]);
    }
  }
  json.text(form === 'sequence' ? `],"mempool_sequence":${sequence}}` : writer === null ? ']' : '}');
  return json;
}

export function writeEntry(pool: PoolTables, row: number, style: TextStyle): JsonBytes {
  const json = new JsonBytes();
  new EntryWriter(json, pool, new ChunkFinder(pool), style).write(row);
  return json;
}

/** Writes cumulative fees and weights over all chunks, best first. */
function writeDiagram(json: JsonBytes, pool: PoolTables, finder: ChunkFinder): void {
  let [fee, weight] = [0, 0];
  json.text('[{"weight":0,"fee":0.00000000}');
  for (const chunk of sortedChunks(pool, finder)) {
    json.beginEntry();
    json.text(',{"weight":');
    json.int((weight += chunk.weight));
    json.text(',"fee":');
    json.amount((fee += chunk.fee));
    json.text('}');
  }
  json.text(']');
}

const ID_BYTES = 32;
/** Names of all members in the order of 0.21. `fees` is an object. */
const FEES = ['base', 'modified', 'ancestor', 'descendant', 'chunk'] as const;
const MEMBERS = [
  ...(['fees', 'vsize_adjusted', 'vsize', 'vsize_bip141', 'weight', 'fee', 'modifiedfee', 'time', 'height'] as const),
  ...(['descendantcount', 'descendantsize', 'descendantfees', 'ancestorcount', 'ancestorsize', 'ancestorfees', 'wtxid'] as const),
  ...(['chunkweight', 'depends', 'spentby', 'bip125-replaceable', 'unbroadcast'] as const),
] as const;
type Member = (typeof MEMBERS)[number];
type Fee = (typeof FEES)[number];
/** Members that are columns of the rows: numbers, and amounts in satoshis. */
const INTEGERS: Partial<
  Record<Member | Fee, 'size' | 'weight' | 'time' | 'height' | `${'ancestor' | 'descendant'}${'Count' | 'Size' | 'Fees'}`>
> = {
  vsize_adjusted: 'size',
  vsize: 'size',
  weight: 'weight',
  time: 'time',
  height: 'height',
  descendantcount: 'descendantCount',
  descendantsize: 'descendantSize',
  descendantfees: 'descendantFees',
  ancestorcount: 'ancestorCount',
  ancestorsize: 'ancestorSize',
  ancestorfees: 'ancestorFees',
};
const AMOUNTS: Partial<Record<Member | Fee, 'fee' | 'modifiedFee' | 'ancestorFees' | 'descendantFees'>> = {
  fee: 'fee',
  modifiedfee: 'modifiedFee',
  base: 'fee',
  modified: 'modifiedFee',
  ancestor: 'ancestorFees',
  descendant: 'descendantFees',
};

const labelled = <Name extends string>(names: readonly Name[]): Labels<Name> =>
  names.map((name, i) => [`${i === 0 ? '{' : ','}"${name}":`, name]);

/** Names with the text before each value. */
type Labels<Name> = readonly (readonly [label: string, name: Name])[];
interface Members {
  readonly members: Labels<Member>;
  readonly fees: Labels<Fee>;
}

const known = new WeakMap<TextStyle, Members>();

/** Returns the members of an entry in the order of the release, and those of its fees. */
function membersOf(style: TextStyle): Members {
  const { compat, bip125 } = style;
  let found = known.get(style);
  if (found !== undefined) return found;
  const hidden = new Set<string>([
    ...(shows(compat, { since: 31 }) ? [] : ['chunk', 'chunkweight']),
    ...(bip125 || shows(compat, { until: 32 }) ? [] : ['bip125-replaceable']),
  ]);
  const named = (names: readonly string[]) => Object.fromEntries(names.filter((name) => !hidden.has(name)).map((name) => [name, 0]));
  const all = { ...named(MEMBERS), fees: named(FEES) };
  const shaped = (objectShaper(ENTRY_MEMBERS, compat)?.(all) ?? all) as typeof all;
  found = { members: labelled(Object.keys(shaped) as Member[]), fees: labelled(Object.keys(shaped.fees) as Fee[]) };
  known.set(style, found);
  return found;
}

/** Writes entries. The tables must not change meanwhile. */
class EntryWriter {
  readonly #json: JsonBytes;
  readonly #pool: PoolTables;
  readonly #finder: ChunkFinder;
  readonly #members: Members;

  constructor(json: JsonBytes, pool: PoolTables, finder: ChunkFinder, style: TextStyle) {
    this.#json = json;
    this.#pool = pool;
    this.#finder = finder;
    this.#members = membersOf(style);
  }

  write(row: number): void {
    this.#writeMembers(this.#members.members, row);
  }

  #writeMembers(labels: Labels<Member | Fee>, row: number): void {
    for (const [label, name] of labels) {
      this.#json.text(label);
      this.#writeMember(name, row);
    }
    this.#json.text('}');
  }

  #writeMember(name: Member | Fee, row: number): void {
    const { rows, links } = this.#pool;
    const json = this.#json;
    const integer = INTEGERS[name];
    const amount = AMOUNTS[name];
    if (integer !== undefined) json.int(rows[integer][row]);
    else if (amount !== undefined) json.amount(rows[amount][row]);
    else if (name === 'fees') this.#writeMembers(this.#members.fees, row);
    else if (name === 'chunk') json.amount(this.#finder.chunkOf(row).fee);
    else if (name === 'chunkweight') json.int(this.#finder.chunkOf(row).weight);
    else if (name === 'vsize_bip141') json.int(Math.ceil(rows.weight[row] / 4));
    else if (name === 'wtxid') json.hash(this.#idAt(row, ID_BYTES));
    else if (name === 'depends') this.#writeIds(links.hasParents(row) ? links.parents(row) : NONE, true);
    else if (name === 'spentby') this.#writeIds(links.hasChildren(row) ? links.children(row) : NONE, false);
    else json.text(String(name === 'unbroadcast' ? rows.has(row, FLAG.unbroadcast) : this.#isReplaceable(row)));
  }

  /** @param at offset in the record: txid at 0, wtxid at ID_BYTES */
  #idAt(row: number, at: number): Uint8Array {
    const from = this.#pool.rows.offset[row] + at;
    return this.#pool.records.arena.bytesOf(row).subarray(from, from + ID_BYTES);
  }

  /** Writes a list of txids. @param displayed order them as they are displayed; false: by their bytes */
  #writeIds(list: readonly number[], displayed: boolean): void {
    if (list.length === 0) {
      this.#json.text('[]');
      return;
    }
    const ids = [...list].sort(this.#pool.records.compareIds).map((row) => hashHex(this.#idAt(row, 0)));
    if (displayed) ids.sort();
    this.#json.text(`["${ids.join('","')}"]`);
  }

  /** Returns whether the transaction or an unconfirmed ancestor signals replaceability (BIP-0125). */
  #isReplaceable(row: number): boolean {
    const { rows, links } = this.#pool;
    if (rows.has(row, FLAG.signals)) return true;
    return links.hasParents(row) && [...collectAncestors(links, row)].some((ancestor) => rows.has(ancestor, FLAG.signals));
  }
}

const NONE: readonly number[] = [];
