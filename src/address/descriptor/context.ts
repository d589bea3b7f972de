// What the descriptor language is read with: a network, hashes and key arithmetic, and which version's language. Filled
// by the caller once and kept by every descriptor made with it.

import type { KeyTools } from '../bip32/extended-key.js';
import type { HardenedMark } from '../bip32/key-path.js';
import type { KeyParams } from '../key-params.js';

/**
 * `0.21`: exactly what Bitcoin Core 0.21.1 reads and prints. `master`: what it reads, and what came later (tr, rawtr,
 * multi_a, miniscript, musig, unused, multipath, 20 keys in a multisig), without what later versions stopped taking
 * (hybrid keys, white space); a hardened step is printed with the sign that was read. What is inferred has `'` in both,
 * as Core 0.21.1 prints it.
 */
export type DescriptorLanguage = '0.21' | 'master';

/** Surroundings of a descriptor. */
export interface DescriptorContext extends KeyTools {
  readonly params: KeyParams;
  readonly language: DescriptorLanguage;
  /** The sign of hardened steps in what is inferred; absent: `'`. */
  readonly inferredMark?: HardenedMark;
}

/** Runs a part of the parser; what it fails with gets the name of its place in front, as the later language has it. */
export function within<T>(name: string, { language }: DescriptorContext, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DescriptorError && language === 'master') throw new DescriptorError(`${name}: ${error.message}`);
    throw error;
  }
}

/**
 * Why a text is no descriptor, in Core's words (empty where Core gives none). Thrown inside the parser, never out of
 * this room.
 */
export class DescriptorError extends Error {}
