// Reads output descriptors: checksum, then script expression. The entry to this room; used by RPC and wallets.
import { stripChecksum } from './checksum.js';
import { type DescriptorContext, DescriptorError } from './context.js';
import { Descriptor } from './descriptor.js';
import { hideKeys, KeyTokens, NO_KEY_TOKENS } from './key-tokens.js';
import type { ParseState } from './parse-path.js';
import { parseScript } from './parse-script.js';
import { SecretRing } from './secrets.js';

/**
 * Characters of a text that is read at all: five times what 999 extended keys with origins take. Core has no bound, but
 * its thread that reads one holds up nothing else.
 */
const MAX_LENGTH = 1_000_000;

/** A descriptor's text, read. */
export interface ParsedDescriptor {
  /** One, or one per item of its multipath steps (BIP-0389). */
  readonly descriptors: readonly Descriptor[];
  /** The secrets in the text, for the caller to wipe. */
  readonly secrets: SecretRing;
  /** The checksum of the text as it was given. */
  readonly checksum: string;
}

/**
 * Reads a descriptor.
 * @param options requireChecksum: whether the text must carry its checksum; one that is there is always checked.
 *   keys: private keys by what stands for them in the text, of the same length; those of this text are overwritten
 * @returns Core's message when the text is none (empty where Core gives none)
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
