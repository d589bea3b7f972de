// validateaddress: an address, normalised, with its script and what kind of script that is.
import { type DecodedAddress, decodeAddress } from '../../address/address.js';
import { asString } from '../args.js';
import type { Run } from '../dispatch.js';
import { hex } from '../render/hex.js';
import type { JsonResult } from '../wire/values.js';
import type { FrontContext } from './context.js';

function details({ kind, witnessVersion, payload }: DecodedAddress): Record<string, JsonResult> {
  const program = () => ({ witness_version: witnessVersion, witness_program: hex(payload) });
  switch (kind) {
    case 'pubkeyhash':
      return { isscript: false, iswitness: false };
    case 'scripthash':
      return { isscript: true, iswitness: false };
    case 'witness_v0_keyhash':
      return { isscript: false, iswitness: true, ...program() };
    case 'witness_v0_scripthash':
      return { isscript: true, iswitness: true, ...program() };
    default:
      return { iswitness: true, ...program() };
  }
}

export const validateaddress: Run<FrontContext> = (ctx, args) => {
  const text = asString(args[0]);
  const decoded = decodeAddress(text, ctx.params, ctx.hashes);
  if ('error' in decoded) return { isvalid: false };
  // Both encodings have one spelling only, but for the space around Base58 and the capitals of Bech32.
  const address = decoded.witnessVersion < 0 ? text.trim() : text.toLowerCase();
  return { isvalid: true, address, scriptPubKey: hex(decoded.script), ...details(decoded) };
};
