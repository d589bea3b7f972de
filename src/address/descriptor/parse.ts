// Parses output descriptors: the checksum, then the script expression. Entry point of this folder.
import { stripChecksum } from './checksum.js';
import { type DescriptorContext, DescriptorError } from './context.js';
import { Descriptor } from './descriptor.js';
import { hideKeys, KeyTokens, NO_KEY_TOKENS } from './key-tokens.js';
import type { ParseState } from './parse-path.js';
import { parseScript } from './parse-script.js';
import { SecretRing } from './secrets.js';

/**
 * Longest text: five times the length of 999 extended keys with origins. Core has no limit, because it parses a
 * descriptor on a thread that delays no other work.
 */
const MAX_LENGTH = 1_000_000;

export interface ParsedDescriptor {
  /** Descriptors: one, or one per item of multipath steps (BIP-0389). */
  readonly descriptors: readonly Descriptor[];
  /** Private keys in the text, which the caller wipes. */
  readonly secrets: SecretRing;
  /** Checksum of the text as it was given. */
  readonly checksum: string;
}

/**
 * Parses a descriptor.
 * @param options requireChecksum: whether the text must have a checksum. A checksum that is present is always verified.
 *   keys: private keys by their tokens in the text, of the same length. Keys that occur in this text are overwritten
 * @returns Core's message if the text is invalid (empty where Core has none)
 */
export function parseDescriptor(
  text: string,
  context: DescriptorContext,
  options: { readonly requireChecksum?: boolean; readonly keys?: ReadonlyMap<string, Uint8Array> | undefined } = {},
): ParsedDescriptor | { readonly error: string } {
  if (text.length > MAX_LENGTH) return { error: `Descriptor is longer than ${MAX_LENGTH} characters` };
  const taken = options.keys?.size ? new KeyTokens(options.keys) : NO_KEY_TOKENS;
  const state: ParseState = { context, secrets: new SecretRing(context.hashes), keyTokens: taken, nextPlace: 0 };
  try {
    const stripped = stripChecksum(text, options.requireChecksum, taken.checksumOf);
    if ('error' in stripped) return { error: hideKeys(stripped.error, options.keys) };
    const rest = { text: stripped.payload };
    const nodes = parseScript(rest, 'top', state);
    if (rest.text !== '') throw new DescriptorError('');
    const descriptors = nodes.map((node) => new Descriptor(node, context));
    return { descriptors, secrets: state.secrets, checksum: stripped.checksum };
  } catch (error) {
    state.secrets.wipe();
    if (error instanceof DescriptorError) return { error: hideKeys(error.message, options.keys) };
    throw error;
  } finally {
    taken.wipe(text);
  }
}
