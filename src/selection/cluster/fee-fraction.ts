// Exact order of fee rates as fractions, in plain numbers: products of fees and sizes leave the 53 bits that doubles
// are exact in, and a wrong answer between near equals can make a search run in circles. Used everywhere below
// selection/cluster.

const EXACT = Number.MAX_SAFE_INTEGER;
/** Relative error that two rounded products can have together, with room to spare. */
const DOUBT = 2 ** -51;

/**
 * Sign of feeA / sizeA - feeB / sizeB. Fees are safe integers of any sign, sizes positive safe integers.
 * @returns negative, zero or positive
 */
export function compareFeeFractions(feeA: number, sizeA: number, feeB: number, sizeB: number): number {
  const left = feeA * sizeB;
  const right = feeB * sizeA;
  const difference = left - right;
  const larger = Math.max(Math.abs(left), Math.abs(right));
  if (larger <= EXACT || Math.abs(difference) > larger * DOUBT) return difference;
  // Beyond safe integers fees are not exact themselves.
  if (Math.abs(feeA) > EXACT || Math.abs(feeB) > EXACT) return difference;
  return compareByDivision(feeA, sizeA, feeB, sizeB);
}

/** Euclid's way: whole parts first, then the remainders turned upside down. */
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

/** The largest whole number not above a / b; the quotient of doubles may round up across it. */
function divideDown(a: number, b: number): number {
  const whole = Math.floor(a / b);
  const rest = a - whole * b;
  return rest < 0 ? whole - 1 : rest >= b ? whole + 1 : whole;
}
