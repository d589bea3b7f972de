// Shows a PSBT as an object, with the members of all releases that -compat selects.

import { encodeAddress } from '../../address/address.js';
import { encodeBase58Check } from '../../address/base58.js';
import { formatPath } from '../../address/bip32/key-path.js';
import type { KeyOrigin, OriginKey } from '../../address/descriptor/expansion.js';
import { compareBytes } from '../../consensus/bytes/hex.js';
import { readU32 } from '../../consensus/bytes/reader.js';
import { follows, only } from '../../policy/compat.js';
import { HASH_TYPE_NAMES, scriptAsm } from '../../policy/script-asm.js';
import { solve } from '../../policy/script-type.js';
import {
  GLOBAL,
  IN,
  OUT,
  PROPRIETARY,
  type Psbt,
  type PsbtInput,
  type PsbtOutput,
  proprietaryKey,
  type RawField,
  rawOf,
  remaining,
  sortedBy,
  sortedLeaves,
  type TapKeyPath,
  tapTreeLeaves,
  utxoOf,
} from '../../psbt/index.js';
import { MAX_MONEY } from '../args.js';
import { PAID_SCRIPT_MEMBERS } from '../declare/psbt-parts.js';
import { objectShaper } from '../declare/versions.js';
import { Amount, JsonObject, type JsonResult, RawJson } from '../wire/values.js';
import { bytesHex, hashHex } from './hex.js';
import { type RenderContext, scriptMembers } from './script.js';
import { txWriterOf } from './tx-writer.js';

type Members = Record<string, JsonResult>;

/** Returns the members of a PSBT. */
export function psbtMembers(psbt: Psbt, ctx: RenderContext): Members {
  const members: Members = {};
  // Releases up to 31 do not know version 2. If -compat selects such a release, show the transaction that the fields of
  // version 2 describe.
  if (psbt.version2 === null || !only(ctx.compat, 32)) members.tx = new RawJson(txWriterOf(ctx).text(psbt.tx));
  if (knowsAll(ctx)) addGlobal(members, psbt, ctx);
  members.unknown = rawMembers(knowsAll(ctx) ? remaining(psbt.unknown, [GLOBAL.XPUB, PROPRIETARY]) : remaining(psbt.unknown, []));
  members.inputs = psbt.inputs.map((_, i) => inputMembers(psbt, i, ctx));
  members.outputs = psbt.outputs.map((_, i) => outputMembers(psbt, i, ctx));
  const fee = feeOf(psbt);
  if (fee !== null) members.fee = new Amount(fee);
  return members;
}

const isMoney = (value: number): boolean => value >= 0 && value <= MAX_MONEY;

/** Returns the fee in satoshis; null if a spent output is unknown or a value is invalid. */
function feeOf(psbt: Psbt): number | null {
  let paid = 0;
  for (let i = 0; i < psbt.inputs.length; i++) {
    const utxo = utxoOf(psbt, i);
    if (utxo === null || !isMoney(utxo.value) || !isMoney(paid + utxo.value)) return null;
    paid += utxo.value;
  }
  let spent = 0;
  for (let i = 0; i < psbt.outputs.length; i++) {
    const value = psbt.tx.outputValue(i);
    if (!isMoney(value) || !isMoney(spent + value)) return null;
    spent += value;
  }
  return paid - spent;
}

/**
 * Returns whether fields that 0.21 lists as unknown have members of their own, as since release 24. This includes those
 * of MuSig2, which Core has since release 30: no compatibility mode follows a release from 24 to 29.
 */
const knowsAll = ({ compat }: RenderContext): boolean => follows(compat, 24);

/**
 * Returns fields as an object of hex keys and values.
 * @param from offset in the keys, to skip their type; 0 for the whole key
 */
function rawMembers(fields: readonly RawField[], from = 0): JsonObject {
  return new JsonObject(
    fields.map(({ key }) => bytesHex(key.subarray(from))),
    fields.map(({ value }) => bytesHex(value)),
  );
}

