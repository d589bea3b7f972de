// Coins of one payment, numbered together: available coins from 0 on, then the coins that the payment must spend.
import { hashKey } from '../../consensus/bytes/hex.js';
import { witnessVersion } from '../../consensus/script/templates.js';
import type { Wallet } from '../wallet.js';
import { type AvailableCoins, availableCoins } from './available-coins.js';
import type { CoinControl } from './coin-control.js';
import type { SpendTools } from './payment.js';
import { emptyColumns } from './select/groups.js';
import { descending } from './select/order.js';
import type { InputSize } from './select/tx-size.js';
import type { SignedSizes } from './signed-size.js';

/** Coin that the payment must spend. The outpoint has 36 bytes, the value is in satoshis. */
export interface Preset {
  readonly outpoint: Uint8Array;
  readonly value: number;
  readonly size: InputSize;
  /** Additional fee for unconfirmed parents, satoshis (NodeQueries.bumpFees). */
  readonly bumpFee: number;
}

export interface PaymentCoins extends AvailableCoins {
  readonly presets: readonly Preset[];
  /**
   * A required outpoint that cannot be spent: its output is unknown, or the size of its input is. Null if there is
   * none.
   */
  readonly fault: { readonly outpoint: Uint8Array; readonly what: 'unknown' | 'unsolvable' } | null;
}

/**
 * Collects the coins of a payment.
 * @param feeRate rate that unconfirmed parents must reach; null: ignore their rates
 */
export async function gatherCoins(
  wallet: Wallet,
  control: CoinControl,
  sizes: SignedSizes,
  tools: SpendTools,
  feeRate: number | null,
): Promise<PaymentCoins> {
  const available = await availableCoins(wallet, control, sizes, tools, feeRate);
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

/** Returns the size of an input from the weight that the caller gave, for inputs that the wallet cannot solve. */
export const sizeFromWeight = (script: Uint8Array, weight: number): InputSize => ({
  scriptSig: 0,
  witness: witnessVersion(script) >= 0 ? 1 : 0,
  weight,
});

/** Returns the size of a coin's input; null if the wallet does not know how to spend it. */
export const sizeOf = ({ rows, sizes, presets }: PaymentCoins, coin: number): InputSize | null =>
  coin < rows.length ? sizes[coin] : presets[coin - rows.length].size;

/** Returns only the available coins of highest value, and all required coins. */
export function largestOf(pool: PaymentCoins, count: number): PaymentCoins {
  const order = descending(pool.columns.values).subarray(0, count);
  const columns = emptyColumns(order.length);
  order.forEach((from, to) => {
    for (const name of ['values', 'inputBytes', 'depths', 'fromMe', 'ancestors', 'descendants', 'bumpFees', 'types'] as const) {
      columns[name][to] = pool.columns[name][from];
    }
  });
  return { ...pool, columns, rows: Array.from(order, (i) => pool.rows[i]), sizes: Array.from(order, (i) => pool.sizes[i]) };
}
