// Computes the difficulty of compact bits, in the order of Core's loop so that the double is the same to the last
// digit.

/** Returns the difficulty: how many times harder than the easiest target. @param bits compact target of a header */
export function difficultyOf(bits: number): number {
  let shift = bits >>> 24;
  let difficulty = 0x0000ffff / (bits & 0x00ffffff);
  for (; shift < 29; shift++) difficulty *= 256;
  for (; shift > 29; shift--) difficulty /= 256;
  return difficulty;
}
