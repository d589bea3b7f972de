// Reads private keys of a call, as bytes.
import { decodeWif, type WifKey } from '../../address/wif.js';
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import type { JsonValue } from '../wire/values.js';

/**
 * Reads a private key argument. Its text was taken out of the request before parsing.
 * @returns key that the caller must wipe; null if it is not a key of this network
 */
export function privateKeyOf(value: JsonValue | undefined, ctx: Pick<NodeContext, 'params' | 'crypto'>, call: CallInfo): WifKey | null {
  const text = asString(value);
  const taken = call.taken?.keys.get(text);
  const wif = decodeWif(taken ?? text, ctx.params, ctx.crypto);
  // Wipe the text now: each key is read only once, and a scan after an import may take hours.
  taken?.fill(0);
  return wif;
}
