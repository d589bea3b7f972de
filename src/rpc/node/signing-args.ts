// Shared by methods that sign: spent outputs from chain, mempool, and the caller (prevtxs), the sighash type, and the
// result. Core 0.21: rpc/rawtransaction_util.cpp ParsePrevouts and SignTransactionResultToJSON, core_read.cpp
// ParseSighashString.

import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { scriptHashScript, witnessProgramScript } from '../../consensus/script/build-script.js';
import { SIGHASH_ALL, SIGHASH_ANYONECANPAY, SIGHASH_DEFAULT, SIGHASH_NONE, SIGHASH_SINGLE } from '../../consensus/script/sighash.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import { isPayToScriptHash, witnessVersion } from '../../consensus/script/templates.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { follows } from '../../policy/compat.js';
import { scriptAsm } from '../../policy/script-asm.js';
import { type FlatProvider, MISSING_AMOUNT, type SignedInput, UNKNOWN_AMOUNT, withInputs } from '../../signing/index.js';
import { asAmount, asHash, asHex, asInt, checkMembers } from '../args.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';
import { bytesHex, hashHex } from '../render/hex.js';
import { JsonObject, type JsonResult, type JsonValue } from '../wire/values.js';
import { outpointOf } from './lookup.js';
import { decodeTx } from './raw-tx.js';

const isNull = (value: JsonValue | undefined): boolean => (value ?? null) === null;

/** Parses the transaction to sign. @throws RpcError */
export function asUnsignedTx(ctx: { readonly crypto: Hashes }, text: string): TxView {
  const tx = decodeTx(ctx, text);
  return tx ?? fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed. Make sure the tx has at least one input.');
}

/** Outputs by hashKey of their outpoint. */
type OutputMap = Map<string, SpentOutput>;

/** Returns the outpoints that a transaction spends, 36 bytes each. */
export const outpointsOf = (tx: TxView): Uint8Array[] => Array.from({ length: tx.inputCount }, (_, i) => tx.outpoint(i));

/**
 * Returns the outputs that inputs spend. Those of the caller (prevtxs) override those of the node.
 * @param found result of findOutputs()
 * @param scripts receives redeem and witness scripts; null: ignore the caller's
 */
export function spentOutputs(
  found: readonly (SpentOutput | null)[],
  tx: TxView,
  prevTxs: readonly JsonValue[] | undefined,
  scripts: FlatProvider | null,
  hashes: Hashes,
): readonly (SpentOutput | null)[] {
  if (prevTxs === undefined) return found;
  const outputs: OutputMap = new Map();
  for (const [i, output] of found.entries()) if (output) outputs.set(hashKey(tx.outpoint(i)), output);
  readPrevTxs(prevTxs, outputs, scripts, hashes);
  return found.map((_, i) => outputs.get(hashKey(tx.outpoint(i))) ?? null);
}

/** Adds prevtxs to the map, over the outputs of the node. */
function readPrevTxs(listed: readonly JsonValue[], outputs: OutputMap, scripts: FlatProvider | null, hashes: Hashes): void {
  for (const item of listed) {
    if (!(item instanceof JsonObject)) fail(RPC_CODE.DESERIALIZATION_ERROR, `expected object with {"txid'","vout","scriptPubKey"}`);
    const previous = item as JsonObject;
    checkMembers(previous, { txid: 'string', vout: 'number', scriptPubKey: 'string' });
    const txid = asHash(previous.get('txid'), 'txid');
    const index = asInt(previous.get('vout'));
    if (index < 0) fail(RPC_CODE.DESERIALIZATION_ERROR, 'vout cannot be negative');
    const script = asHex(previous.get('scriptPubKey'), 'scriptPubKey');
    const key = hashKey(outpointOf(txid, index));
    const known = outputs.get(key);
    if (known && !equalBytes(known.script, script)) {
      const text = `Previous output scriptPubKey mismatch:\n${scriptAsm(known.script)}\nvs:\n${scriptAsm(script)}`;
      fail(RPC_CODE.DESERIALIZATION_ERROR, text);
    }
    const amount = previous.get('amount');
    outputs.set(key, { value: amount === undefined ? UNKNOWN_AMOUNT : asAmount(amount), script });
    if (scripts) addScripts(previous, script, scripts, hashes);
  }
}

