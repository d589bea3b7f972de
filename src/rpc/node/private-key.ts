// Private keys of a call, as bytes.
import { decodeWif, type WifKey } from '../../address/wif.js';
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import type { JsonValue } from '../wire/values.js';

/**
 * A private key among the arguments. Its text was taken out of the request before that was parsed.
 * @returns its key is wiped by the caller; null when it is none of this network
 */
export function privateKeyOf(value: JsonValue | undefined, ctx: Pick<NodeContext, 'params' | 'crypto'>, call: CallInfo): WifKey | null {
  const text = asString(value);
  const taken = call.taken?.keys.get(text);
  const wif = decodeWif(taken ?? text, ctx.params, ctx.crypto);
  // Each is asked for once; a scan after an import may last for hours.
  taken?.fill(0);
  return wif;
}
