// decoderawtransaction and decodescript: pure views of bytes.

import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTxLenient } from '../../consensus/tx/parse-lenient.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { solve } from '../../policy/script-type.js';
import { asBool, asHex, asString, checkTypes, hexBytes } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { addressOf, payToScriptHash, scriptMembers } from '../render/script.js';
import { txMembers } from '../render/tx.js';
import type { JsonResult, JsonValue } from '../wire/values.js';
import type { FrontContext } from './context.js';

/** The transaction that decoderawtransaction is asked about. */
export function txToDecode(args: readonly JsonValue[], hashes: Hashes): TxView {
  checkTypes(args, ['string', 'bool']);
  const wanted: JsonValue = args[1] ?? null;
  const tryWitness = wanted === null || asBool(wanted);
  const tryNoWitness = wanted === null || !tryWitness;
  const bytes = hexBytes(asString(args[0])) ?? fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
  try {
    return parseTxLenient(bytes, hashes, { tryWitness, tryNoWitness });
  } catch (error) {
    if (error instanceof DecodeError) return fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
    throw error;
  }
}

export const decoderawtransaction: Run<FrontContext> = (ctx, args) => txMembers(txToDecode(args, ctx.hashes), ctx);

/** The witness script that wraps a script: the key hash for single keys, the script hash otherwise; null for uncompressed keys. */
function witnessScript(script: Uint8Array, ctx: FrontContext): Uint8Array | null {
  const { type, solutions } = solve(script);
  if ((type === 'pubkey' || type === 'multisig') && solutions.some((item) => item.length !== 1 && item.length !== 33)) return null;
  if (type === 'pubkey') return Uint8Array.of(0, 20, ...ctx.hashes.hash160(solutions[0]!));
  if (type === 'pubkeyhash') return Uint8Array.of(0, 20, ...solutions[0]!);
  return Uint8Array.of(0, 32, ...ctx.hashes.sha256(script));
}

export const decodescript: Run<FrontContext> = (ctx, args) => {
  checkTypes(args, ['string']);
  const script = args[0] === '' ? new Uint8Array(0) : asHex(args[0], 'argument');
  const out: Record<string, JsonResult> = scriptMembers(script, ctx, false);
  if (out.type === 'scripthash') return out;
  out.p2sh = addressOf(payToScriptHash(script, ctx.hashes), ctx);
  if (out.type !== 'pubkey' && out.type !== 'pubkeyhash' && out.type !== 'multisig' && out.type !== 'nonstandard') return out;
  const witness = witnessScript(script, ctx);
  if (witness === null) return out;
  out.segwit = { ...scriptMembers(witness, ctx, true), 'p2sh-segwit': addressOf(payToScriptHash(witness, ctx.hashes), ctx) };
  return out;
};
