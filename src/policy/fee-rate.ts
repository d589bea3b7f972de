// Fee rates in satoshis per 1,000 virtual bytes, with the integer arithmetic of Core 0.21 (CFeeRate).
import { COIN_SATS } from '../consensus/limits.js';

/**
 * Returns the fee in satoshis for a size at a rate.
 * @param up round up, as since release 23; otherwise truncate, but to at least one satoshi if the rate is positive
 */
export function feeForSize(feeRateSatsPerKvb: number, sizeBytes: number, up = false): number {
  if (up) return -scaleDown(-feeRateSatsPerKvb, sizeBytes, 1000, true);
  const fee = scaleDown(feeRateSatsPerKvb, sizeBytes, 1000);
  return fee === 0 && sizeBytes !== 0 ? Math.sign(feeRateSatsPerKvb) : fee;
}

/**
 * Returns the rate of a fee for a size; 0 for size 0.
 * @param down round down, as in release 31; otherwise truncate
 */
export function feeRateOf(feeSats: number, sizeBytes: number, down = false): number {
  return sizeBytes === 0 ? 0 : scaleDown(feeSats, 1000, sizeBytes, down);
}

/** Returns a rate as Core's messages print it: `0.00001000 BTC/kvB`. */
export function formatFeeRate(feeRateSatsPerKvb: number): string {
  const whole = Math.trunc(feeRateSatsPerKvb / COIN_SATS);
  return `${whole}.${String(feeRateSatsPerKvb % COIN_SATS).padStart(8, '0')} BTC/kvB`;
}

/** Below this absolute value, dividing the product as a double never rounds up to the next integer. */
const EXACT_PRODUCT = 2 ** 50;

/**
 * Returns a * b / divisor, rounded towards zero, or down. The result is exact even if the product is too large for
 * doubles, which happens with prioritised fees.
 */
function scaleDown(a: number, b: number, divisor: number, down = false): number {
  const product = a * b;
  if (Math.abs(product) < EXACT_PRODUCT) return (down ? Math.floor(product / divisor) : Math.trunc(product / divisor)) + 0;
  const exact = BigInt(a) * BigInt(b);
  const quotient = exact / BigInt(divisor);
  return Number(down && exact < 0n && quotient * BigInt(divisor) !== exact ? quotient - 1n : quotient);
}
