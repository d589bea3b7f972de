// Share difficulty as a double. Difficulty 1 is the target of bits 1d00ffff: difficulty = 0xffff * 2^208 / hash.

const DIFFICULTY_ONE = 0xffff * 2 ** 208;
/** Smallest difficulty of any session: 4,096 hashes. */
export const LEAST_DIFFICULTY = 2 ** -20;
/** Miners compute with doubles too, so a share may miss its difficulty by rounding. */
const TOLERANCE = 1 - 1e-9;

/** Difficulty that a hash meets. @param hash 32 bytes, internal order */
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
 * Difficulty of a target as mining.suggest_target writes it: 64 hex digits, most significant first.
 * @returns null if it is none
 */
export function difficultyOfTargetHex(hex: string): number | null {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) return null;
  const target = BigInt(`0x${hex}`);
  return target === 0n ? null : difficultyOfTarget(target);
}

/** True if a share of this difficulty meets the wanted one. */
export function meets(shareDifficulty: number, wanted: number): boolean {
  return shareDifficulty >= wanted * TOLERANCE;
}

/** The nearest power of two, which every miner reads exactly. */
export function powerOfTwo(difficulty: number): number {
  return 2 ** Math.round(Math.log2(difficulty));
}

/**
 * A difficulty that a miner asked for, as it is sent: whole from 1 up, because some firmware cuts fractions; a power of
 * two below.
 */
export function sendable(difficulty: number): number {
  return difficulty >= 1 ? Math.floor(difficulty) : powerOfTwo(difficulty);
}

/** Difficulty at which a miner of this hashrate finds so many shares a minute. @param hashrate hashes per second */
export function difficultyOfHashrate(hashrate: number, sharesPerMinute: number): number {
  return (hashrate * 60) / sharesPerMinute / 2 ** 32;
}
