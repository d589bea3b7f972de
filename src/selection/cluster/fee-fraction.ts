// Exact comparison of fee rates as fractions. Products of fees and sizes exceed the 53 bits in which doubles are exact,
// and a wrong answer between nearly equal rates can make a search run in cycles.

const EXACT = Number.MAX_SAFE_INTEGER;
/** Bound of the relative error of two rounded products, with a margin. */
const DOUBT = 2 ** -51;

/**
 * Returns the sign of feeA / sizeA - feeB / sizeB. Fees are safe integers of any sign, sizes positive safe integers.
 * @returns negative, zero or positive
 */
export function compareFeeFractions(feeA: number, sizeA: number, feeB: number, sizeB: number): number {
  const left = feeA * sizeB;
  const right = feeB * sizeA;
  const difference = left - right;
  const larger = Math.max(Math.abs(left), Math.abs(right));
  if (larger <= EXACT || Math.abs(difference) > larger * DOUBT) return difference;
  // Fees beyond safe integers are not exact themselves.
  if (Math.abs(feeA) > EXACT || Math.abs(feeB) > EXACT) return difference;
  return compareByDivision(feeA, sizeA, feeB, sizeB);
}

/** Compares by Euclid's algorithm: whole parts first, then the inverted remainders. */
function compareByDivision(a: number, b: number, c: number, d: number): number {
  let [top, bottom, otherTop, otherBottom] = [a, b, c, d];
  for (let sign = 1; ; sign = -sign) {
    const whole = divideDown(top, bottom);
    const otherWhole = divideDown(otherTop, otherBottom);
    if (whole !== otherWhole) return whole < otherWhole ? -sign : sign;
    const rest = top - whole * bottom;
    const otherRest = otherTop - otherWhole * otherBottom;
    if (rest === 0 || otherRest === 0) return rest === otherRest ? 0 : rest === 0 ? -sign : sign;
    [top, bottom, otherTop, otherBottom] = [bottom, rest, otherBottom, otherRest];
  }
}

/** Returns the largest whole number not above a / b. The quotient in doubles may be rounded up across it. */
function divideDown(a: number, b: number): number {
  const whole = Math.floor(a / b);
  const rest = a - whole * b;
  return rest < 0 ? whole - 1 : rest >= b ? whole + 1 : whole;
}
