// Lists what a transaction sent and received from the wallet's point of view, output by output. Core 0.21:
// CWalletTx::GetAmounts.

import type { TxView } from '../../consensus/tx/tx-view.js';
import { isUnlabelled } from '../address-use.js';
import { OWNERSHIP, type Ownership, type OwnershipFilter } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';
import { matchesFilter } from './coin-table.js';

/** Output of a transaction, as replies about the wallet's history show it. */
export interface Movement {
  readonly vout: number;
  /** Satoshis. */
  readonly value: number;
  /** Output script that was paid. */
  readonly script: Uint8Array;
  /** Number of the script in the wallet's coin table (CoinTable.scriptId); -1 if the script is not the wallet's. */
  readonly scriptId: number;
  readonly ownership: Ownership;
}

export interface Movements {
  /**
   * Sum of the wallet's inputs that pass the filter, satoshis. If it is above 0, the transaction counts as sent by the
   * wallet.
   */
  readonly debit: number;
  /**
   * Sum of all outputs minus `debit`, satoshis. This is the negated fee if every input is the wallet's. 0 if the wallet
   * did not send the transaction.
   */
  readonly fee: number;
  /** True if an input spends a watch-only coin. */
  readonly fromWatched: boolean;
  /** Outputs of the transaction, normally without change; empty if the wallet did not send the transaction. */
  readonly sent: readonly Movement[];
  /** Outputs to the wallet; normally without change if the wallet sent the transaction. */
  readonly received: readonly Movement[];
}

const NONE: readonly Movement[] = [];

/**
 * Returns the movements of a transaction.
 * @param tx may be undefined if `txs.spendsOurs(row)` is false: then the wallet's coins describe the transaction
 * @param change true: list change both as sent and as received
 */
export function movementsOf(wallet: Wallet, row: number, tx: TxView | undefined, filter: OwnershipFilter, change = false): Movements {
  const { ledger } = wallet;
  const { coins } = ledger;
  const debit = tx && ledger.txs.spendsOurs(row) ? ledger.sheet.debit(tx, filter) : 0;
  const own = coins.ofTx(row);
  if (tx === undefined || debit <= 0) {
    const fromWatched = tx !== undefined && debitWatched(wallet, tx);
    const received: Movement[] = [];
    for (const coin of own) {
      const movement = receipt(wallet, coin, filter);
      if (movement !== null) received.push(movement);
    }
    return { debit: 0, fee: 0, fromWatched, sent: NONE, received };
  }
  const sent: Movement[] = [];
  const received: Movement[] = [];
  let total = 0;
  let next = 0;
  for (let vout = 0; vout < tx.outputCount; vout++) {
    const value = tx.outputValue(vout);
    total += value;
    const coin = next < own.length && coins.vout(own[next]) === vout ? own[next++] : -1;
    const ownership = coin < 0 ? OWNERSHIP.NO : coins.ownership(coin);
    const script = tx.outputScript(vout);
    if (!change && ownership !== OWNERSHIP.NO && isUnlabelled(wallet, script)) continue;
    const movement = { vout, value, script, scriptId: coin < 0 ? -1 : coins.scriptId(coin), ownership };
    sent.push(movement);
    if (matchesFilter(ownership, filter)) received.push(movement);
  }
  return { debit, fee: total - debit, fromWatched: debitWatched(wallet, tx), sent, received };
}

function receipt(wallet: Wallet, coin: number, filter: OwnershipFilter): Movement | null {
  const { coins } = wallet.ledger;
  const ownership = coins.ownership(coin);
  if (!matchesFilter(ownership, filter)) return null;
  return { vout: coins.vout(coin), value: coins.value(coin), script: coins.script(coin), scriptId: coins.scriptId(coin), ownership };
}

/** Returns whether an input spends a watch-only coin. Wallets without watch-only scripts skip the lookups. */
const debitWatched = (wallet: Wallet, tx: TxView): boolean =>
  (wallet.legacy?.watches ?? false) && wallet.ledger.sheet.debit(tx, OWNERSHIP.WATCH) > 0;

/** Returns the value of the wallet's outputs, satoshis; 0 for an immature coinbase. */
export function creditOf(wallet: Wallet, row: number, filter: OwnershipFilter): number {
  const { ledger } = wallet;
  if (ledger.blocksToMaturity(row) > 0) return 0;
  let sum = 0;
  for (const coin of ledger.coins.ofTx(row)) if (matchesFilter(ledger.coins.ownership(coin), filter)) sum += ledger.coins.value(coin);
  return sum;
}
