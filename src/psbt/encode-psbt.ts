// Encodes a PSBT, with fields in Core's order. Core: psbt.h Serialize.
import type { OriginKey } from '../address/descriptor/expansion.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import type { Hashes } from '../crypto/crypto.js';
import { GLOBAL, IN, OUT, PROPRIETARY, PSBT_MAGIC } from './field-types.js';
import { isFinal, type Psbt, type PsbtInput, type PsbtOutput, type RawField, sortedBy, type TapKeyPath } from './psbt.js';
import { remaining, sortedLeaves, sortedRaw } from './raw-fields.js';

const SEPARATOR = 0;
const PREIMAGES = [IN.RIPEMD160, IN.SHA256, IN.HASH160, IN.HASH256];
const MUSIG2 = [IN.MUSIG2_PARTICIPANTS, IN.MUSIG2_PUB_NONCE, IN.MUSIG2_PARTIAL_SIG];

/**
 * Encodes a PSBT.
 * @param hashes sorts partial signatures, whose order in Core is that of the keys' HASH160
 * @param later omit witnesses of previous transactions, as release 32 does
 */
export function encodePsbt(psbt: Psbt, hashes: Hashes, later = false): Uint8Array {
  const out = new ByteWriter(1024);
  out.bytes(PSBT_MAGIC);
  writeGlobal(out, psbt);
  psbt.inputs.forEach((input, i) => {
    writeInput(out, psbt, input, i, hashes, later);
  });
  psbt.outputs.forEach((output, i) => {
    writeOutput(out, psbt, output, i);
  });
  return out.finish();
}

/** Writes a field whose key is only its type. */
function field(out: ByteWriter, type: number, value: Uint8Array): void {
  out.u8(1).u8(type).varBytes(value);
}

/** Writes a field whose key has data after the type. */
function keyed(out: ByteWriter, type: number, key: Uint8Array, value: Uint8Array): void {
  out
    .compactSize(1 + key.length)
    .u8(type)
    .bytes(key)
    .varBytes(value);
}

const u32 = (value: number): Uint8Array => new ByteWriter(4).u32(value).finish();

function writeGlobal(out: ByteWriter, { tx, version2, inputs, outputs, unknown }: Psbt): void {
  if (version2 === null) field(out, GLOBAL.UNSIGNED_TX, tx.bytes);
  writeRaw(out, sortedRaw(unknown, [GLOBAL.XPUB]));
  if (version2 !== null) {
    field(out, GLOBAL.TX_VERSION, u32(tx.version));
    if (version2.fallbackLocktime !== null) field(out, GLOBAL.FALLBACK_LOCKTIME, u32(version2.fallbackLocktime));
    field(out, GLOBAL.INPUT_COUNT, new ByteWriter(9).compactSize(inputs.length).finish());
    field(out, GLOBAL.OUTPUT_COUNT, new ByteWriter(9).compactSize(outputs.length).finish());
    if (version2.modifiable !== null) field(out, GLOBAL.TX_MODIFIABLE, Uint8Array.of(version2.modifiable));
    field(out, GLOBAL.VERSION, u32(2));
  }
  writeRaw(out, sortedRaw(unknown, [PROPRIETARY]));
  writeRaw(out, remaining(unknown, [GLOBAL.XPUB, PROPRIETARY]));
  out.u8(SEPARATOR);
}

function writeRaw(out: ByteWriter, fields: readonly RawField[]): void {
  for (const { key, value } of fields) out.varBytes(key).varBytes(value);
}

function originBytes({ fingerprint, path }: OriginKey['origin']): Uint8Array {
  const out = new ByteWriter(4 + 4 * path.length).bytes(fingerprint);
  for (const step of path) out.u32(step);
  return out.finish();
}

function writeKeyPaths(out: ByteWriter, type: number, paths: ReadonlyMap<string, OriginKey>): void {
  for (const { publicKey, origin } of sortedBy(paths.values(), (path) => path.publicKey)) keyed(out, type, publicKey, originBytes(origin));
}

function writeTapKeyPaths(out: ByteWriter, type: number, paths: ReadonlyMap<string, TapKeyPath>): void {
  for (const { publicKey, leafHashes, origin } of sortedBy(paths.values(), (path) => path.publicKey)) {
    const value = new ByteWriter().compactSize(leafHashes.length);
    for (const hash of sortedBy(leafHashes, (one) => one)) value.bytes(hash);
    keyed(out, type, publicKey, value.bytes(originBytes(origin)).finish());
  }
}

