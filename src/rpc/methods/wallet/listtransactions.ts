import { coinsOfAddress, RecordSnapshot, type Wallet } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { entryMembers, includeWatchOnlyArg } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { arr, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { filterOf } from '../../wallet/history.js';
import { HistoryWriter, LONG } from '../../wallet/history-entry.js';
import { forEachEntry } from '../../wallet/history-list.js';
import { settledWallet } from '../../wallet/select.js';
import { JsonBytes } from '../../wire/json-bytes.js';
import { Pieces } from '../../wire/pieces.js';
import { RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'listtransactions',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the latest transactions, oldest first.',
  args: [
    str('label|dummy?', 'Return only outputs to addresses of this label. "*" means all', { renamed: { since: 29, name: 'label' } }),
    num('count', 'Number of entries', { default: '10' }),
    num('skip', 'Number of newest entries to skip', { default: '0' }),
    includeWatchOnlyArg,
  ],
  results: [arr([obj(entryMembers(true))])],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"*" 20 100', rpc: '"*", 20, 100' },
  ],
});

/** Largest number of records in one step. */
const MOST_ROWS = 4096;

/** Returns about as many items of an iterator as are wanted. */
function firstOf(rows: Iterator<number>, wanted: number): number[] {
  const out: number[] = [];
  while (out.length < Math.min(Math.max(wanted, 1), MOST_ROWS)) {
    const next = rows.next();
    if (next.done) break;
    out.push(next.value);
  }
  return out;
}

export const listtransactions: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  let label: string | null = null;
  if (params.label !== undefined && params.label !== '*') {
    label = params.label;
    if (label === '') fail(RPC_CODE.INVALID_PARAMETER, 'Label argument must be a valid label name or "*".');
  }
  const { count, skip } = params;
  const filter = filterOf(wallet, params.include_watchonly);
  if (count < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Negative count');
  if (skip < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Negative from');
  const { txs } = wallet.ledger;
  const newest = label === null ? txs.newestFirst() : rowsOfLabel(wallet, label).values();
  // Iterate from the newest until there are enough entries; the reply reverses their order.
  const found: string[] = [];
  const skipped = { left: skip };
  const out = new JsonBytes();
  const onEntry = (start: number): void => {
    found.push(out.takeText(start));
  };
  const writer = new HistoryWriter(ctx, wallet, filter, out);
  const work = { writer, options: { ...LONG, label }, out, onEntry, skip: skipped };
  const missing = (): number => skipped.left + count - found.length;
  for (let rows = firstOf(newest, missing()); rows.length > 0 && missing() > 0; rows = firstOf(newest, missing())) {
    await forEachEntry(wallet, new RecordSnapshot(wallet.ledger, rows), { ...work, enough: count - found.length });
  }
  const pieces = new Pieces(',');
  for (const entry of found.slice(0, count).reverse()) pieces.add(entry);
  return new RawJson(`[${pieces.text()}]`);
};

/** Returns the records that pay to an address with a label, newest first. */
function rowsOfLabel(wallet: Wallet, label: string): number[] {
  const { coins, txs } = wallet.ledger;
  const rows = new Set<number>();
  for (const row of wallet.book.rowsOf(label)) {
    for (const coin of coinsOfAddress(wallet, wallet.book.scriptAt(row))) rows.add(coins.txRow(coin));
  }
  return [...rows].sort((a, b) => txs.order(b) - txs.order(a));
}
