// Classifies a descriptor by its text, without parsing it. Wallets may have a million descriptors of one public key
// each, and load them from the text that Descriptor printed.
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
 * Returns whether a text has a single public key, with or without an origin, in a form that means the same in both
 * languages. A text that is also known to be printed by adit need not be parsed.
 * @param text with its checksum
 */
export function isPlainText(text: string, language: DescriptorLanguage): boolean {
  return PLAIN[language].test(text);
}

/**
 * Returns whether deriving the scripts of a descriptor may fill its cache. True for every text that needs a cache, and
 * for some others.
 * @param text printed text
 */
export function hasCacheableKeys(text: string): boolean {
  // Ranges end with a star. Extended keys begin with xpub or tpub.
  return text.includes('*') || text.includes('pub');
}

/**
 * Returns a context for texts whose keys were checked before. It does not check again that keys are points on the
 * curve.
 */
export function trustingContext(context: DescriptorContext): DescriptorContext {
  return { ...context, keys: { ...context.keys, isPoint: () => true } };
}
