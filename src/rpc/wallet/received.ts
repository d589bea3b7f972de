// Shared by getreceivedbyaddress, getreceivedbylabel, listreceivedbyaddress, and listreceivedbylabel. The outputs of an
// address are linked in the table of coins, so that an answer costs only what it counts. Core 0.21: GetReceived,
// ListReceived.

import { follows, only as onlySince } from '../../policy/compat.js';
import { coinsOfAddress, FILTER, OWNERSHIP, type OwnershipFilter, type Wallet } from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';
import { destinationKey } from './addresses.js';
import { filterOf } from './history.js';

interface Tally {
  /** Sum in satoshis. */
  amount: number;
  /** Fewest confirmations of the counted outputs; Infinity if none was counted. */
  depth: number;
  /** Rows of the transactions, one per counted output. */
  readonly rows: number[];
}

/** Conditions under which the sums include a transaction. */
interface Counted {
  readonly minDepth: number;
  /** Coinbases that the sums include: none up to release 22, later mature ones or all. */
  readonly coinbases: 'none' | 'mature' | 'all';
}

/** Confirmations from which a coinbase may be spent in the next block. */
const MATURE = 101;

/** Parameters of the call that select the transactions. */
interface CountedParameters {
  readonly minconf: number;
  readonly include_immature_coinbase: boolean;
}

export const countedOf = ({ compat }: WalletContext, { minconf, include_immature_coinbase: isImmature }: CountedParameters): Counted => ({
  minDepth: minconf,
  coinbases: !follows(compat, 23) ? 'none' : isImmature ? 'all' : 'mature',
});

const counts = (depth: number, isCoinbase: boolean, { minDepth, coinbases }: Counted): boolean =>
  depth >= minDepth && (!isCoinbase || (coinbases !== 'none' && depth >= (coinbases === 'all' ? 1 : MATURE)));

/**
 * Sums the outputs to an address in the selected transactions. Transactions that are not final are left out.
 * @param depths Ledger.depths at the moment of interest; undefined: now
 */
export function tally(wallet: Wallet, destination: Uint8Array, counted: Counted, depths?: Int32Array): Tally {
  const { coins, txs } = wallet.ledger;
  const sum: Tally = { amount: 0, depth: Number.POSITIVE_INFINITY, rows: [] };
  for (const coin of coinsOfAddress(wallet, destination)) {
    const row = coins.txRow(coin);
    const depth = depths ? depths[row] : wallet.ledger.depth(row);
    if (depth === undefined || !counts(depth, txs.isCoinbase(row), counted)) continue;
    const view = txs.view(row);
    if (view && !wallet.parts.isFinal(view)) continue;
    sum.amount += coins.value(coin);
    sum.depth = Math.min(sum.depth, depth);
    sum.rows.push(row);
  }
  return sum;
}

interface Received extends Tally {
  readonly key: string;
  readonly script: Uint8Array;
  readonly label: string;
  /** True if something was counted and the address is watch-only. */
  readonly watched: boolean;
}

/** Selects the received amounts that a method lists. */
interface ReceivedChoice {
  readonly counted: Counted;
  /** True to list addresses that received nothing. */
  readonly includeEmpty: boolean;
  readonly filter: OwnershipFilter;
}

/** The parameters of methods that list received amounts. */
interface ReceivedParameters extends CountedParameters {
  readonly include_empty: boolean;
  readonly include_watchonly: boolean | undefined;
}

/** Reads the parameters that methods for received amounts share, in Core's order. */
export const receivedChoice = (ctx: WalletContext, wallet: Wallet, params: ReceivedParameters): ReceivedChoice => ({
  counted: countedOf(ctx, params),
  includeEmpty: params.include_empty,
  filter: onlySince(ctx.compat, 30) ? FILTER.ALL : filterOf(wallet, params.include_watchonly),
});

/** Used as row number, instead of a row of the address book, if only one address is requested. */
const ONLY = -1;

/**
 * Returns every address of the address book (or one) with its received amount, in Core's order, all at the same moment.
 */
export function receivedByAddress(
  ctx: WalletContext,
  wallet: Wallet,
  { counted: wanted, includeEmpty, filter }: ReceivedChoice,
  only: Uint8Array | null,
): Received[] {
  const depths = wallet.ledger.depths();
  const found: Received[] = [];
  const { book } = wallet;
  for (const row of only ? [ONLY] : book.rowsOf(null)) {
    const script = only ?? book.scriptAt(row);
    const label = book.label(script);
    if (label === undefined) continue;
    const ownership = wallet.keys.isMine(script);
    const counted = (ownership & filter) !== 0;
    const sum = counted ? tally(wallet, script, wanted, depths) : { amount: 0, depth: Number.POSITIVE_INFINITY, rows: [] };
    if (sum.rows.length > 0 || (includeEmpty && (ownership !== OWNERSHIP.NO || !onlySince(ctx.compat, 22)))) {
      found.push({ ...sum, key: destinationKey(script), script, label, watched: ownership === OWNERSHIP.WATCH && sum.rows.length > 0 });
    }
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

export const shownDepth = (depth: number): number => (Number.isFinite(depth) ? depth : 0);
