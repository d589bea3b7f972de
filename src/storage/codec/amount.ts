// Core's amount compression (src/compressor.cpp): round amounts become small numbers.
//
//   amount 0                      -> 0
//   amount = (10 n + d) 10^e      -> 1 + 10 (9 n + d - 1) + e      e < 9, d = 1..9 the last non-zero digit
//   amount = n 10^9               -> 1 + 10 (n - 1) + 9
//
// The result exceeds 2^53 for odd amounts above some 10 million bitcoins, hence the bigint branch.

/**
 * Largest amount (after division by powers of ten) that compresses within the safe integers: 1 + 10 (9 n + 8) with n =
 * amount / 10.
 */
const NUMBER_LIMIT = 900_000_000_000_000;

/**
 * Compresses an amount.
 * @param amount satoshis, a non-negative safe integer
 */
export function compressAmount(amount: number): number | bigint {
  if (amount === 0) return 0;
  let exponent = 0;
  let n = amount;
  while (n % 10 === 0 && exponent < 9) {
    n /= 10;
    exponent++;
  }
  if (n > NUMBER_LIMIT) {
    const big = BigInt(n);
    return exponent < 9 ? 1n + (9n * (big / 10n) + (big % 10n) - 1n) * 10n + BigInt(exponent) : 1n + (big - 1n) * 10n + 9n;
  }
  if (exponent === 9) return 1 + (n - 1) * 10 + 9;
  const digit = n % 10;
  return 1 + (9 * ((n - digit) / 10) + digit - 1) * 10 + exponent;
}

/**
 * Decompresses an amount.
 * @returns satoshis, or null if the result exceeds 2^53 - 1
 */
export function decompressAmount(compressed: number | bigint): number | null {
  if (typeof compressed === 'bigint') {
    if (compressed > BigInt(Number.MAX_SAFE_INTEGER)) {
      let x = compressed - 1n;
      const exponent = Number(x % 10n);
      x /= 10n;
      const n = exponent < 9 ? (x / 9n) * 10n + (x % 9n) + 1n : x + 1n;
      const amount = n * 10n ** BigInt(exponent);
      return amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : null;
    }
    compressed = Number(compressed);
  }
  if (compressed === 0) return 0;
  let x = compressed - 1;
  const exponent = x % 10;
  x = (x - exponent) / 10;
  const n = exponent < 9 ? ((x - (x % 9)) / 9) * 10 + (x % 9) + 1 : x + 1;
  const amount = n * POWERS[exponent];
  return amount <= Number.MAX_SAFE_INTEGER ? amount : null;
}

const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
