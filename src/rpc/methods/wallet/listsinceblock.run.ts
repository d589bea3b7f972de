// Runs listsinceblock.
import { RecordPin } from '../../../wallet/coins/record-pin.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { asBool, asHash, asInt, asString } from '../../args.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext } from '../../context/node.js';
import type { CallInfo, Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound } from '../../node/lookup.js';
import { Slicer } from '../../node/slices.js';
import { filterOf, given } from '../../wallet/history.js';
import { EntryList, HistoryWriter, LONG } from '../../wallet/history-entry.js';
import { forEachEntry, type Work } from '../../wallet/history-list.js';
import { labelOf, withSettled } from '../../wallet/select.js';
import { JsonBytes } from '../../wire/json-bytes.js';
import { type JsonResult, type JsonValue, RawBytes, RawJson } from '../../wire/values.js';

/** Below every depth: entries of blocks that left the chain show whatever became of the transaction. */
const ANY_DEPTH = -100_000_000;

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
