// Consensus limits that are the same on all networks. BIP-0141 for weight.

/** Largest block weight. */
export const MAX_BLOCK_WEIGHT = 4_000_000;
/** Largest signature operation cost of a block. */
export const MAX_BLOCK_SIGOPS_COST = 80_000;
/** Weight of a byte outside the witness, and cost of a signature operation outside the witness. */
export const WITNESS_SCALE_FACTOR = 4;
/** Largest number of transactions of a block: the smallest transaction has 60 bytes outside the witness. */
export const MAX_BLOCK_TXS = Math.floor(MAX_BLOCK_WEIGHT / (WITNESS_SCALE_FACTOR * 60));
/** A block may spend a coinbase if its height is at least this much above the height of the coinbase. */
export const COINBASE_MATURITY = 100;
/** Satoshi in a bitcoin. */
export const COIN_SATS = 100_000_000;
/** Largest amount: 21 million bitcoin in satoshis. */
export const MAX_MONEY = 21_000_000 * COIN_SATS;
/** Seconds by which the time of a block may be ahead of the node's clock. */
export const MAX_FUTURE_BLOCK_TIME = 2 * 60 * 60;
/** Lock times below this number are heights, others are times in seconds. */
export const LOCKTIME_THRESHOLD = 500_000_000;
/** Largest size in bytes of a script. Longer scripts can never be spent. */
export const MAX_SCRIPT_SIZE = 10_000;

/** Returns whether an amount is within 0 and 21 million bitcoin. */
export function moneyRange(sats: number): boolean {
  return sats >= 0 && sats <= MAX_MONEY;
}

/** Returns an amount in bitcoin as Core's logs print it: at least two decimals, and no trailing zeros after them. */
export function formatMoney(sats: number): string {
  const abs = Math.abs(sats);
  const fraction = String(abs % COIN_SATS).padStart(8, '0');
  const trimmed = fraction.replace(/0+$/, '').padEnd(2, '0');
  return `${sats < 0 ? '-' : ''}${Math.floor(abs / COIN_SATS)}.${trimmed}`;
}
