// Many transactions of a wallet: listsinceblock and listtransactions. Both select rows in memory first and fetch bytes
// only of transactions that spent something of ours, in portions, between other work.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { sortInSlices } from '../../lib/sort-in-slices.js';
import { coinsOfAddress } from '../../wallet/coins/coins-of-address.js';
import { RecordPin } from '../../wallet/coins/record-pin.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asBool, asHash, asInt, asString } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { HeaderInfo, NodeContext } from '../node/context.js';
import { notFound } from '../node/lookup.js';
import { Slicer } from '../node/slices.js';
import { JsonBytes } from '../wire/json-bytes.js';
import { Pieces } from '../wire/pieces.js';
import { type JsonResult, type JsonValue, RawBytes, RawJson } from '../wire/values.js';
import { filterOf, given } from './history.js';
import { EntryList, type EntryOptions, HistoryWriter, LONG } from './history-entry.js';
import { labelOf, settledWallet, withSettled } from './select.js';

/** Records whose bytes are fetched together: a trip to the disk's threads each, and a few milliseconds of parsing. */
const PORTION = 1024;
/** Below every depth: entries of blocks that left the chain show whatever became of the transaction. */
const ANY_DEPTH = -100_000_000;

interface Work {
  readonly writer: HistoryWriter;
  readonly options: EntryOptions;
  readonly slicer: Slicer;
  readonly out: JsonBytes;
  /** Called after each entry that is wanted, with the place where it begins. */
  readonly take: (start: number) => unknown;
  /** No more records after this many entries, skipped ones not counted. */
  readonly enough?: number;
  /** So many entries come before the first that is wanted; counted down. */
  readonly skip?: { left: number };
}

/** Hands on the entries of pinned records, in their order. */
async function forEachEntry(wallet: Wallet, pin: RecordPin, work: Work): Promise<void> {
  const { ledger } = wallet;
  const needed = (row: number): boolean => ledger.needsTx(row) || (work.writer.later && !ledger.txs.hasWtxid(row));
  let left = work.enough ?? Number.POSITIVE_INFINITY;
  const portion = (from: number): Promise<(TxView | undefined)[]> =>
    wallet.transactions(Array.from(pin.rows.subarray(from, from + PORTION)), needed);
  let reading = portion(0);
  for (let from = 0; from < pin.size && left > 0; from += PORTION) {
    const txs = await reading;
    // The next bytes come while these are written out.
    if (from + PORTION < pin.size) reading = portion(from + PORTION);
    reading.catch(() => {});
    for (let at = 0; at < txs.length && left > 0; at++) {
      left -= writeRecord(pin, from + at, txs[at], work);
      if (work.slicer.due) await work.slicer.pause();
    }
  }
}

/** Writes what is wanted of a record's entries. @returns how many were */
function writeRecord(pin: RecordPin, i: number, tx: TxView | undefined, { writer, options, out, take, skip }: Work): number {
  if (!skip || skip.left === 0) return writer.entries(pin, i, tx, options, take);
  const count = writer.count(pin, i, tx, options);
  const before = Math.min(count, skip.left);
  skip.left -= before;
  if (before === count) return 0;
  let at = 0;
  writer.entries(pin, i, tx, options, (start) => {
    if (at++ >= before) take(start);
    else out.drop(start);
  });
  return count - before;
}

/** Records looked at in one go. */
const MOST_ROWS = 4096;

/** The next items of an iterator, about as many as are wanted. */
function firstOf(rows: Iterator<number>, wanted: number): number[] {
  const out: number[] = [];
  while (out.length < Math.min(Math.max(wanted, 1), MOST_ROWS)) {
    const next = rows.next();
    if (next.done) break;
    out.push(next.value);
  }
  return out;
}

/** The block both a block and the wallet's tip descend from. */
function forkOf(ctx: NodeContext, node: HeaderInfo): HeaderInfo {
  let at: HeaderInfo = node;
  while (!ctx.chain.contains(at) && at.prev !== null) at = at.prev;
  return at;
}

/** Rows less than `limit` blocks deep either way, in order of txid; all when it is null. */
function rowsSince(wallet: Wallet, limit: number | null): Int32Array {
  const { ledger } = wallet;
  const { txs } = ledger;
  if (limit === null) return txs.inTxidOrder();
  const confirmed = txs.confirmedAbove(ledger.tipHeight + 1 - limit);
  const others: number[] = [];
  for (const row of txs.liveRows()) if (Math.abs(ledger.depth(row)) < limit) others.push(row);
  const rows = Int32Array.from([...others, ...confirmed]);
  return rows.sort((a, b) => txs.compareTxids(a, b));
}

/** A block and where its branch leaves the chain. */
interface Branch {
  readonly from: HeaderInfo;
  readonly forkHeight: number;
}