/** Adds the scripts behind a P2SH or P2WSH output, after checking that they belong to it. */
function addScripts(previous: JsonObject, script: Uint8Array, scripts: FlatProvider, hashes: Hashes): void {
  const p2sh = isPayToScriptHash(script);
  if (!p2sh && !(witnessVersion(script) === 0 && script.length === 34)) return;
  checkMembers(previous, { redeemScript: 'string', witnessScript: 'string' }, { allowNull: true });
  const redeem = previous.get('redeemScript');
  const witness = previous.get('witnessScript');
  if (isNull(redeem) && isNull(witness)) fail(RPC_CODE.INVALID_PARAMETER, 'Missing redeemScript/witnessScript');
  const inner = isNull(witness) ? asHex(redeem, 'redeemScript') : asHex(witness, 'witnessScript');
  const program = witnessProgramScript(0, hashes.sha256(inner));
  for (const known of [inner, program]) scripts.scripts.set(hashKey(hashes.hash160(known)), known);
  if (!isNull(redeem) && !isNull(witness) && redeem !== witness && !equalBytes(asHex(redeem, 'redeemScript'), program)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'redeemScript does not correspond to witnessScript');
  }
  const fitting = p2sh ? [inner, program].map((candidate) => scriptHashScript(hashes.hash160(candidate))) : [program];
  if (!fitting.some((candidate) => equalBytes(candidate, script))) {
    fail(RPC_CODE.INVALID_PARAMETER, 'redeemScript/witnessScript does not match scriptPubKey');
  }
}

const HASH_TYPES = new Map<string, number>(
  [['ALL', SIGHASH_ALL] as const, ['NONE', SIGHASH_NONE] as const, ['SINGLE', SIGHASH_SINGLE] as const].flatMap(([name, type]) => [
    [name, type],
    [`${name}|ANYONECANPAY`, type | SIGHASH_ANYONECANPAY],
  ]),
);

/**
 * Parses a sighash type. If it is omitted, it is DEFAULT, which means ALL except in taproot signatures. DEFAULT can be
 * named only if descriptors know taproot; 0.21 has no such type.
 */
export function asHashType(text: string | undefined, ctx: Pick<NodeContext, 'compat' | 'descriptors'>): number {
  if (text === undefined) return SIGHASH_DEFAULT;
  if (knowsTaproot(ctx) && text === 'DEFAULT') return SIGHASH_DEFAULT;
  const known = HASH_TYPES.get(text);
  if (known !== undefined) return known;
  if (follows(ctx.compat, 26)) return fail(RPC_CODE.INVALID_PARAMETER, `'${text}' is not a valid sighash parameter.`);
  // Core throws a C string, which ends at the first zero byte.
  const [message] = `${text} is not a valid sighash parameter.`.split('\0');
  return fail(RPC_CODE.MISC_ERROR, message);
}

export const knowsTaproot = (ctx: Pick<NodeContext, 'descriptors'>): boolean => ctx.descriptors.language === 'master';

/** Returns the result of a method that signs. */
export function signingReply(tx: TxView, spent: readonly (SpentOutput | null)[], inputs: readonly SignedInput[]): JsonResult {
  const errors: JsonResult[] = [];
  inputs.forEach(({ scriptSig, witness, error }, i) => {
    const output = spent[i];
    if (error === MISSING_AMOUNT && output) fail(RPC_CODE.TYPE_ERROR, `Missing amount for ${outputText(output)}`);
    if (error === null) return;
    errors.push({
      txid: hashHex(tx.prevHash(i)),
      vout: tx.prevIndex(i),
      witness: witness.map(bytesHex),
      scriptSig: bytesHex(scriptSig),
      sequence: tx.sequence(i),
      error,
    });
  });
  const reply = { hex: bytesHex(withInputs(tx, inputs)), complete: errors.length === 0 };
  return errors.length > 0 ? { ...reply, errors } : reply;
}

/** Describes an output in an error message; the script is cut to 30 digits. */
function outputText({ value, script }: SpentOutput): string {
  const coins = `${Math.floor(value / 100_000_000)}.${String(value % 100_000_000).padStart(8, '0')}`;
  return `CTxOut(nValue=${coins}, scriptPubKey=${bytesHex(script).slice(0, 30)})`;
}
