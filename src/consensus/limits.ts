// Consensus limits that are the same on all networks. BIP-0141 for weight.

/** Largest block weight. */
export const MAX_BLOCK_WEIGHT = 4_000_000;
/** Largest signature operation cost of a block. */
export const MAX_BLOCK_SIGOPS_COST = 80_000;
/** Weight of a byte outside the witness, and cost of a signature operation there. */
export const WITNESS_SCALE_FACTOR = 4;
/** Largest number of transactions of a block: the smallest one has 60 bytes outside the witness. */
export const MAX_BLOCK_TXS = Math.floor(MAX_BLOCK_WEIGHT / (WITNESS_SCALE_FACTOR * 60));
/** Depth at which a coinbase can be spent, counting its own block. */
export const COINBASE_MATURITY = 100;
/** Satoshi in a bitcoin. */
export const COIN_SATS = 100_000_000;
/** Largest amount: 21 million bitcoin in satoshis. */
export const MAX_MONEY = 21_000_000 * COIN_SATS;
/** Seconds by which a block's time may be ahead of the clock. */
export const MAX_FUTURE_BLOCK_TIME = 2 * 60 * 60;
/** Lock times below this are heights, others are times. */
export const LOCKTIME_THRESHOLD = 500_000_000;
/** Scripts longer than this can never be spent. */
export const MAX_SCRIPT_SIZE = 10_000;

/** Returns whether an amount is within 0 and 21 million bitcoin. */
export function moneyRange(sats: number): boolean {
  return sats >= 0 && sats <= MAX_MONEY;
}

/** Returns an amount in bitcoin as Core's logs print it: with at least two decimals, without further trailing zeros. */
export function formatMoney(sats: number): string {
  const abs = Math.abs(sats);
  const fraction = String(abs % COIN_SATS).padStart(8, '0');
  const trimmed = fraction.replace(/0+$/, '').padEnd(2, '0');
  return `${sats < 0 ? '-' : ''}${Math.floor(abs / COIN_SATS)}.${trimmed}`;
}
