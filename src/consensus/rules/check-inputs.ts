// Rules of a transaction about the coins that it spends: existence, maturity, amounts, fee.

import type { Coin } from '../coin.js';
import { COINBASE_MATURITY, formatMoney, moneyRange } from '../limits.js';
import type { Verdict } from '../state.js';
import type { TxView } from '../tx/tx-view.js';
import { outputTotal } from './check-transaction.js';
import { reject } from './reject.js';

/** Returns the verdict on a transaction with a missing or spent input. */
export function missingInputs(): Verdict {
  return reject('missing-inputs', 'bad-txns-inputs-missingorspent', 'CheckTxInputs: inputs missing/spent');
}

/**
 * Checks the amounts of a transaction that is not a coinbase and passed checkTransaction. If the transaction was checked
 * before (`tx.facts` is set), the amounts are not checked again and the fee comes from the facts.
 * @param spent coin of each input
 * @param spendHeight height of the block that would contain the transaction
 */
export function checkSpentCoins(tx: TxView, spent: readonly Coin[], spendHeight: number): { verdict: Verdict; fee: number } {
  const { facts } = tx;
  let valueIn = 0;
  for (const coin of spent) {
    const depth = spendHeight - coin.height;
    if (coin.coinbase && depth < COINBASE_MATURITY) {
      const debug = `tried to spend coinbase at depth ${depth}`;
      return { verdict: reject('premature-spend', 'bad-txns-premature-spend-of-coinbase', debug), fee: 0 };
    }
    if (facts !== null) continue;
    valueIn += coin.value;
    if (!moneyRange(coin.value) || !moneyRange(valueIn)) {
      return { verdict: reject('consensus', 'bad-txns-inputvalues-outofrange'), fee: 0 };
    }
  }
  if (facts !== null) return { verdict: null, fee: facts.fee };
  const valueOut = outputTotal(tx);
  if (valueIn < valueOut) {
    const debug = `value in (${formatMoney(valueIn)}) < value out (${formatMoney(valueOut)})`;
    return { verdict: reject('consensus', 'bad-txns-in-belowout', debug), fee: 0 };
  }
  const fee = valueIn - valueOut;
  if (!moneyRange(fee)) return { verdict: reject('consensus', 'bad-txns-fee-outofrange'), fee: 0 };
  return { verdict: null, fee };
}
