// The coins of one payment under one numbering: available ones from 0 on, then those it must spend.
import { hashKey } from '../../consensus/bytes/hex.js';
import { witnessVersion } from '../../consensus/script/templates.js';
import type { Wallet } from '../wallet.js';
import { type AvailableCoins, availableCoins } from './available-coins.js';
import type { CoinControl } from './coin-control.js';
import type { SpendTools } from './payment.js';
import { emptyColumns } from './select/groups.js';
import { descending } from './select/order.js';
import type { Pace } from './select/pace.js';
import type { InputSize } from './select/tx-size.js';
import type { SignedSizes } from './signed-size.js';

/** A coin that must be spent. Outpoint of 36 bytes, satoshis. */
export interface Preset {
  readonly outpoint: Uint8Array;
  readonly value: number;
  readonly size: InputSize;
  /** See NodeQuestions.bumpFees. */
  readonly bumpFee: number;
}

export interface PaymentCoins extends AvailableCoins {
  readonly presets: readonly Preset[];
  /**
   * An outpoint that must be spent and is no coin of the wallet, or whose size cannot be told; null when all are well.
   */
  readonly fault: { readonly outpoint: Uint8Array; readonly what: 'unknown' | 'unsolvable' } | null;
}

/** @param feeRate see availableCoins */
export async function gatherCoins(
  wallet: Wallet,
  control: CoinControl,
  sizes: SignedSizes,
  tools: SpendTools,
  feeRate: number | null,
  pace: Pace,
): Promise<PaymentCoins> {
  const available = await availableCoins(wallet, control, sizes, tools, feeRate, pace);
  const { coins } = wallet.ledger;
  const presets = new Map<string, Preset>();
  let fault: PaymentCoins['fault'] = null;
  const bumpFees = feeRate === null ? undefined : (await tools.client.bumpFees(control.inputs, feeRate))?.each;
  for (const [i, outpoint] of control.inputs.entries()) {
    const key = hashKey(outpoint);
    const row = coins.find(outpoint);
    const coin = row < 0 ? control.foreign.get(key) : { value: coins.value(row), script: coins.script(row) };
    const weight = control.weights.get(key);
    const known = coin === undefined ? null : row < 0 ? sizes.ofForeign(coin.script) : sizes.of(coin.script);
    const size = coin === undefined || weight === undefined ? known : { ...(known ?? sizeFromWeight(coin.script, weight)), weight };
    if (coin === undefined || size === null) fault ??= { outpoint, what: coin === undefined ? 'unknown' : 'unsolvable' };
    else presets.set(key, { outpoint, value: coin.value, size, bumpFee: bumpFees?.[i] ?? 0 });
  }
  return { ...available, presets: [...presets.values()], fault };
}

/** Size that the caller gives for an input that the wallet cannot solve. */
export const sizeFromWeight = (script: Uint8Array, weight: number): InputSize => ({
  scriptSig: 0,
  witness: witnessVersion(script) >= 0 ? 1 : 0,
  weight,
});

/** Null when it is not known how the coin is spent. */
export const sizeOf = ({ rows, sizes, presets }: PaymentCoins, coin: number): InputSize | null =>
  coin < rows.length ? sizes[coin] : presets[coin - rows.length].size;

/** The coins of most value only, and all presets. */
export async function largestOf(pool: PaymentCoins, count: number, pace: Pace): Promise<PaymentCoins> {
  const order = (await descending(pool.columns.values, pace)).subarray(0, count);
  const columns = emptyColumns(order.length);
  order.forEach((from, to) => {
    for (const name of ['values', 'inputBytes', 'depths', 'fromMe', 'ancestors', 'descendants', 'bumpFees', 'types'] as const) {
      columns[name][to] = pool.columns[name][from];
    }
  });
  return { ...pool, columns, rows: Array.from(order, (i) => pool.rows[i]), sizes: Array.from(order, (i) => pool.sizes[i]) };
}
