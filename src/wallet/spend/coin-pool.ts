// The coins of one payment under one numbering: available ones from 0 on, then those it must spend.
import type { Wallet } from '../wallet.js';
import { type AvailableCoins, availableCoins } from './available-coins.js';
import type { CoinControl } from './coin-control.js';
import { emptyColumns } from './select/groups.js';
import { descending } from './select/order.js';
import type { Pace } from './select/pace.js';
import type { InputSize } from './select/tx-size.js';
import type { SignedSizes } from './signed-size.js';
import type { SpendNode } from './spend-node.js';

/** A coin that must be spent. */
export interface Preset {
  readonly row: number;
  readonly size: InputSize;
}

export interface CoinPool extends AvailableCoins {
  readonly presets: readonly Preset[];
  /** False when an outpoint that must be spent is not a coin of the wallet, or nobody knows how it is spent. */
  readonly presetsKnown: boolean;
}

export async function gatherCoins(
  wallet: Wallet,
  control: CoinControl,
  sizes: SignedSizes,
  node: SpendNode,
  pace: Pace,
): Promise<CoinPool> {
  const available = await availableCoins(wallet, control, sizes, node, pace);
  const { coins } = wallet.ledger;
  const presets = new Map<number, Preset>();
  let presetsKnown = true;
  for (const outpoint of control.inputs) {
    const row = coins.find(outpoint);
    const size = row < 0 ? null : sizes.of(coins.script(row));
    if (size === null) presetsKnown = false;
    else presets.set(row, { row, size });
  }
  return { ...available, presets: [...presets.values()], presetsKnown };
}

/** Null when nobody knows how the coin is spent. */
export const sizeOf = ({ rows, sizes, presets }: CoinPool, coin: number): InputSize | null =>
  coin < rows.length ? sizes[coin] : presets[coin - rows.length].size;

/** The coins of most value only, and all presets. */
export async function largestOf(pool: CoinPool, count: number, pace: Pace): Promise<CoinPool> {
  const order = (await descending(pool.columns.values, pace)).subarray(0, count);
  const columns = emptyColumns(order.length);
  order.forEach((from, to) => {
    for (const name of ['values', 'inputBytes', 'depths', 'fromMe', 'ancestors', 'descendants'] as const) {
      columns[name][to] = pool.columns[name][from];
    }
  });
  return { ...pool, columns, rows: Array.from(order, (i) => pool.rows[i]), sizes: Array.from(order, (i) => pool.sizes[i]) };
}