const proprietaryMembers = (fields: ReadonlyMap<string, RawField>): JsonResult[] =>
  rawOf(fields, PROPRIETARY).map(({ key, value }) => {
    const { identifier, subtype } = proprietaryKey(key);
    return { identifier: bytesHex(identifier), subtype, key: bytesHex(key), value: bytesHex(value) };
  });

function addGlobal(out: Members, { unknown, version2, tx, inputs, outputs }: Psbt, { hashes, compat }: RenderContext): void {
  out.global_xpubs = rawOf(unknown, GLOBAL.XPUB).map(({ key, value }) => ({
    xpub: encodeBase58Check(key.subarray(1), hashes),
    master_fingerprint: bytesHex(value.subarray(0, 4)),
    path: `m${formatPath(
      Array.from({ length: value.length / 4 - 1 }, (_, i) => readU32(value, 4 * (i + 1))),
      compat.hardenedMark,
    )}`,
  }));
  if (version2 !== null) {
    out.tx_version = tx.version >>> 0;
    if (version2.fallbackLocktime !== null) out.fallback_locktime = version2.fallbackLocktime;
    out.input_count = inputs.length;
    out.output_count = outputs.length;
    const { modifiable } = version2;
    if (modifiable !== null) {
      out.inputs_modifiable = (modifiable & 1) !== 0;
      out.outputs_modifiable = (modifiable & 2) !== 0;
      out.has_sighash_single = (modifiable & 4) !== 0;
    }
  }
  out.psbt_version = version2 === null ? 0 : 2;
  out.proprietary = proprietaryMembers(unknown);
}

function innerScript(script: Uint8Array): Members {
  return { asm: scriptAsm(script), hex: bytesHex(script), type: solve(script).type };
}

function originMembers({ fingerprint, path }: KeyOrigin, { compat }: RenderContext): Members {
  return { master_fingerprint: bytesHex(fingerprint), path: `m${formatPath(path, compat.hardenedMark)}` };
}

function keyPathMembers(paths: ReadonlyMap<string, OriginKey>, ctx: RenderContext): JsonResult {
  return sortedBy(paths.values(), (path) => path.publicKey).map(({ publicKey, origin }) => ({
    pubkey: bytesHex(publicKey),
    ...originMembers(origin, ctx),
  }));
}

function tapKeyPathMembers(paths: ReadonlyMap<string, TapKeyPath>, ctx: RenderContext): JsonResult {
  return sortedBy(paths.values(), (path) => path.publicKey).map(({ publicKey, leafHashes, origin }) => ({
    pubkey: bytesHex(publicKey),
    ...originMembers(origin, ctx),
    leaf_hashes: sortedBy(leafHashes, (hash) => hash).map(bytesHex),
  }));
}

/** Returns the members of an output's script. */
function paidScript(script: Uint8Array, ctx: RenderContext): Members {
  const { asm, desc, hex: text, type } = scriptMembers(script, ctx, true);
  const address = encodeAddress(script, ctx.params, ctx.hashes);
  const out: Members = { asm };
  if (desc !== undefined) out.desc = desc;
  out.hex = text;
  out.type = type;
  if (address !== null) out.address = address;
  return (objectShaper(PAID_SCRIPT_MEMBERS, ctx.compat)?.(out) ?? out) as Members;
}

