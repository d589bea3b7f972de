// Chooses difficulties by the user agent of mining.subscribe. The slowest and the fastest miners use the same port: a
// NerdMiner computes 50,000 hashes per second, an Antminer ten billion times as many.

/** First difficulty of a session, and the lowest one unless the miner requests less. */
export interface Pace {
  readonly start: number;
  readonly floor: number;
  /** True if the floor holds even if the miner asks for less. */
  readonly firm: boolean;
}

/** Devices below 1 GH/s: at difficulty 1 they would find nothing for hours. */
const SMALL = /nerdminer|sparkminer|bitsyminer|leafminer|lottominer|esp32|han_solo|hansolo/i;
const CPU = /cpuminer|sgminer-arm|minerd/i;
/** Marketplaces close a connection below this difficulty. */
const MARKET = /^nicehash|excavator/i;
const MARKET_FLOOR = 524_288;

/**
 * Returns the start difficulty and the lowest difficulty of a miner.
 * @param agent user agent that the miner sent; may be empty
 * @param standard for agents without a rule of their own
 */
export function paceOf(agent: string, standard: Omit<Pace, 'firm'>): Pace {
  if (MARKET.test(agent)) {
    return { start: Math.max(MARKET_FLOOR, standard.start), floor: Math.max(MARKET_FLOOR, standard.floor), firm: true };
  }
  if (SMALL.test(agent)) return { start: 2 ** -13, floor: 2 ** -16, firm: false };
  if (CPU.test(agent)) return { start: 2 ** -4, floor: 2 ** -13, firm: false };
  return { ...standard, firm: false };
}
