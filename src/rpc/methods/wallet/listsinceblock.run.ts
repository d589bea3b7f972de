// Runs listsinceblock.
import { parseBlock } from '../../../consensus/block/block-view.js';
import { equalBytes } from '../../../consensus/bytes/hex.js';
import { RecordPin } from '../../../wallet/coins/record-pin.js';
import type { BlockFacts } from '../../../wallet/node-client.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { asBool, asHash, asInt, asString } from '../../args.js';
import type { WalletContext } from '../../context/wallet.js';
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
  readonly from: BlockFacts;
  readonly forkHeight: number;
}

/** Most who ask have seen everything up to the wallet's tip, of which the node need not be asked. */
async function branchOf({ client }: WalletContext, { tip }: Wallet, hash: Uint8Array): Promise<Branch> {
  if (tip !== null && equalBytes(tip.hash, hash)) return { from: tip, forkHeight: tip.height };
  const { block, inChain } = (await client.block(hash)) ?? notFound();
  return { from: block, forkHeight: inChain ? block.height : ((await client.forkOf(hash))?.height ?? 0) };
}

/** Entries of the wallet's transactions in blocks between a block and the fork, newest block first. */
async function removedEntries(
  ctx: WalletContext,
  wallet: Wallet,
  branch: Branch,
  work: Pick<Work, 'writer' | 'options' | 'slicer' | 'out' | 'take'>,
): Promise<void> {
  const { txs } = wallet.ledger;
  const unreadable = (): never => fail(RPC_CODE.INTERNAL_ERROR, "Can't read block from disk");
  for (let { hash, height } = branch.from; height > branch.forkHeight; height--) {
    const block = parseBlock(await ctx.client.readBlock(hash).catch(unreadable), ctx.crypto);
    hash = block.header.prevHash;
    const rows = block.txs.map((tx) => txs.find(tx.txid)).filter((row) => row >= 0);
    const options = { ...work.options, minDepth: ANY_DEPTH };
    await forEachEntry(wallet, new RecordPin(wallet.ledger, rows), { ...work, options });
  }
}

export const listsinceblock: Run<WalletContext> = (ctx, args, call) =>
  withSettled(ctx, call, (wallet) => sinceBlock(ctx, wallet, args, call));

async function sinceBlock(ctx: WalletContext, wallet: Wallet, args: readonly JsonValue[], call: CallInfo): Promise<JsonResult> {
  const { ledger } = wallet;
  const asked = given(args[0]) && asString(args[0]) !== '' ? await branchOf(ctx, wallet, asHash(args[0], 'blockhash')) : null;
  const target = given(args[1]) ? asInt(args[1]) : 1;
  if (target < 1) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter');
  const filter = filterOf(wallet, args[2]);
  const includeRemoved = given(args[3]) ? asBool(args[3]) : true;
  const change = given(args[4]) && asBool(args[4]);
  const label = given(args[5]) ? labelOf(asString(args[5])) : null;
  const options = { ...LONG, change, label };

  // From the wallet's own tip: the chain may be ahead of it, on another branch.
  const tip = wallet.tip ?? ctx.client.genesis;
  const { tipHeight } = ledger;
  const rows = rowsSince(wallet, asked && tipHeight + 1 - asked.forkHeight);
  const pin = new RecordPin(ledger, rows);
  const last = target === 1 ? tip : ((await ctx.client.ancestor(tip.hash, Math.max(0, tipHeight + 1 - target))) ?? ctx.client.genesis);
  const left = includeRemoved && asked !== null && asked.from.height > asked.forkHeight ? asked : null;
  if (rows.length === 0 && left === null) {
    return new RawJson(`{"transactions":[]${includeRemoved ? ',"removed":[]' : ''},"lastblock":"${last.hashHex}"}`);
  }
  const out = new JsonBytes();
  const list = new EntryList(out);
  const writer = new HistoryWriter(ctx, wallet, filter, out);
  const work = { writer, slicer: new Slicer(call.breathe), out, take: list.take };
  out.text('{"transactions":[');
  await forEachEntry(wallet, pin, { ...work, options });
  list.end();
  if (includeRemoved) {
    out.text(',"removed":[');
    if (left !== null) await removedEntries(ctx, wallet, left, { ...work, options });
    list.end();
  }
  out.text(`,"lastblock":"${last.hashHex}"}`);
  return new RawBytes(out.parts());
}