function inputMembers(psbt: Psbt, index: number, ctx: RenderContext): Members {
  const input = psbt.inputs[index];
  const out: Members = {};
  if (input.witnessUtxo !== null) {
    const { value, script } = input.witnessUtxo;
    out.witness_utxo = { amount: new Amount(value), scriptPubKey: paidScript(script, ctx) };
  }
  if (input.nonWitnessUtxo !== null) out.non_witness_utxo = new RawJson(txWriterOf(ctx).text(input.nonWitnessUtxo));
  if (input.partialSigs.size > 0) {
    const signatures = sortedBy(
      [...input.partialSigs.values()].map((sig) => ({ ...sig, id: ctx.hashes.hash160(sig.publicKey) })),
      (sig) => sig.id,
    );
    out.partial_signatures = new JsonObject(
      signatures.map(({ publicKey }) => bytesHex(publicKey)),
      signatures.map(({ signature }) => bytesHex(signature)),
    );
  }
  const type = input.sighashType;
  if (type !== null && (type > 0 || knowsAll(ctx))) out.sighash = HASH_TYPE_NAMES.get(type & 0xff) ?? '';
  if (input.redeemScript.length > 0) out.redeem_script = innerScript(input.redeemScript);
  if (input.witnessScript.length > 0) out.witness_script = innerScript(input.witnessScript);
  if (input.keyPaths.size > 0) out.bip32_derivs = keyPathMembers(input.keyPaths, ctx);
  if (input.finalScriptSig.length > 0) {
    out.final_scriptSig = { asm: scriptAsm(input.finalScriptSig, { sighashDecode: true }), hex: bytesHex(input.finalScriptSig) };
  }
  if (input.finalWitness.length > 0) out.final_scriptwitness = input.finalWitness.map(bytesHex);
  if (knowsAll(ctx)) {
    for (const [type, name] of PREIMAGE_NAMES) {
      const preimages = rawOf(input.unknown, type);
      if (preimages.length > 0) out[name] = rawMembers(preimages, 1);
    }
  }
  if (psbt.version2 !== null) {
    out.previous_txid = hashHex(psbt.tx.prevHash(index));
    out.previous_vout = psbt.tx.prevIndex(index);
    if (input.sequence !== null) out.sequence = input.sequence;
    if (input.requiredTime !== null) out.time_locktime = input.requiredTime;
    if (input.requiredHeight !== null) out.height_locktime = input.requiredHeight;
  }
  addTaproot(out, input, ctx);
  if (knowsAll(ctx)) {
    addParticipants(out, rawOf(input.unknown, IN.MUSIG2_PARTICIPANTS));
    addMusigSigners(out, input, IN.MUSIG2_PUB_NONCE, 'musig2_pubnonces', 'pubnonce');
    addMusigSigners(out, input, IN.MUSIG2_PARTIAL_SIG, 'musig2_partial_sigs', 'partial_sig');
  }
  addRaw(out, input.unknown, [...PREIMAGE_NAMES.keys(), IN.MUSIG2_PARTICIPANTS, IN.MUSIG2_PUB_NONCE, IN.MUSIG2_PARTIAL_SIG], ctx);
  return out;
}

const PREIMAGE_NAMES = new Map<number, string>([
  [IN.RIPEMD160, 'ripemd160_preimages'],
  [IN.SHA256, 'sha256_preimages'],
  [IN.HASH160, 'hash160_preimages'],
  [IN.HASH256, 'hash256_preimages'],
]);

/** Size of a MuSig2 key in bytes. */
const KEY_SIZE = 33;

function addParticipants(out: Members, fields: readonly RawField[]): void {
  if (fields.length === 0) return;
  out.musig2_participant_pubkeys = fields.map(({ key, value }) => ({
    aggregate_pubkey: bytesHex(key.subarray(1)),
    participant_pubkeys: Array.from({ length: value.length / KEY_SIZE }, (_, i) =>
      bytesHex(value.subarray(i * KEY_SIZE, (i + 1) * KEY_SIZE)),
    ),
  }));
}

function addMusigSigners(out: Members, input: PsbtInput, type: number, list: string, name: string): void {
  const fields = rawOf(input.unknown, type);
  if (fields.length === 0) return;
  out[list] = fields.map(({ key, value }) => {
    const leaf = key.subarray(1 + 2 * KEY_SIZE);
    return {
      participant_pubkey: bytesHex(key.subarray(1, 1 + KEY_SIZE)),
      aggregate_pubkey: bytesHex(key.subarray(1 + KEY_SIZE, 1 + 2 * KEY_SIZE)),
      ...(leaf.length > 0 && { leaf_hash: bytesHex(leaf) }),
      [name]: bytesHex(value),
    };
  });
}

