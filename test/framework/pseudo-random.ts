// Repeatable random numbers for tests: the same seed gives the same numbers on every machine.
import type { RandomSource } from '../../src/wallet/spend/select/random.js';

/** Returns a generator of numbers in [0, 1) (mulberry32). @param seed any integer */
export function pseudoRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns whole numbers and coin flips from the same generator, for the selection of coins. */
export function seededSource(seed: number): RandomSource {
  const random = pseudoRandom(seed);
  const next = (): number => random() * 2 ** 32;
  return { below: (limit) => next() % limit, coin: () => (next() & 1024) !== 0 };
}

/**
 * Returns a generator of numbers in [0, 1) for runs that draw more than 2^32 numbers (sfc32). Streams of one seed are
 * independent.
 * @param seed any integer
 * @param stream any integer
 */
export function longRandom(seed: number, stream: number): () => number {
  let [a, b, c, counter] = [seed | 0, stream | 0, 0x5eed, 1];
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // Discard the first numbers, which are similar for similar seeds.
  for (let i = 0; i < 15; i++) next();
  return next;
}
