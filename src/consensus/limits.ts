// The numbers of the law that are the same on every network. Spelled once; BIP-0141 for weight.

/** Largest block weight. */
export const MAX_BLOCK_WEIGHT = 4_000_000;
/** Largest sigop cost of a block. */
export const MAX_BLOCK_SIGOPS_COST = 80_000;
/** Weight of a byte outside the witness, and cost of a sigop there. */
export const WITNESS_SCALE_FACTOR = 4;
/** No block has more transactions: the least one has 60 bytes outside the witness. */
export const MAX_BLOCK_TXS = Math.floor(MAX_BLOCK_WEIGHT / (WITNESS_SCALE_FACTOR * 60));
/** Blocks that must lie on a coinbase before it can be spent, itself included. */
export const COINBASE_MATURITY = 100;
/** Satoshi in a bitcoin. */
export const COIN_SATS = 100_000_000;
/** No amount is ever larger: 21 million bitcoin in satoshi. */
export const MAX_MONEY = 21_000_000 * COIN_SATS;
/** Seconds a block may lie ahead of the clock. */
export const MAX_FUTURE_BLOCK_TIME = 2 * 60 * 60;
/** Locktimes below are heights, the others times. */
export const LOCKTIME_THRESHOLD = 500_000_000;
/** Scripts longer than this can never be spent. */
export const MAX_SCRIPT_SIZE = 10_000;

/** Whether satoshi are within 0..21 million bitcoin. */
export function moneyRange(sats: number): boolean {
  return sats >= 0 && sats <= MAX_MONEY;
}

/** Amount in bitcoin as Core's log texts print it: at least two decimals, no more zeros than that. */
export function formatMoney(sats: number): string {
  const abs = Math.abs(sats);
  const fraction = String(abs % COIN_SATS).padStart(8, '0');
  const trimmed = fraction.replace(/0+$/, '').padEnd(2, '0');
  return `${sats < 0 ? '-' : ''}${Math.floor(abs / COIN_SATS)}.${trimmed}`;
}