/** Adds proprietary and unknown fields. @param known types that have members of their own in later releases */
function addRaw(out: Members, unknown: ReadonlyMap<string, RawField>, known: readonly number[], ctx: RenderContext): void {
  if (unknown.size === 0) return;
  const own = knowsAll(ctx) ? proprietaryMembers(unknown) : [];
  if (own.length > 0) out.proprietary = own;
  const left = remaining(unknown, knowsAll(ctx) ? [...known, PROPRIETARY] : []);
  if (left.length > 0) out.unknown = rawMembers(left);
}

function addTaproot(out: Members, input: PsbtInput, ctx: RenderContext): void {
  if (input.tapKeySig !== null) out.taproot_key_path_sig = bytesHex(input.tapKeySig);
  if (input.tapScriptSigs.size > 0) {
    const signatures = [...input.tapScriptSigs.values()].sort(
      (a, b) => compareBytes(a.publicKey, b.publicKey) || compareBytes(a.leafHash, b.leafHash),
    );
    out.taproot_script_path_sigs = signatures.map(({ publicKey, leafHash, signature }) => ({
      pubkey: bytesHex(publicKey),
      leaf_hash: bytesHex(leafHash),
      sig: bytesHex(signature),
    }));
  }
  if (input.tapLeafScripts.size > 0) out.taproot_scripts = leafMembers(input);
  if (input.tapKeyPaths.size > 0) out.taproot_bip32_derivs = tapKeyPathMembers(input.tapKeyPaths, ctx);
  if (input.tapInternalKey !== null) out.taproot_internal_key = bytesHex(input.tapInternalKey);
  if (input.tapMerkleRoot !== null) out.taproot_merkle_root = bytesHex(input.tapMerkleRoot);
}

/** Returns the leaves, each with all its control blocks. */
function leafMembers(input: PsbtInput): JsonResult {
  const shown: { script: string; leaf_ver: number; control_blocks: string[] }[] = [];
  for (const { script, leafVersion, controlBlock } of sortedLeaves(input)) {
    const text = bytesHex(script);
    const last = shown.at(-1);
    if (last?.script === text && last.leaf_ver === leafVersion) last.control_blocks.push(bytesHex(controlBlock));
    else shown.push({ script: text, leaf_ver: leafVersion, control_blocks: [bytesHex(controlBlock)] });
  }
  return shown;
}

function outputMembers(psbt: Psbt, index: number, ctx: RenderContext): Members {
  const output: PsbtOutput = psbt.outputs[index];
  const out: Members = {};
  if (output.redeemScript.length > 0) out.redeem_script = innerScript(output.redeemScript);
  if (output.witnessScript.length > 0) out.witness_script = innerScript(output.witnessScript);
  if (output.keyPaths.size > 0) out.bip32_derivs = keyPathMembers(output.keyPaths, ctx);
  if (psbt.version2 !== null) {
    out.amount = new Amount(psbt.tx.outputValue(index));
    out.script = paidScript(psbt.tx.outputScript(index), ctx);
  }
  if (output.tapInternalKey !== null) out.taproot_internal_key = bytesHex(output.tapInternalKey);
  if (output.tapTree !== null) {
    out.taproot_tree = tapTreeLeaves(output.tapTree).map(({ depth, leafVersion, script }) => ({
      depth,
      leaf_ver: leafVersion,
      script: bytesHex(script),
    }));
  }
  if (output.tapKeyPaths.size > 0) out.taproot_bip32_derivs = tapKeyPathMembers(output.tapKeyPaths, ctx);
  if (knowsAll(ctx)) addParticipants(out, rawOf(output.unknown, OUT.MUSIG2_PARTICIPANTS));
  addRaw(out, output.unknown, [OUT.MUSIG2_PARTICIPANTS], ctx);
  return out;
}
