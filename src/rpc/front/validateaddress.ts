// validateaddress: an address, normalised, with its script and what kind of script that is.
import { decodeAddress } from '../../address/address.js';
import { solve } from '../../policy/script-type.js';
import { asString } from '../args.js';
import type { Run } from '../dispatch.js';
import { hex } from '../render/hex.js';
import { addressOf } from '../render/script.js';
import type { JsonResult } from '../wire/values.js';
import type { FrontContext } from './context.js';

/** Version of a witness program from its first opcode: OP_0, or OP_1 (0x51) to OP_16. */
const witnessVersion = (script: Uint8Array) => (script[0] === 0 ? 0 : script[0]! - 0x50);

function details(script: Uint8Array): Record<string, JsonResult> {
  const program = { witness_version: witnessVersion(script), witness_program: hex(script.subarray(2)) };
  switch (solve(script).type) {
    case 'pubkeyhash':
      return { isscript: false, iswitness: false };
    case 'scripthash':
      return { isscript: true, iswitness: false };
    case 'witness_v0_keyhash':
      return { isscript: false, iswitness: true, ...program };
    case 'witness_v0_scripthash':
      return { isscript: true, iswitness: true, ...program };
    default:
      return { iswitness: true, ...program };
  }
}

export const validateaddress: Run<FrontContext> = (ctx, args) => {
  const decoded = decodeAddress(asString(args[0]), ctx.params, ctx.hashes);
  if (!('script' in decoded)) return { isvalid: false };
  const { script } = decoded;
  return { isvalid: true, address: addressOf(script, ctx), scriptPubKey: hex(script), ...details(script) };
};
