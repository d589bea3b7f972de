// A PSBT as an object, members in the order of Core 0.21.1's decodepsbt; those of taproot where later versions have them.

import { encodeAddress } from '../../address/address.js';
import { formatPath } from '../../address/bip32/key-path.js';
import type { KeyOrigin, OriginKey } from '../../address/descriptor/expansion.js';
import { compareBytes } from '../../consensus/bytes/hex.js';
import { scriptAsm } from '../../policy/script-asm.js';
import { solve } from '../../policy/script-type.js';
import { type Psbt, type PsbtInput, type PsbtOutput, type RawField, sortedBy, type TapKeyPath, utxoOf } from '../../psbt/psbt.js';
import { tapTreeLeaves } from '../../psbt/tap-tree.js';
import { MAX_MONEY } from '../args.js';
import { Amount, JsonObject, type JsonResult } from '../wire/values.js';
import { hex } from './hex.js';
import type { RenderContext } from './script.js';
import { type Pauses, txMembersSliced } from './tx.js';

type Members = Record<string, JsonResult>;

const HASH_TYPES = new Map([
  [0x01, 'ALL'],
  [0x81, 'ALL|ANYONECANPAY'],
  [0x02, 'NONE'],
  [0x82, 'NONE|ANYONECANPAY'],
  [0x03, 'SINGLE'],
  [0x83, 'SINGLE|ANYONECANPAY'],
]);

/** Everything in it, in slices. */
export async function psbtMembers(psbt: Psbt, ctx: RenderContext, pauses: Pauses): Promise<Members> {
  const tx = await txMembersSliced(psbt.tx, ctx, pauses);
  const inputs: JsonResult[] = [];
  for (let i = 0; i < psbt.inputs.length; i++) {
    inputs.push(await inputMembers(psbt.inputs[i], ctx, pauses));
    if (pauses.due) await pauses.pause();
  }
  const outputs: JsonResult[] = [];
  for (const output of psbt.outputs) {
    outputs.push(outputMembers(output));
    if (pauses.due) await pauses.pause();
  }
  const members: Members = { tx, unknown: rawMembers(psbt.unknown), inputs, outputs };
  const fee = feeOf(psbt);
  if (fee !== null) members.fee = new Amount(fee);
  return members;
}

const isMoney = (value: number): boolean => value >= 0 && value <= MAX_MONEY;

/** Inputs less outputs in satoshis; null when an output spent is not known or a value is none. */
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

function rawMembers(fields: ReadonlyMap<string, RawField>): JsonObject {
  const sorted = sortedBy(fields.values(), (raw) => raw.key);
  return new JsonObject(
    sorted.map(({ key }) => hex(key)),
    sorted.map(({ value }) => hex(value)),
  );
}

function innerScript(script: Uint8Array): Members {
  return { asm: scriptAsm(script), hex: hex(script), type: solve(script).type };
}

function originMembers({ fingerprint, path }: KeyOrigin): Members {
  return { master_fingerprint: hex(fingerprint), path: `m${formatPath(path)}` };
}

function keyPathMembers(paths: ReadonlyMap<string, OriginKey>): JsonResult {
  return sortedBy(paths.values(), (path) => path.publicKey).map(({ publicKey, origin }) => ({
    pubkey: hex(publicKey),
    ...originMembers(origin),
  }));
}

function tapKeyPathMembers(paths: ReadonlyMap<string, TapKeyPath>): JsonResult {
  return sortedBy(paths.values(), (path) => path.publicKey).map(({ publicKey, leafHashes, origin }) => ({
    pubkey: hex(publicKey),
    ...originMembers(origin),
    leaf_hashes: sortedBy(leafHashes, (hash) => hash).map(hex),
  }));
}

