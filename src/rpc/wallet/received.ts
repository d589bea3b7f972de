// What addresses received: getreceivedbyaddress, getreceivedbylabel, listreceivedbyaddress, listreceivedbylabel. An
// address's outputs are a chain in the table of coins, so that each answer costs what it counts. Core 0.21:
// GetReceived, ListReceived.
import { decodeAddress } from '../../address/address.js';
import { sortInSlices } from '../../lib/sort-in-slices.js';
import { follows, only as onlySince } from '../../policy/compat.js';
import { coinsOfAddress } from '../../wallet/coins/coins-of-address.js';
import { FILTER, OWNERSHIP } from '../../wallet/keys/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asBool, asInt, asString } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { Slicer } from '../node/slices.js';
import { hashHex } from '../render/hex.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import { addressText, destinationKey } from './addresses.js';
import { filterOf, given } from './history.js';
import { labelOf, settledWallet } from './select.js';

interface Tally {
  /** Satoshis. */
  amount: number;
  /** Least confirmations of what was counted; Infinity when nothing was. */
  depth: number;
  /** Transactions, one for each output counted. */
  readonly rows: number[];
}

/** Which transactions count. */
interface Counted {
  readonly minDepth: number;
  /** Coinbases: none up to release 22, then those that may be spent, or all. */
  readonly coinbases: 'none' | 'mature' | 'all';
}

/** Confirmations from which on a coinbase may be spent in the next block. */
const MATURE = 101;

const countedOf = ({ compat }: NodeContext, minDepth: JsonValue | undefined, immature: JsonValue | undefined): Counted => ({
  minDepth: given(minDepth) ? asInt(minDepth) : 1,
  coinbases: !follows(compat, 23) ? 'none' : given(immature) && asBool(immature) ? 'all' : 'mature',
});

const counts = (depth: number, isCoinbase: boolean, { minDepth, coinbases }: Counted): boolean =>
  depth >= minDepth && (!isCoinbase || (coinbases !== 'none' && depth >= (coinbases === 'all' ? 1 : MATURE)));

/** Outputs to an address in transactions that count; what is not final yet does not. */
function tally(wallet: Wallet, destination: Uint8Array, counted: Counted): Tally {
  const { coins, txs } = wallet.ledger;
  const sum: Tally = { amount: 0, depth: Number.POSITIVE_INFINITY, rows: [] };
  for (const coin of coinsOfAddress(wallet, destination)) {
    const row = coins.txRow(coin);
    const depth = wallet.ledger.depth(row);
    if (!counts(depth, txs.isCoinbase(row), counted)) continue;
    const view = txs.view(row);
    if (view && !wallet.parts.isFinal(view)) continue;
    sum.amount += coins.value(coin);
    sum.depth = Math.min(sum.depth, depth);
    sum.rows.push(row);
  }
  return sum;
}

export const getreceivedbyaddress: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  const decoded = decodeAddress(asString(args[0]), ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  if (wallet.isMine(decoded.script) === OWNERSHIP.NO) fail(RPC_CODE.WALLET_ERROR, 'Address not found in wallet');
  return new Amount(tally(wallet, decoded.script, countedOf(ctx, args[1], args[2])).amount);
};

export const getreceivedbylabel: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  const label = labelOf(asString(args[0]));
  const slicer = new Slicer(call.breathe);
  const counted = countedOf(ctx, args[1], args[2]);
  let sum = 0;
  let owned = false;
  let known = false;
  for (const row of wallet.book.rowsOf(label)) {
    known = true;
    const script = wallet.book.scriptAt(row);
    if (wallet.isMine(script) !== OWNERSHIP.NO) {
      owned = true;
      sum += tally(wallet, script, counted).amount;
    }
    if (slicer.due) await slicer.pause();
  }
  if (!owned && follows(ctx.compat, 24)) fail(RPC_CODE.WALLET_ERROR, `${known ? 'Address' : 'Label'} not found in wallet`);
  return new Amount(sum);
};

