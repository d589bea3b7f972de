// Difficulty of compact bits: a multiple of the easiest target, computed in the order of Core's loop so that the double
// is the same to the last digit. Used for headers, the tip snapshot and mining figures.

/** @param bits compact target of a header */
export function difficultyOf(bits: number): number {
  let shift = bits >>> 24;
  let difficulty = 0x0000ffff / (bits & 0x00ffffff);
  for (; shift < 29; shift++) difficulty *= 256;
  for (; shift > 29; shift--) difficulty /= 256;
  return difficulty;
}
