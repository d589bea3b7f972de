// Decides the difficulty of one session: vardiff within bounds, which depend on the miner's agent and its requests.
//
//   password d=, diff=, th=    start and lowest difficulty; suggest_difficulty is then ignored
//   suggest_difficulty         start, and the lowest difficulty if that of the agent is higher
//   minimum-difficulty         the lowest difficulty is at least this, whatever the rows above say
//
// The first two do not lower the lowest difficulty of an agent whose floor is firm.

import { numberOf } from '../codec/request.js';
import { difficultyOfHashrate, sendable } from './difficulty.js';
import { Vardiff } from './vardiff.js';

// Chooses difficulties by the user agent of mining.subscribe. The slowest and the fastest miners use the same port: a
// NerdMiner computes 50,000 hashes per second, an Antminer ten billion times as many.

/** First difficulty of a session, and the lowest one unless the miner requests less. */
interface Pace {
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
 * @param standard difficulties of a miner whose user agent has no rule here
 */
export function paceOf(agent: string, standard: Omit<Pace, 'firm'>): Pace {
  if (MARKET.test(agent)) {
    return { start: Math.max(MARKET_FLOOR, standard.start), floor: Math.max(MARKET_FLOOR, standard.floor), firm: true };
  }
  if (SMALL.test(agent)) return { start: 2 ** -13, floor: 2 ** -16, firm: false };
  if (CPU.test(agent)) return { start: 2 ** -4, floor: 2 ** -13, firm: false };
  return { ...standard, firm: false };
}

const MAX_LENGTH = 128;

/**
 * Returns the difficulty that a password asks for; null if it asks for none.
 * @param sharesPerMinute wanted rate, from which a hashrate (th=, in TH/s) becomes a difficulty
 */
export function difficultyInPassword(password: string, sharesPerMinute: number): number | null {
  for (const field of password.slice(0, MAX_LENGTH).split(/[,; ]/)) {
    const cut = field.indexOf('=');
    if (cut < 0) continue;
    const name = field.slice(0, cut).toLowerCase();
    const value = numberOf(field.slice(cut + 1));
    if (value === null || value <= 0) continue;
    if (name === 'd' || name === 'diff') return value;
    if (name === 'th') return difficultyOfHashrate(value * 1e12, sharesPerMinute);
  }
  return null;
}

export interface PaceOptions {
  readonly startDifficulty: number;
  readonly leastDifficulty: number;
  readonly mostDifficulty: number;
  readonly sharesPerMinute: number;
}

export class SessionPace {
  readonly #options: PaceOptions;
  readonly #vardiff: Vardiff;
  #pace: Pace;
  #suggested: number | null = null;
  #inPassword: number | null = null;
  #minimum = 0;
  #started = false;
  /**
   * Change of the difficulty that the miner does not know yet. soon: the session should get a job of its own, and not
   * wait for the next job of all sessions. urgent: the miner must also drop its older jobs.
   */
  #news: 'none' | 'soon' | 'urgent' = 'none';

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#pace = paceOf('', { start: options.startDifficulty, floor: options.leastDifficulty });
    this.#vardiff = new Vardiff(options.sharesPerMinute, options.mostDifficulty);
  }

  /** True if the session should get a job of its own soon, because its difficulty changed. */
  get hasNews(): boolean {
    return this.#news !== 'none';
  }

  setAgent(agent: string): void {
    this.#pace = paceOf(agent, { start: this.#options.startDifficulty, floor: this.#options.leastDifficulty });
  }

  setPassword(password: string): void {
    this.#inPassword = difficultyInPassword(password, this.#options.sharesPerMinute);
  }

  /** Sets the lowest difficulty that the miner accepts (BIP-0310). */
  setMinimum(difficulty: number, nowMs: number): void {
    this.#minimum = difficulty;
    this.#apply(this.#vardiff.difficulty, nowMs);
  }

  /** Applies a suggested difficulty. A repeated one changes nothing: NerdMiners repeat it to keep a connection open. */
  suggest(difficulty: number, nowMs: number): void {
    if (this.#suggested === difficulty) return;
    this.#suggested = difficulty;
    if (this.#inPassword === null) this.#apply(difficulty, nowMs);
  }

  /** Called before the miner gets its first job. */
  start(nowMs: number): void {
    this.#started = true;
    this.#vardiff.restart(this.#asked ?? this.#pace.start, this.#floor, nowMs);
  }

  /** Counts an accepted share. @param difficulty that the share had to meet */
  onShare(difficulty: number, nowMs: number): void {
    this.#vardiff.onShare(difficulty);
    this.check(nowMs);
  }

  /** Changes the difficulty if vardiff demands it. */
  check(nowMs: number): void {
    if (this.#vardiff.check(nowMs) === 'urgent') this.#news = 'urgent';
  }

  /** Returns the difficulty for a job that is sent now. `urgent`: the miner must drop its older jobs. */
  takeDifficulty(): { readonly difficulty: number; readonly urgent: boolean } {
    const urgent = this.#news === 'urgent';
    this.#news = 'none';
    return { difficulty: this.#vardiff.difficulty, urgent };
  }

  get #asked(): number | null {
    const asked = this.#inPassword ?? this.#suggested;
    return asked === null ? null : sendable(asked);
  }

  get #floor(): number {
    const { floor, firm } = this.#pace;
    const asked = this.#asked;
    const wanted = asked === null ? floor : this.#inPassword === null ? Math.min(floor, asked) : asked;
    return Math.max(this.#minimum, firm ? Math.max(floor, wanted) : wanted);
  }

  /** Continues from a difficulty that the miner requested. Before the start, all requests are applied together. */
  #apply(difficulty: number, nowMs: number): void {
    if (!this.#started) return;
    const before = this.#vardiff.difficulty;
    this.#vardiff.restart(sendable(difficulty), this.#floor, nowMs);
    if (this.#vardiff.difficulty !== before && this.#news === 'none') this.#news = 'soon';
  }
}
