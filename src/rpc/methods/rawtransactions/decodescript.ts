import { encodeScriptHash } from '../../../address/address.js';
import { NO_PROVIDER } from '../../../address/descriptor/infer.js';
import { witnessProgramScript } from '../../../consensus/script/build-script.js';
import { isOpSuccess, OP } from '../../../consensus/script/opcodes.js';
import { ScriptTokenizer } from '../../../consensus/script/tokenizer.js';
import { follows } from '../../../policy/compat.js';
import { isUnspendable, solve } from '../../../policy/script-type.js';
import { asHex } from '../../args.js';
import { SCRIPT_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { hex, obj, str } from '../../declare/parts.js';
import type { FrontContext, FrontRun } from '../../front/context.js';
import { scriptMembers } from '../../render/script.js';
import type { JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'decodescript',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Returns a script as an object.',
  args: [hex('hexstring', 'The script', { as: 'json' })],
  results: [
    obj([
      ...SCRIPT_MEMBERS.filter(({ name }) => name !== 'hex'),
      str('p2sh?', 'Address of the P2SH script that wraps this script. Absent for a P2SH script'),
      obj('segwit?', 'The witness output script that wraps this script. Absent for witness programs and P2SH scripts', [
        ...SCRIPT_MEMBERS,
        str('p2sh-segwit', 'Address of the P2SH script that wraps the witness script'),
      ]),
    ]),
  ],
  examples: [{ cli: '"hexstring"', rpc: '"hexstring"' }],
});

/**
 * Returns the witness program for a script: of the key hash for a single key, otherwise of the script hash. Returns
 * null for uncompressed keys.
 */
function witnessScript(script: Uint8Array, ctx: FrontContext): Uint8Array | null {
  const { type, solutions } = solve(script);
  if ((type === 'pubkey' || type === 'multisig') && solutions.some((item) => item.length !== 1 && item.length !== 33)) return null;
  if (type === 'pubkey') return witnessProgramScript(0, ctx.hashes.hash160(solutions[0]));
  return witnessProgramScript(0, type === 'pubkeyhash' ? solutions[0] : ctx.hashes.sha256(script));
}

/**
 * Types for which decodescript shows P2SH addresses, since release 23. Excludes data carriers, script hashes, anchors,
 * taproot, and unknown versions.
 */
const WRAPPED: readonly string[] = ['multisig', 'nonstandard', 'pubkey', 'pubkeyhash', 'witness_v0_keyhash', 'witness_v0_scripthash'];

const MAX_OPCODE = OP.OP_NOP10;

const MAX_ELEMENT_SIZE = 520;

/** Returns whether a script could be executed inside P2SH, P2WSH, and taproot. */
function canRun(script: Uint8Array): boolean {
  if (isUnspendable(script)) return false;
  const tokens = new ScriptTokenizer(script);
  while (tokens.next()) {
    if (tokens.opcode > MAX_OPCODE || tokens.dataLength > MAX_ELEMENT_SIZE || isOpSuccess(tokens.opcode)) return false;
  }
  return !tokens.failed;
}

/** Returns the P2SH address of a script. */
const scriptHashAddress = (script: Uint8Array, { params, hashes }: FrontContext): string =>
  encodeScriptHash(hashes.hash160(script), params, hashes);

export const decodescript: FrontRun<typeof spec> = ({ hexstring }, ctx) => {
  const script = hexstring === '' ? new Uint8Array(0) : asHex(hexstring, 'argument');
  const out: Record<string, JsonResult> = scriptMembers(script, ctx, false);
  const type = String(out.type);
  if (follows(ctx.compat, 23) ? !WRAPPED.includes(type) || !canRun(script) : type === 'scripthash') return out;
  out.p2sh = scriptHashAddress(script, ctx);
  if (type !== 'pubkey' && type !== 'pubkeyhash' && type !== 'multisig' && type !== 'nonstandard') return out;
  const witness = witnessScript(script, ctx);
  if (witness === null) return out;
  const inner = { ...NO_PROVIDER, script: () => script };
  out.segwit = { ...scriptMembers(witness, ctx, true, inner), 'p2sh-segwit': scriptHashAddress(witness, ctx) };
  return out;
};
