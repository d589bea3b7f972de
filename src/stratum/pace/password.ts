// Fields of the password, separated by commas, semicolons or spaces: d=2048, diff=0.001, th=100. Others are ignored.
import { numberOf } from '../codec/request.js';
import { difficultyOfHashrate } from './difficulty.js';

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
