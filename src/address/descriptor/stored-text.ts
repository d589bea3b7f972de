// What a descriptor's own text tells without being parsed. Wallets may hold a million descriptors of one public key
// each, and read them back from the text that Descriptor printed.
import type { DescriptorContext, DescriptorLanguage } from './context.js';

const ORIGIN = String.raw`(?:\[[0-9a-f]{8}(?:/[0-9]{1,10}['h]?)*\])?`;
const COMPRESSED = `${ORIGIN}0[23][0-9a-f]{64}`;
const EITHER_SIZE = `${ORIGIN}0(?:[23][0-9a-f]{64}|4[0-9a-f]{128})`;
const X_ONLY = `${ORIGIN}[0-9a-f]{64}`;
const COMMON = [
  `(?:pkh?|combo)\\(${EITHER_SIZE}\\)`,
  `sh\\(pkh?\\(${EITHER_SIZE}\\)\\)`,
  `wpkh\\(${COMPRESSED}\\)`,
  `sh\\(wpkh\\(${COMPRESSED}\\)\\)`,
];
const LATER = [...COMMON, `(?:raw)?tr\\(${X_ONLY}\\)`];
const textOf = (calls: readonly string[]): RegExp => new RegExp(`^(?:${calls.join('|')})#[a-z0-9]{8}$`);
const PLAIN: Readonly<Record<DescriptorLanguage, RegExp>> = { '0.21': textOf(COMMON), master: textOf(LATER) };

/**
 * Whether a text is that of one public key, with or without its origin, in a form that reads the same in this language
 * and the other. Who knows besides that it is as it was printed need not parse it.
 * @param text with its checksum
 */
export function isPlainText(text: string, language: DescriptorLanguage): boolean {
  return PLAIN[language].test(text);
}

/**
 * Whether deriving may teach what is worth keeping: not so for fixed keys and scripts. More than enough is said to.
 * @param text printed
 */
export function hasCacheableKeys(text: string): boolean {
  // Ranges end in a star, extended keys begin with xpub or tpub.
  return text.includes('*') || text.includes('pub');
}

/**
 * Surroundings for reading texts of keys that were checked when they came: points are not looked for on the curve
 * again.
 */
export function trustingContext(context: DescriptorContext): DescriptorContext {
  return { ...context, keys: { ...context.keys, isPoint: () => true } };
}