async function inputMembers(input: PsbtInput, ctx: RenderContext, pauses: Pauses): Promise<Members> {
  const out: Members = {};
  if (input.witnessUtxo !== null) {
    const { value, script } = input.witnessUtxo;
    const paid = innerScript(script);
    const address = encodeAddress(script, ctx.params, ctx.hashes);
    if (address !== null) paid.address = address;
    out.witness_utxo = { amount: new Amount(value), scriptPubKey: paid };
  }
  if (input.nonWitnessUtxo !== null) out.non_witness_utxo = await txMembersSliced(input.nonWitnessUtxo, ctx, pauses);
  if (input.partialSigs.size > 0) {
    const signatures = sortedBy(
      [...input.partialSigs.values()].map((sig) => ({ ...sig, id: ctx.hashes.hash160(sig.publicKey) })),
      (sig) => sig.id,
    );
    out.partial_signatures = new JsonObject(
      signatures.map(({ publicKey }) => hex(publicKey)),
      signatures.map(({ signature }) => hex(signature)),
    );
  }
  if (input.sighashType > 0) out.sighash = HASH_TYPES.get(input.sighashType & 0xff) ?? '';
  if (input.redeemScript.length > 0) out.redeem_script = innerScript(input.redeemScript);
  if (input.witnessScript.length > 0) out.witness_script = innerScript(input.witnessScript);
  if (input.keyPaths.size > 0) out.bip32_derivs = keyPathMembers(input.keyPaths);
  if (input.finalScriptSig.length > 0) {
    out.final_scriptSig = { asm: scriptAsm(input.finalScriptSig, { sighashDecode: true }), hex: hex(input.finalScriptSig) };
  }
  if (input.finalWitness.length > 0) out.final_scriptwitness = input.finalWitness.map(hex);
  addTaproot(out, input);
  if (input.unknown.size > 0) out.unknown = rawMembers(input.unknown);
  return out;
}

function addTaproot(out: Members, input: PsbtInput): void {
  if (input.tapKeySig !== null) out.taproot_key_path_sig = hex(input.tapKeySig);
  if (input.tapScriptSigs.size > 0) {
    const signatures = [...input.tapScriptSigs.values()].sort(
      (a, b) => compareBytes(a.publicKey, b.publicKey) || compareBytes(a.leafHash, b.leafHash),
    );
    out.taproot_script_path_sigs = signatures.map(({ publicKey, leafHash, signature }) => ({
      pubkey: hex(publicKey),
      leaf_hash: hex(leafHash),
      sig: hex(signature),
    }));
  }
  if (input.tapLeafScripts.size > 0) out.taproot_scripts = leafMembers(input);
  if (input.tapKeyPaths.size > 0) out.taproot_bip32_derivs = tapKeyPathMembers(input.tapKeyPaths);
  if (input.tapInternalKey !== null) out.taproot_internal_key = hex(input.tapInternalKey);
  if (input.tapMerkleRoot !== null) out.taproot_merkle_root = hex(input.tapMerkleRoot);
}

/** Leaves, each with all the control blocks that lead to it. */
function leafMembers(input: PsbtInput): JsonResult {
  const leaves = [...input.tapLeafScripts.values()].sort(
    (a, b) => compareBytes(a.script, b.script) || a.leafVersion - b.leafVersion || compareBytes(a.controlBlock, b.controlBlock),
  );
  const shown: { script: string; leaf_ver: number; control_blocks: string[] }[] = [];
  for (const { script, leafVersion, controlBlock } of leaves) {
    const text = hex(script);
    const last = shown.at(-1);
    if (last?.script === text && last.leaf_ver === leafVersion) last.control_blocks.push(hex(controlBlock));
    else shown.push({ script: text, leaf_ver: leafVersion, control_blocks: [hex(controlBlock)] });
  }
  return shown;
}

function outputMembers(output: PsbtOutput): Members {
  const out: Members = {};
  if (output.redeemScript.length > 0) out.redeem_script = innerScript(output.redeemScript);
  if (output.witnessScript.length > 0) out.witness_script = innerScript(output.witnessScript);
  if (output.keyPaths.size > 0) out.bip32_derivs = keyPathMembers(output.keyPaths);
  if (output.tapInternalKey !== null) out.taproot_internal_key = hex(output.tapInternalKey);
  if (output.tapTree !== null) {
    out.taproot_tree = tapTreeLeaves(output.tapTree).map(({ depth, leafVersion, script }) => ({
      depth,
      leaf_ver: leafVersion,
      script: hex(script),
    }));
  }
  if (output.tapKeyPaths.size > 0) out.taproot_bip32_derivs = tapKeyPathMembers(output.tapKeyPaths);
  if (output.unknown.size > 0) out.unknown = rawMembers(output.unknown);
  return out;
}
