// Pool payout systems validate the address of every miner, so the reply is written as text directly: addresses and hex
// need no escaping.

import { type DecodedAddress, decodeAddress } from '../../../address/address.js';
import { type Compat, follows } from '../../../policy/compat.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import type { FrontRun } from '../../front/context.js';
import { bytesHex } from '../../render/hex.js';
import { RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'validateaddress',
  category: 'util',
  runs: 'front',
  cacheable: true,
  description: 'Returns whether an address is valid, and its details.',
  args: [str('address', 'The address')],
  results: [
    obj([
      bool('isvalid', 'Whether the address is valid. If not, only the error follows'),
      str('address?', 'The address'),
      hex('scriptPubKey?', 'The output script'),
      bool('isscript?', 'Whether the address is of a script'),
      bool('iswitness?', 'Whether the address is a witness address'),
      num('witness_version?', 'The witness version'),
      hex('witness_program?', 'The witness program'),
      arr('error_locations?', 'Likely positions of the mistake', { since: 22 }, [num('The index of a character')]),
      str('error?', 'Error, if the address is invalid', { since: 22 }),
    ]),
  ],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' }],
});

/**
 * Returns the members about the type of script. A witness program is what follows the first two bytes of the script.
 */
function details({ kind, witnessVersion }: DecodedAddress, scriptHex: string, compat: Compat): string {
  if (witnessVersion < 0) return `"isscript":${kind === 'scripthash'},"iswitness":false`;
  if (kind === 'anchor' && follows(compat, 28)) return '"isscript":true,"iswitness":true';
  const witness = `"iswitness":true,"witness_version":${witnessVersion},"witness_program":"${scriptHex.slice(4)}"`;
  // Core includes isscript only for programs that it knows.
  if (witnessVersion === 0) return `"isscript":${kind === 'witness_v0_scripthash'},${witness}`;
  return kind === 'witness_v1_taproot' && follows(compat, 22) ? `"isscript":true,${witness}` : witness;
}

export const validateaddress: FrontRun<typeof spec> = (params, ctx) => {
  // Core reports positions of errors in bytes.
  const text = Buffer.from(params.address).toString('latin1');
  const decoded = decodeAddress(text, ctx.params, ctx.hashes);
  if ('error' in decoded) {
    const why = { error_locations: [...(decoded.locations ?? [])], error: decoded.error };
    return { isvalid: false, ...(follows(ctx.compat, 22) && why) };
  }
  // The text is already normal, except for spaces around Base58 and upper case in Bech32.
  const address = decoded.witnessVersion < 0 ? text.trim() : text.toLowerCase();
  const scriptHex = bytesHex(decoded.script);
  return new RawJson(`{"isvalid":true,"address":"${address}","scriptPubKey":"${scriptHex}",${details(decoded, scriptHex, ctx.compat)}}`);
};
