import { hashKey } from '../../../consensus/bytes/hex.js';
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { follows, shows } from '../../../policy/compat.js';
import {
  addressedBy,
  creditOf,
  isUnlabelled,
  movementsOf,
  OWNERSHIP,
  type OwnershipFilter,
  RecordSnapshot,
  type Wallet,
} from '../../../wallet/index.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { entryMembers, includeWatchOnlyArg, transactionMembers } from '../../declare/history-parts.js';
import { LAST_PROCESSED, WALLET_TX_MEMBERS } from '../../declare/members.js';
import { declare, type ParametersOf } from '../../declare/parameters.js';
import { amount, arr, bool, elision, hex, obj, str } from '../../declare/parts.js';
import type { CallInfo } from '../../dispatch.js';
import { renderContext } from '../../node/lookup.js';
import { TxWriter, txHex } from '../../render/tx-writer.js';
import { filterOf, unknownId } from '../../wallet/history.js';
import { EntryList, HistoryWriter } from '../../wallet/history-entry.js';
import { KnownAnswers } from '../../wallet/known-answers.js';
import { lastProcessed, withSettled } from '../../wallet/select.js';
import { JsonBytes } from '../../wire/json-bytes.js';
import { encodeJson } from '../../wire/json-write.js';
import { type JsonResult, RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'gettransaction',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns a transaction of the wallet.',
  args: [
    str('txid', 'The transaction', { as: 'hash' }),
    includeWatchOnlyArg,
    bool('verbose', 'Return the decoded transaction too', { default: 'false' }),
  ],
  results: [
    obj([
      amount('amount', 'Change of the balance in BTC, without the fee'),
      amount('fee?', 'Fee (negative). Only for transactions from this wallet'),
      ...transactionMembers,
      arr('details', 'Outputs and inputs that concern the wallet', [obj(entryMembers(false))]),
      hex('hex', 'The transaction'),
      obj('decoded?', 'The transaction, as decoderawtransaction returns it', [elision({ of: WALLET_TX_MEMBERS })]),
      LAST_PROCESSED,
    ]),
  ],
  examples: [
    {
      cli: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0"',
      rpc: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0"',
    },
    {
      cli: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0" true',
      rpc: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0", true',
    },
    {
      cli: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0" false true',
      rpc: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0", false, true',
    },
  ],
});

const SHORT = { minDepth: 0, label: null, long: false };

export const gettransaction: WalletRun<typeof spec> = (params, ctx, call) =>
  withSettled(ctx, call, (wallet) => findTransaction(ctx, wallet, params, call));

/** Cached answers to gettransaction: about 4 MB per wallet. */
const answers = /* @__PURE__ */ new KnownAnswers(2048, 4096);

/** Returns the reply about a transaction; without a promise if the transaction is in memory. */
function findTransaction(
  ctx: WalletContext,
  wallet: Wallet,
  params: ParametersOf<typeof spec>,
  _call: CallInfo,
): JsonResult | Promise<JsonResult> {
  const { txid } = params;
  const filter = filterOf(wallet, params.include_watchonly);
  const { verbose } = params;
  const row = wallet.ledger.txs.find(txid);
  if (row < 0) unknownId();
  // The answer about a confirmed transaction stays valid until the wallet changes. Otherwise it also depends on the
  // mempool.
  const question = !verbose && wallet.ledger.depth(row) > 0 ? `${filter} ${wallet.tip?.hashHex.slice(32)} ${hashKey(txid)}` : null;
  const kept = question !== null && answers.get(wallet, question);
  if (kept) return kept;
  const tx = wallet.reader.readOne(row);
  const finish = (view: TxView, text: string): JsonResult => {
    const isChange = shows(ctx.compat, { since: 31 }) ? (script: Uint8Array) => isChange31(ctx, wallet, script) : undefined;
    const decoded = verbose ? `,"decoded":${new TxWriter(renderContext(ctx)).text(view, isChange)}` : '';
    return new RawJson(`${text}${decoded}${endOf(ctx, wallet)}`);
  };
  const show = (view: TxView | undefined): JsonResult | Promise<JsonResult> => {
    // Fail if the transaction was removed while its bytes were read.
    if (view === undefined || wallet.ledger.txs.find(txid) < 0) return unknownId();
    const text = transactionText(ctx, wallet, view, filter);
    if (typeof text !== 'string') return text.then((written) => finish(view, written));
    return question === null || tx instanceof Promise
      ? finish(view, text)
      : answers.storeAnswer(wallet, question, `${text}${endOf(ctx, wallet)}`);
  };
  return tx instanceof Promise ? tx.then(show) : show(tx);
}

/**
 * Returns whether a script is change as release 31 defines it: a bare key has no address, so it has no label either.
 */
const isChange31 = (ctx: WalletContext, wallet: Wallet, script: Uint8Array): boolean =>
  wallet.keys.isMine(script) !== OWNERSHIP.NO && (addressedBy(script, ctx) === null || isUnlabelled(wallet, script));

/** Returns the end of the reply: since release 24 with the last block that the wallet processed. */
const endOf = (ctx: WalletContext, wallet: Wallet): string =>
  follows(ctx.compat, 24) ? `,"lastprocessedblock":${encodeJson(lastProcessed(wallet) ?? null)}}` : '}';

/** Returns the reply without its last brace. Returns no promise if the mempool is not needed. */
function transactionText(ctx: WalletContext, wallet: Wallet, tx: TxView, filter: OwnershipFilter): string | Promise<string> {
  const { ledger } = wallet;
  const row = ledger.txs.find(tx.txid);
  const pin = new RecordSnapshot(ledger, [row]);
  const out = new JsonBytes();
  const writer = new HistoryWriter(ctx, wallet, filter, out);
  const write = (): string => {
    const { debit, fee } = movementsOf(wallet, row, tx, filter);
    const net = creditOf(wallet, row, filter) - debit;
    out.text('{"amount":');
    out.amount(net - fee);
    if (debit > 0) {
      out.text(',"fee":');
      out.amount(fee);
    }
    out.text(',');
    writer.common(pin, 0, tx);
    out.text(',"details":[');
    const details = new EntryList(out);
    writer.entries(pin, 0, tx, SHORT, details.onEntry);
    details.end();
    out.text(',"hex":"');
    return `${out}${txHex(tx)}"`;
  };
  const asked = writer.queryMempool(pin, 0, [tx]);
  return asked === undefined ? write() : asked.then(() => (ledger.txs.find(tx.txid) < 0 ? unknownId() : write()));
}
