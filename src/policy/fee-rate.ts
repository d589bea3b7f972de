// Fee rates in satoshis per 1,000 virtual bytes, with Core 0.21's integer arithmetic (CFeeRate). Used by policy checks,
// the mempool and block assembly.
import { COIN_SATS } from '../consensus/limits.js';

/**
 * Fee of a size at a rate. @param up rounded up, as since release 23; else truncated, but at least one satoshi when the
 * rate is positive
 */
export function feeForSize(feeRateSatsPerKvb: number, sizeBytes: number, up = false): number {
  if (up) return -scaleDown(-feeRateSatsPerKvb, sizeBytes, 1000, true);
  const fee = scaleDown(feeRateSatsPerKvb, sizeBytes, 1000);
  return fee === 0 && sizeBytes !== 0 ? Math.sign(feeRateSatsPerKvb) : fee;
}

/** The rate that a fee pays for a size, 0 for size 0. @param down rounded down, as in release 31; else truncated */
export function feeRateOf(feeSats: number, sizeBytes: number, down = false): number {
  return sizeBytes === 0 ? 0 : scaleDown(feeSats, 1000, sizeBytes, down);
}

/** As Core's messages print a rate: `0.00001000 BTC/kvB`. */
export function formatFeeRate(feeRateSatsPerKvb: number): string {
  const whole = Math.trunc(feeRateSatsPerKvb / COIN_SATS);
  return `${whole}.${String(feeRateSatsPerKvb % COIN_SATS).padStart(8, '0')} BTC/kvB`;
}

/** Below this a rounded quotient never reaches the next whole number. */
const EXACT_PRODUCT = 2 ** 50;

/**
 * a * b / divisor towards zero, or down; exact also where the product is too large for doubles (prioritised fees are).
 */
function scaleDown(a: number, b: number, divisor: number, down = false): number {
  const product = a * b;
  if (Math.abs(product) < EXACT_PRODUCT) return (down ? Math.floor(product / divisor) : Math.trunc(product / divisor)) + 0;
  const exact = BigInt(a) * BigInt(b);
  const quotient = exact / BigInt(divisor);
  return Number(down && exact < 0n && quotient * BigInt(divisor) !== exact ? quotient - 1n : quotient);
}
