// Random numbers from the system's source, read in large portions because coin selection needs millions of bits.
import { randomFillSync } from 'node:crypto';
import type { RandomSource } from './select/random.js';

const PORTION = 1 << 14;

export function createRandomSource(): RandomSource {
  const words = new Uint32Array(PORTION);
  let at = PORTION;
  let bits = 0;
  let bitsLeft = 0;
  const word = (): number => {
    if (at === PORTION) {
      randomFillSync(words);
      at = 0;
    }
    return words[at++];
  };
  return {
    below: (limit) => {
      // Reject words from the last, incomplete multiple of `limit`, which would favour small numbers.
      const fair = 0x1_0000_0000 - (0x1_0000_0000 % limit);
      for (;;) {
        const candidate = word();
        if (candidate < fair) return candidate % limit;
      }
    },
    coin: () => {
      if (bitsLeft === 0) {
        bits = word();
        bitsLeft = 32;
      }
      bitsLeft--;
      const answer = (bits & 1) === 1;
      bits >>>= 1;
      return answer;
    },
  };
}
