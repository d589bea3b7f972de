// What a transaction moved, output by output, from the wallet's point of view: Core 0.21's CWalletTx::GetAmounts.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { OWNERSHIP, type Ownership, type OwnershipFilter } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';
import { matchesFilter } from './coin-table.js';

/** An output worth telling. */
export interface Movement {
  readonly vout: number;
  /** Satoshis. */
  readonly value: number;
  /** The output script. */
  readonly script: Uint8Array;
  /** Its number among the wallet's (CoinTable.scriptId), -1 when it is another's. */
  readonly scriptId: number;
  readonly ownership: Ownership;
}

export interface Movements {
  /** Satoshis of inputs that are ours and counted; above 0 the transaction is from us. */
  readonly debit: number;
  /** Outputs less counted inputs, satoshis: minus the fee when every input is ours. 0 when it is not from us. */
  readonly fee: number;
  /** Whether an input is watched only. */
  readonly fromWatched: boolean;
  /** Outputs of a transaction from us that are not change. */
  readonly sent: readonly Movement[];
  /** Outputs to us, without change when it is from us. */
  readonly received: readonly Movement[];
}

const NONE: readonly Movement[] = [];

/**
 * @param tx undefined only when `txs.spendsOurs(row)` is false: the coins say everything then
 * @param change whether change counts as sent and received
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
    if (!change && ownership !== OWNERSHIP.NO && wallet.isUnlabelled(script)) continue;
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

/** Most wallets watch nothing: no look-ups then. */
const debitWatched = (wallet: Wallet, tx: TxView): boolean => wallet.watches && wallet.ledger.sheet.debit(tx, OWNERSHIP.WATCH) > 0;

/** Satoshis of the outputs that count; nothing for a coinbase that may not be spent yet. */
export function creditOf(wallet: Wallet, row: number, filter: OwnershipFilter): number {
  const { ledger } = wallet;
  if (ledger.blocksToMaturity(row) > 0) return 0;
  let sum = 0;
  for (const coin of ledger.coins.ofTx(row)) if (matchesFilter(ledger.coins.ownership(coin), filter)) sum += ledger.coins.value(coin);
  return sum;
}