/** Entries of the wallet's transactions in blocks between a block and the fork, newest block first. */
async function removedEntries(
  ctx: NodeContext,
  wallet: Wallet,
  branch: Branch,
  work: Pick<Work, 'writer' | 'options' | 'slicer' | 'out' | 'take'>,
): Promise<void> {
  const { txs } = wallet.ledger;
  for (let node = branch.from; node.height > branch.forkHeight; node = node.prev!) {
    const unreadable = (): never => fail(RPC_CODE.INTERNAL_ERROR, "Can't read block from disk");
    const block = ctx.chain.hasBlock(node) ? await ctx.chain.readBlock(node).catch(unreadable) : unreadable();
    await wallet.whole();
    const rows = block.txs.map((tx) => txs.find(tx.txid)).filter((row) => row >= 0);
    const options = { ...work.options, minDepth: ANY_DEPTH };
    await forEachEntry(wallet, new RecordPin(wallet.ledger, rows), { ...work, options });
  }
}

export const listsinceblock: Run<NodeContext> = (ctx, args, call) =>
  withSettled(ctx, call, (wallet) => sinceBlock(ctx, wallet, args, call));

/** At once when nothing has happened. */
function sinceBlock(ctx: NodeContext, wallet: Wallet, args: readonly JsonValue[], call: CallInfo): JsonResult | Promise<JsonResult> {
  const { ledger } = wallet;
  let asked: Branch | null = null;
  if (given(args[0]) && asString(args[0]) !== '') {
    const node = ctx.chain.node(asHash(args[0], 'blockhash')) ?? notFound();
    asked = { from: node, forkHeight: forkOf(ctx, node).height };
  }
  const target = given(args[1]) ? asInt(args[1]) : 1;
  if (target < 1) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter');
  const filter = filterOf(wallet, args[2]);
  const includeRemoved = given(args[3]) ? asBool(args[3]) : true;
  const change = given(args[4]) && asBool(args[4]);
  const label = given(args[5]) ? labelOf(asString(args[5])) : null;
  const options = { ...LONG, change, label };

  const { tipHeight } = ledger;
  // From the wallet's own tip: the chain may be ahead of it, on another branch.
  const tip = wallet.tip ?? ctx.chain.genesis;
  const last = tip.ancestor(tipHeight + 1 - Math.min(target, tipHeight + 1)) ?? ctx.chain.genesis;
  const rows = rowsSince(wallet, asked && tipHeight + 1 - asked.forkHeight);
  const left = includeRemoved && asked !== null && asked.from.height > asked.forkHeight ? asked : null;
  if (rows.length === 0 && left === null) {
    return new RawJson(`{"transactions":[]${includeRemoved ? ',"removed":[]' : ''},"lastblock":"${last.hashHex}"}`);
  }
  const out = new JsonBytes();
  const list = new EntryList(out);
  const writer = new HistoryWriter(ctx, wallet, filter, out);
  const work = { writer, slicer: new Slicer(call.breathe), out, take: list.take };
  const write = async (): Promise<JsonResult> => {
    out.text('{"transactions":[');
    await forEachEntry(wallet, new RecordPin(ledger, rows), { ...work, options });
    list.end();
    if (includeRemoved) {
      out.text(',"removed":[');
      if (left !== null) await removedEntries(ctx, wallet, left, { ...work, options });
      list.end();
    }
    out.text(`,"lastblock":"${last.hashHex}"}`);
    return new RawBytes(out.parts());
  };
  return write();
}

export const listtransactions: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  let label: string | null = null;
  if (given(args[0]) && asString(args[0]) !== '*') {
    label = asString(args[0]);
    if (label === '') fail(RPC_CODE.INVALID_PARAMETER, 'Label argument must be a valid label name or "*".');
  }
  const count = given(args[1]) ? asInt(args[1]) : 10;
  const skip = given(args[2]) ? asInt(args[2]) : 0;
  const filter = filterOf(wallet, args[3]);
  if (count < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Negative count');
  if (skip < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Negative from');
  const slicer = new Slicer(call.breathe);
  const { txs } = wallet.ledger;
  const newest = label === null ? txs.newestFirst() : (await rowsOfLabel(wallet, label, slicer)).values();
  // Newest first until there are enough; shown the other way round.
  const found: string[] = [];
  const skipped = { left: skip };
  const out = new JsonBytes();
  const take = (start: number): void => {
    found.push(out.take(start));
  };
  const writer = new HistoryWriter(ctx, wallet, filter, out);
  const work = { writer, slicer, options: { ...LONG, label }, out, take, skip: skipped };
  const missing = (): number => skipped.left + count - found.length;
  for (let rows = firstOf(newest, missing()); rows.length > 0 && missing() > 0; rows = firstOf(newest, missing())) {
    await forEachEntry(wallet, new RecordPin(wallet.ledger, rows), { ...work, enough: count - found.length });
  }
  const pieces = new Pieces(',');
  for (const entry of found.slice(0, count).reverse()) pieces.add(entry);
  return new RawJson(`[${pieces.text()}]`);
};

/** Records that pay an address of a label, newest arrival first. */
async function rowsOfLabel(wallet: Wallet, label: string, slicer: Slicer): Promise<number[]> {
  const { coins, txs } = wallet.ledger;
  const rows = new Set<number>();
  for (const row of wallet.book.rowsOf(label)) {
    for (const coin of coinsOfAddress(wallet, wallet.book.scriptAt(row))) rows.add(coins.txRow(coin));
    if (slicer.due) await slicer.pause();
  }
  return sortInSlices([...rows], (a, b) => txs.order(b) - txs.order(a), slicer);
}