function writeInput(out: ByteWriter, psbt: Psbt, input: PsbtInput, index: number, hashes: Hashes, later: boolean): void {
  const previous = input.nonWitnessUtxo;
  if (previous !== null) field(out, IN.NON_WITNESS_UTXO, later && previous.hasWitness ? previous.stripped() : previous.bytes);
  if (input.witnessUtxo !== null) {
    const { value, script } = input.witnessUtxo;
    field(out, IN.WITNESS_UTXO, new ByteWriter().u64(BigInt(value)).varBytes(script).finish());
  }
  if (!isFinal(input)) writeWorkInProgress(out, input, hashes, later);
  if (input.finalScriptSig.length > 0) field(out, IN.FINAL_SCRIPTSIG, input.finalScriptSig);
  if (input.finalWitness.length > 0) {
    const stack = new ByteWriter().compactSize(input.finalWitness.length);
    for (const item of input.finalWitness) stack.varBytes(item);
    field(out, IN.FINAL_SCRIPTWITNESS, stack.finish());
  }
  if (psbt.version2 !== null) {
    field(out, IN.PREVIOUS_TXID, psbt.tx.prevHash(index));
    field(out, IN.OUTPUT_INDEX, u32(psbt.tx.prevIndex(index)));
    if (input.sequence !== null) field(out, IN.SEQUENCE, u32(input.sequence));
    if (input.requiredTime !== null) field(out, IN.REQUIRED_TIME_LOCKTIME, u32(input.requiredTime));
    if (input.requiredHeight !== null) field(out, IN.REQUIRED_HEIGHT_LOCKTIME, u32(input.requiredHeight));
  }
  writeRaw(out, sortedRaw(input.unknown, [PROPRIETARY]));
  writeRaw(out, remaining(input.unknown, [...PREIMAGES, ...MUSIG2, PROPRIETARY]));
  out.u8(SEPARATOR);
}

/** Writes the fields that are left out once an input has its final scripts. */
function writeWorkInProgress(out: ByteWriter, input: PsbtInput, hashes: Hashes, later: boolean): void {
  const signatures = [...input.partialSigs.values()].map((sig) => ({ ...sig, id: hashes.hash160(sig.publicKey) }));
  for (const { publicKey, signature } of sortedBy(signatures, (sig) => sig.id)) keyed(out, IN.PARTIAL_SIG, publicKey, signature);
  if (input.sighashType !== null && (later || input.sighashType > 0)) field(out, IN.SIGHASH, u32(input.sighashType));
  if (input.redeemScript.length > 0) field(out, IN.REDEEM_SCRIPT, input.redeemScript);
  if (input.witnessScript.length > 0) field(out, IN.WITNESS_SCRIPT, input.witnessScript);
  writeKeyPaths(out, IN.BIP32_DERIVATION, input.keyPaths);
  writeRaw(out, sortedRaw(input.unknown, PREIMAGES));
  if (input.tapKeySig !== null) field(out, IN.TAP_KEY_SIG, input.tapKeySig);
  for (const { publicKey, leafHash, signature } of sortedBy(input.tapScriptSigs.values(), scriptSigKey)) {
    keyed(out, IN.TAP_SCRIPT_SIG, scriptSigKey({ publicKey, leafHash }), signature);
  }
  for (const { controlBlock, script, leafVersion } of sortedLeaves(input)) {
    keyed(out, IN.TAP_LEAF_SCRIPT, controlBlock, new ByteWriter(script.length + 1).bytes(script).u8(leafVersion).finish());
  }
  writeTapKeyPaths(out, IN.TAP_BIP32_DERIVATION, input.tapKeyPaths);
  if (input.tapInternalKey !== null) field(out, IN.TAP_INTERNAL_KEY, input.tapInternalKey);
  if (input.tapMerkleRoot !== null) field(out, IN.TAP_MERKLE_ROOT, input.tapMerkleRoot);
  writeRaw(out, sortedRaw(input.unknown, MUSIG2));
}

function scriptSigKey({ publicKey, leafHash }: { publicKey: Uint8Array; leafHash: Uint8Array }): Uint8Array {
  return new ByteWriter(64).bytes(publicKey).bytes(leafHash).finish();
}

function writeOutput(out: ByteWriter, psbt: Psbt, output: PsbtOutput, index: number): void {
  if (output.redeemScript.length > 0) field(out, OUT.REDEEM_SCRIPT, output.redeemScript);
  if (output.witnessScript.length > 0) field(out, OUT.WITNESS_SCRIPT, output.witnessScript);
  writeKeyPaths(out, OUT.BIP32_DERIVATION, output.keyPaths);
  if (psbt.version2 !== null) {
    field(out, OUT.AMOUNT, new ByteWriter(8).u64(psbt.tx.outputValueBig(index)).finish());
    field(out, OUT.SCRIPT, psbt.tx.outputScript(index));
  }
  writeRaw(out, sortedRaw(output.unknown, [PROPRIETARY]));
  if (output.tapInternalKey !== null) field(out, OUT.TAP_INTERNAL_KEY, output.tapInternalKey);
  if (output.tapTree !== null) field(out, OUT.TAP_TREE, output.tapTree);
  writeTapKeyPaths(out, OUT.TAP_BIP32_DERIVATION, output.tapKeyPaths);
  writeRaw(out, sortedRaw(output.unknown, [OUT.MUSIG2_PARTICIPANTS]));
  writeRaw(out, remaining(output.unknown, [PROPRIETARY, OUT.MUSIG2_PARTICIPANTS]));
  out.u8(SEPARATOR);
}
