// Passphrases of a call, as bytes.
import { asString } from '../args.js';
import type { CallInfo } from '../dispatch.js';
import type { JsonValue } from '../wire/values.js';

/**
 * The passphrase among the arguments. It was taken out of the request before that was parsed. Like Core 0.21's it ends
 * at the first NUL.
 * @returns bytes that the caller wipes
 */
export function passphraseOf(args: readonly JsonValue[], at: number, call: CallInfo): Uint8Array {
  const taken = call.taken?.passphrase(call.index ?? 0, at);
  if (taken) return taken;
  const text = asString(args[at]);
  const end = text.indexOf('\0');
  return new TextEncoder().encode(end < 0 ? text : text.slice(0, end));
}
