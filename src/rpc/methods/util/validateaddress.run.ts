// validateaddress: an address, normalised, with its script and what kind of script that is. Payout systems ask for
// every miner they see, so the reply is written as text at once: an address and hex need no escapes.
import { type DecodedAddress, decodeAddress } from '../../../address/address.js';
import { type Compat, follows } from '../../../policy/compat.js';
import { asString } from '../../args.js';
import type { Run } from '../../dispatch.js';
import type { FrontContext } from '../../front/context.js';
import { hex } from '../../render/hex.js';
import { RawJson } from '../../wire/values.js';

/** The members about the kind of script. A witness program is what follows the script's first two bytes. */
function details({ kind, witnessVersion }: DecodedAddress, scriptHex: string, compat: Compat): string {
  if (witnessVersion < 0) return `"isscript":${kind === 'scripthash'},"iswitness":false`;
  if (kind === 'anchor' && follows(compat, 28)) return '"isscript":true,"iswitness":true';
  const witness = `"iswitness":true,"witness_version":${witnessVersion},"witness_program":"${scriptHex.slice(4)}"`;
  // Core says it of programs that it knows.
  if (witnessVersion === 0) return `"isscript":${kind === 'witness_v0_scripthash'},${witness}`;
  return kind === 'witness_v1_taproot' && follows(compat, 22) ? `"isscript":true,${witness}` : witness;
}

export const validateaddress: Run<FrontContext> = (ctx, args) => {
  // Core counts bytes.
  const text = Buffer.from(asString(args[0])).toString('latin1');
  const decoded = decodeAddress(text, ctx.params, ctx.hashes);
  if ('error' in decoded) {
    const why = { error_locations: [...(decoded.locations ?? [])], error: decoded.error };
    return { isvalid: false, ...(follows(ctx.compat, 22) && why) };
  }
  // Both encodings have one spelling only, but for the space around Base58 and the capitals of Bech32.
  const address = decoded.witnessVersion < 0 ? text.trim() : text.toLowerCase();
  const scriptHex = hex(decoded.script);
  return new RawJson(`{"isvalid":true,"address":"${address}","scriptPubKey":"${scriptHex}",${details(decoded, scriptHex, ctx.compat)}}`);
};
