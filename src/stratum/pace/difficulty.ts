// Share difficulty as a double. Difficulty 1 is the target of bits 1d00ffff: difficulty = 0xffff * 2^208 / hash.

const DIFFICULTY_ONE = 0xffff * 2 ** 208;
/** Smallest difficulty of any session: 4,096 hashes. */
export const LEAST_DIFFICULTY = 2 ** -20;
/** Miners compute with doubles too, so a share may miss its difficulty by rounding. */
const TOLERANCE = 1 - 1e-9;

/** Returns the difficulty that a hash meets. @param hash 32 bytes, internal order */
export function difficultyOfHash(hash: Uint8Array): number {
  let value = 0;
  for (let i = 28; i >= 0; i -= 4) {
    const word = ((hash[i + 3] << 24) | (hash[i + 2] << 16) | (hash[i + 1] << 8) | hash[i]) >>> 0;
    value = value * 0x1_0000_0000 + word;
  }
  return DIFFICULTY_ONE / Math.max(1, value);
}

export function difficultyOfTarget(target: bigint): number {
  return DIFFICULTY_ONE / Math.max(1, Number(target));
}

/**
 * Returns the difficulty of a target in the form of mining.suggest_target: 64 hex digits, most significant first.
 * @returns null if the text is not a target
 */
export function difficultyOfTargetHex(hex: string): number | null {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) return null;
  const target = BigInt(`0x${hex}`);
  return target === 0n ? null : difficultyOfTarget(target);
}

/** Returns whether a share of this difficulty meets the wanted difficulty. */
export function meets(shareDifficulty: number, wanted: number): boolean {
  return shareDifficulty >= wanted * TOLERANCE;
}

/** Returns the nearest power of two, which every miner reads exactly. */
export function powerOfTwo(difficulty: number): number {
  return 2 ** Math.round(Math.log2(difficulty));
}

/**
 * Returns a requested difficulty in a form that every miner reads: a whole number from 1 up, because some firmware cuts
 * fractions; below 1 a power of two.
 */
export function sendable(difficulty: number): number {
  return difficulty >= 1 ? Math.floor(difficulty) : powerOfTwo(difficulty);
}

/** Returns the difficulty at which a miner of this hashrate finds so many shares per minute. @param hashrate hashes per second */
export function difficultyOfHashrate(hashrate: number, sharesPerMinute: number): number {
  return (hashrate * 60) / sharesPerMinute / 2 ** 32;
}
