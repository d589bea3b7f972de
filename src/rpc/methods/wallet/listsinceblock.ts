import { parseBlock } from '../../../consensus/block/block-view.js';
import { equalBytes } from '../../../consensus/bytes/hex.js';
import { type BlockFacts, RecordSnapshot, sameBlock, type Wallet } from '../../../wallet/index.js';
import { asHash } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { entryMembers, includeWatchOnlyArg } from '../../declare/history-parts.js';
import { declare, type ParametersOf } from '../../declare/parameters.js';
import { arr, bool, elision, hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound } from '../../node/lookup.js';
import { filterOf } from '../../wallet/history.js';
import { EntryList, HistoryWriter, LONG } from '../../wallet/history-entry.js';
import { forEachEntry, type Work } from '../../wallet/history-list.js';
import { labelOf, withSettled } from '../../wallet/select.js';
import { JsonBytes } from '../../wire/json-bytes.js';
import { type JsonResult, RawBytes, RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'listsinceblock',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the transactions since a block. The reply names the block for the next call.',
  args: [
    str('blockhash?', 'Hash of the block after which to list transactions. If omitted, all transactions are listed'),
    num('target_confirmations', 'lastblock of the reply is the block with this number of confirmations', { default: '1' }),
    includeWatchOnlyArg,
    bool('include_removed', 'Include transactions of blocks that have been disconnected since', { default: 'true' }),
    bool('include_change', 'Include change outputs', { since: 24, default: 'false' }),
    str('label?', 'Return only outputs to addresses of this label', { since: 25 }),
  ],
  results: [
    obj([
      arr('transactions', 'Outputs', [obj(entryMembers(true))]),
      arr('removed?', 'Transactions of disconnected blocks, newest block first', [elision({ of: [obj(entryMembers(true))] })]),
      hex('lastblock', 'The block for the next call'),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    {
      cli: '"000000000000000bacf66f7497b7dc45ef753ee9a7d38571037cdb1a57f663ad" 6',
      rpc: '"000000000000000bacf66f7497b7dc45ef753ee9a7d38571037cdb1a57f663ad", 6',
    },
  ],
});

/** Lower than any depth, so that entries of removed blocks are shown whatever happened to the transaction since. */
const ANY_DEPTH = -100_000_000;

/**
 * Returns the rows whose depth is less than `limit` in either direction, in txid order; all rows if `limit` is null.
 */
function rowsSince(wallet: Wallet, limit: number | null): Int32Array {
  const { ledger } = wallet;
  const { txs } = ledger;
  if (limit === null) return txs.inTxidOrder();
  const confirmed = txs.confirmedAbove(ledger.tipHeight + 1 - limit);
  const others: number[] = [];
  for (const row of txs.rowsOutsideChain()) if (Math.abs(ledger.depth(row)) < limit) others.push(row);
  const rows = Int32Array.from([...others, ...confirmed]);
  return rows.sort((a, b) => txs.compareTxids(a, b));
}

/** A block, and the height at which its branch diverges from the wallet's chain. */
interface Branch {
  readonly from: BlockFacts;
  readonly forkHeight: number;
}

/** The content of a reply, all at the same tip of the wallet. */
interface Selection {
  readonly asked: Branch | null;
  readonly tip: BlockFacts;
  readonly pin: RecordSnapshot;
}

function select({ client }: WalletContext, wallet: Wallet, asked: Branch | null): Selection {
  const { ledger } = wallet;
  const rows = rowsSince(wallet, asked && ledger.tipHeight + 1 - asked.forkHeight);
  return { asked, tip: wallet.tip ?? client.genesis, pin: new RecordSnapshot(ledger, rows) };
}

/**
 * Selects the records since a block. Repeats until the wallet's chain did not change while the node determined the
 * fork: the node may be ahead of the wallet, on another branch.
 */
async function selectSince(ctx: WalletContext, wallet: Wallet, hash: Uint8Array): Promise<Selection> {
  const { client } = ctx;
  for (;;) {
    const { disconnects } = wallet.position;
    const tip = wallet.tip ?? client.genesis;
    // Most clients ask for what follows the wallet's tip, for which the node is not needed.
    if (equalBytes(tip.hash, hash)) return select(ctx, wallet, { from: tip, forkHeight: tip.height });
    const { block, shared } = (await client.fork(hash, tip.hash)) ?? notFound();
    // Blocks that were connected meanwhile do not move a fork below the old tip.
    const isFixed = shared.height < tip.height || sameBlock(wallet.tip, tip);
    if (isFixed && wallet.position.disconnects === disconnects) return select(ctx, wallet, { from: block, forkHeight: shared.height });
  }
}

/** Writes the entries of the wallet's transactions in the blocks above the fork, newest block first. */
async function removedEntries(
  ctx: WalletContext,
  wallet: Wallet,
  branch: Branch,
  work: Pick<Work, 'writer' | 'options' | 'out' | 'onEntry'>,
): Promise<void> {
  const { txs } = wallet.ledger;
  const unreadable = (): never => fail(RPC_CODE.INTERNAL_ERROR, "Can't read block from disk");
  for (let { hash, height } = branch.from; height > branch.forkHeight; height--) {
    const block = parseBlock(await ctx.client.readBlock(hash).catch(unreadable), ctx.crypto);
    hash = block.header.prevHash;
    const rows = block.txs.map((tx) => txs.find(tx.txid)).filter((row) => row >= 0);
    const options = { ...work.options, minDepth: ANY_DEPTH };
    await forEachEntry(wallet, new RecordSnapshot(wallet.ledger, rows), { ...work, options });
  }
}

export const listsinceblock: WalletRun<typeof spec> = (params, ctx, call) =>
  withSettled(ctx, call, (wallet) => sinceBlock(ctx, wallet, params));

async function sinceBlock(ctx: WalletContext, wallet: Wallet, params: ParametersOf<typeof spec>): Promise<JsonResult> {
  const { blockhash = '' } = params;
  const { asked, tip, pin } = blockhash === '' ? select(ctx, wallet, null) : await selectSince(ctx, wallet, asHash(blockhash, 'blockhash'));
  const { target_confirmations: target } = params;
  if (target < 1) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter');
  const filter = filterOf(wallet, params.include_watchonly);
  const { include_removed: includeRemoved, include_change: change } = params;
  const label = params.label === undefined ? null : labelOf(params.label);
  const options = { ...LONG, change, label };

  const last = target === 1 ? tip : ((await ctx.client.ancestor(tip.hash, Math.max(0, pin.tipHeight + 1 - target))) ?? ctx.client.genesis);
  const left = includeRemoved && asked !== null && asked.from.height > asked.forkHeight ? asked : null;
  if (pin.size === 0 && left === null) {
    return new RawJson(`{"transactions":[]${includeRemoved ? ',"removed":[]' : ''},"lastblock":"${last.hashHex}"}`);
  }
  const out = new JsonBytes();
  const list = new EntryList(out);
  const writer = new HistoryWriter(ctx, wallet, filter, out);
  const work = { writer, out, onEntry: list.onEntry };
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
