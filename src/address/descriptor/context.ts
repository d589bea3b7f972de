// Context for reading descriptors: a network, hashes, key arithmetic and a version of the language. The caller creates
// it once, and every descriptor refers to it.

import type { KeyTools } from '../bip32/extended-key.js';
import type { HardenedMark } from '../bip32/key-path.js';
import type { KeyParams } from '../key-params.js';

/**
 * Version of the descriptor language. `0.21`: exactly what Bitcoin Core 0.21.1 reads and prints. `master`: also what
 * came later (tr, rawtr, multi_a, miniscript, musig, unused, multipath, 20 keys in a multisig), without what later
 * versions refuse (hybrid keys, white space). A hardened step is printed with the mark that was read. Inferred
 * descriptors use `'` in both, as Core 0.21.1 does.
 */
export type DescriptorLanguage = '0.21' | 'master';

/** Everything that parsing and deriving need besides the text: network, language, curve and hashes. */
export interface DescriptorContext extends KeyTools {
  readonly params: KeyParams;
  readonly language: DescriptorLanguage;
  /** Mark of hardened steps in inferred descriptors; absent: `'`. */
  readonly inferredMark?: HardenedMark;
}

/**
 * Runs the parser for the argument of a descriptor function. In the language `master`, prefixes its errors with the
 * name of that function.
 */
export function within<T>(name: string, { language }: DescriptorContext, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DescriptorError && language === 'master') throw new DescriptorError(`${name}: ${error.message}`);
    throw error;
  }
}

/**
 * Error of a text that is not a descriptor, in Core's words (empty where Core has none). Code outside of this module
 * never sees it.
 */
export class DescriptorError extends Error {}
