// Reads passphrases of a call, as bytes.
import { asString } from '../args.js';
import type { CallInfo } from '../dispatch.js';
import type { JsonValue } from '../wire/values.js';

/**
 * Reads a passphrase argument. It was taken out of the request before parsing. As in Core 0.21 it ends at the first
 * NUL.
 * @returns bytes that the caller must wipe
 */
export function passphraseOf(args: readonly JsonValue[], at: number, call: CallInfo): Uint8Array {
  const taken = call.taken?.passphrase(call.index ?? 0, at);
  if (taken) return taken;
  const text = asString(args[at]);
  const end = text.indexOf('\0');
  return new TextEncoder().encode(end < 0 ? text : text.slice(0, end));
}