interface Received extends Tally {
  readonly key: string;
  readonly script: Uint8Array;
  readonly label: string;
  /** Anything counted, and the address is watched only. */
  readonly watched: boolean;
}

/** Stands for the row of the one address that is asked for. */
const ONLY = -1;
/** Every address of the book (or one) with what it received, in Core's order. */
async function receivedByAddress(
  ctx: NodeContext,
  wallet: Wallet,
  args: readonly JsonValue[],
  only: Uint8Array | null,
  immature: JsonValue | undefined,
  slicer: Slicer,
): Promise<Received[]> {
  const wanted = countedOf(ctx, args[0], immature);
  const includeEmpty = given(args[1]) ? asBool(args[1]) : false;
  const filter = onlySince(ctx.compat, 30) ? FILTER.ALL : filterOf(wallet, args[2]);
  const found: Received[] = [];
  const { book } = wallet;
  for (const row of only ? [ONLY] : book.rowsOf(null)) {
    const script = only ?? book.scriptAt(row);
    const label = book.label(script);
    if (label === undefined) continue;
    const ownership = wallet.isMine(script);
    const counted = (ownership & filter) !== 0;
    const sum = counted ? tally(wallet, script, wanted) : { amount: 0, depth: Number.POSITIVE_INFINITY, rows: [] };
    if (sum.rows.length > 0 || (includeEmpty && (ownership !== OWNERSHIP.NO || !onlySince(ctx.compat, 22)))) {
      found.push({ ...sum, key: destinationKey(script), script, label, watched: ownership === OWNERSHIP.WATCH && sum.rows.length > 0 });
    }
    if (slicer.due) await slicer.pause();
  }
  return sortInSlices(found, (a, b) => (a.key < b.key ? -1 : 1), slicer);
}

const shownDepth = (depth: number): number => (Number.isFinite(depth) ? depth : 0);

export const listreceivedbyaddress: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  const slicer = new Slicer(call.breathe);
  let only: Uint8Array | null = null;
  // Since release 22 an empty text is no filter.
  const wantsOne = onlySince(ctx.compat, 22) ? given(args[3]) && args[3] !== '' : args.length > 3;
  if (wantsOne) {
    // Arguments before this one are looked at first.
    countedOf(ctx, args[0], args[4]);
    if (given(args[1])) asBool(args[1]);
    filterOf(wallet, args[2]);
    const decoded = decodeAddress(asString(args[3]), ctx.params, ctx.crypto);
    if ('error' in decoded) return fail(RPC_CODE.WALLET_ERROR, 'address_filter parameter was invalid');
    only = decoded.script;
  }
  const { txs } = wallet.ledger;
  const out: JsonResult[] = [];
  for (const entry of await receivedByAddress(ctx, wallet, args, only, args[4], slicer)) {
    out.push({
      involvesWatchonly: entry.watched || undefined,
      address: addressText(ctx, entry.script),
      amount: new Amount(entry.amount),
      confirmations: shownDepth(entry.depth),
      label: entry.label,
      txids: entry.rows.sort((a, b) => txs.compareTxids(a, b)).map((row) => hashHex(txs.txid(row))),
    });
    if (slicer.due) await slicer.pause();
  }
  return out;
};

export const listreceivedbylabel: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  const byLabel = new Map<string, { amount: number; depth: number; watched: boolean }>();
  for (const entry of await receivedByAddress(ctx, wallet, args, null, args[3], new Slicer(call.breathe))) {
    const sum = byLabel.get(entry.label);
    byLabel.set(entry.label, {
      amount: (sum?.amount ?? 0) + entry.amount,
      depth: Math.min(sum?.depth ?? Number.POSITIVE_INFINITY, entry.depth),
      // The last address of a label decides, as in Core.
      watched: entry.watched,
    });
  }
  const labels = [...byLabel].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return labels.map(([label, sum]) => ({
    involvesWatchonly: sum.watched || undefined,
    amount: new Amount(sum.amount),
    confirmations: shownDepth(sum.depth),
    label,
  }));
};
