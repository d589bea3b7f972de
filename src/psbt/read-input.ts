// Reads the map of one input. Core: psbt.h PSBTInput. Messages are those of 0.21.1, or of later versions for later
// fields.
import { hashKey } from '../consensus/bytes/hex.js';
import { checkSignatureEncoding } from '../consensus/script/encoding.js';
import { SCRIPT_VERIFY_DERSIG, SCRIPT_VERIFY_STRICTENC } from '../consensus/script/flags.js';
import { ScriptError } from '../consensus/script/script-error.js';
import { IN } from './field-types.js';
import { emptyInput, fieldKey, type PsbtInput } from './psbt.js';
import { failRead, type PsbtReader } from './psbt-reader.js';
import { checkKeySize, checkSingleField, readKeyPath, readMap, readPublicKey, readRaw, readTapKeyPath } from './read-fields.js';
import { readMusigInput } from './read-musig.js';
import { type InputOfVersion2, readVersion2Input } from './read-version2.js';

/** Reads an input. @param version2 receives fields of version 2; null in version 0, which refuses them */
export function* readInput(reader: PsbtReader, version2: InputOfVersion2 | null): Generator<void, PsbtInput> {
  const input = emptyInput();
  const seen = new Set<number>();
  yield* readMap(reader, 'input', (key) => {
    readField(reader, key, input, seen, version2);
  });
  return input;
}

function readField(reader: PsbtReader, key: Uint8Array, input: PsbtInput, seen: Set<number>, version2: InputOfVersion2 | null): void {
  switch (key[0]) {
    case IN.NON_WITNESS_UTXO:
      checkSingleField(reader, seen, key, 'Input Non-witness UTXO', 'input non-witness utxo', 'Non-witness utxo');
      input.nonWitnessUtxo = reader.readSized(() => reader.tx(true));
      break;
    case IN.WITNESS_UTXO:
      checkSingleField(reader, seen, key, 'Input Witness UTXO', 'input witness utxo', 'Witness utxo');
      input.witnessUtxo = reader.readSized(() => readOutput(reader));
      break;
    case IN.PARTIAL_SIG: {
      const publicKey = readPublicKey(reader, key, 'partial signature pubkey');
      const id = hashKey(reader.crypto.hash160(publicKey));
      if (input.partialSigs.has(id)) failRead('Duplicate Key, input partial signature for pubkey already provided');
      const signature = reader.varBytes();
      if (reader.later && !isSignature(signature)) failRead('Signature is not a valid encoding');
      input.partialSigs.set(id, { publicKey, signature });
      break;
    }
    case IN.SIGHASH:
      checkSingleField(reader, seen, key, 'Input Sighash Type', 'input sighash type', 'Sighash type');
      input.sighashType = reader.readSized(() => reader.u32() | 0);
      // Before release 32, Core treats 0 as "no type chosen".
      if (input.sighashType === 0 && !reader.later) input.sighashType = null;
      break;
    case IN.REDEEM_SCRIPT:
      checkSingleField(reader, seen, key, 'Input redeemScript', 'input redeemScript', 'Input redeemScript');
      input.redeemScript = reader.varBytes();
      break;
    case IN.WITNESS_SCRIPT:
      checkSingleField(reader, seen, key, 'Input witnessScript', 'input witnessScript', 'Input witnessScript');
      input.witnessScript = reader.varBytes();
      break;
    case IN.BIP32_DERIVATION:
      readKeyPath(reader, key, input.keyPaths);
      break;
    case IN.FINAL_SCRIPTSIG:
      checkSingleField(reader, seen, key, 'Input Final scriptSig', 'input final scriptSig', 'Final scriptSig');
      input.finalScriptSig = reader.varBytes();
      break;
    case IN.FINAL_SCRIPTWITNESS:
      checkSingleField(reader, seen, key, 'Input Final scriptWitness', 'input final scriptWitness', 'Final scriptWitness');
      input.finalWitness = reader.readSized(() => readStack(reader));
      break;
    case IN.PREVIOUS_TXID:
    case IN.OUTPUT_INDEX:
    case IN.SEQUENCE:
    case IN.REQUIRED_TIME_LOCKTIME:
    case IN.REQUIRED_HEIGHT_LOCKTIME:
      readVersion2Input(reader, key, input, seen, version2);
      break;
    default:
      readLater(reader, key, input, seen);
  }
}

/** Reads fields of BIP-0371 and BIP-0373. All others are stored unchanged. */
function readLater(reader: PsbtReader, key: Uint8Array, input: PsbtInput, seen: Set<number>): void {
  switch (key[0]) {
    case IN.RIPEMD160:
      readPreimage(reader, key, input, 'RIPEMD160', 20);
      return;
    case IN.SHA256:
      readPreimage(reader, key, input, 'SHA256', 32);
      return;
    case IN.HASH160:
      readPreimage(reader, key, input, 'Hash160', 20);
      return;
    case IN.HASH256:
      readPreimage(reader, key, input, 'Hash256', 32);
      return;
    case IN.TAP_KEY_SIG:
      checkSingleField(reader, seen, key, 'Input Taproot Key Path Signature', 'input Taproot key signature', 'Input Taproot key signature');
      input.tapKeySig = readSchnorr(reader, 'key path');
      return;
    case IN.TAP_SCRIPT_SIG: {
      const id = hashKey(key.subarray(1, 65));
      if (key.length === 65 && input.tapScriptSigs.has(id)) failRead('Duplicate Key, input Taproot script signature already provided');
      const older = 'Input Taproot script signature key is not 65 bytes';
      checkKeySize(reader, key, 65, 'Input Taproot Script Path Signature', older);
      const [publicKey, leafHash] = [key.subarray(1, 33), key.subarray(33)];
      input.tapScriptSigs.set(id, { publicKey, leafHash, signature: readSchnorr(reader, 'script path') });
      return;
    }
    case IN.TAP_LEAF_SCRIPT:
      readLeaf(reader, key, input);
      return;
    case IN.TAP_BIP32_DERIVATION:
      readTapKeyPath(reader, key, 'input', input.tapKeyPaths);
      return;
    case IN.TAP_INTERNAL_KEY:
      checkSingleField(reader, seen, key, 'Input Taproot Internal Key', 'input Taproot internal key', 'Input Taproot internal key');
      input.tapInternalKey = reader.fixedBytes(32);
      return;
    case IN.TAP_MERKLE_ROOT:
      checkSingleField(reader, seen, key, 'Input Taproot Merkle Root', 'input Taproot merkle root', 'Input Taproot merkle root');
      input.tapMerkleRoot = reader.fixedBytes(32);
      return;
    default:
      if (!readMusigInput(reader, key, input.unknown)) readRaw(reader, key, input.unknown);
  }
}

/** Returns whether a signature is DER with a defined hash type. */
const isSignature = (bytes: Uint8Array): boolean =>
  bytes.length > 0 && checkSignatureEncoding(bytes, SCRIPT_VERIFY_DERSIG | SCRIPT_VERIFY_STRICTENC) === ScriptError.OK;

/** Reads an output as in transactions. Returns null for the value -1, by which Core marks a missing output. */
function readOutput(reader: PsbtReader): PsbtInput['witnessUtxo'] {
  const value = reader.i64();
  const script = reader.varBytes();
  return value === -1n ? null : { value: Number(value), script };
}

/** Reads a witness stack. Does not allocate memory by its count of items, because the bytes may be missing. */
function readStack(reader: PsbtReader): Uint8Array[] {
  const items: Uint8Array[] = [];
  for (let left = reader.compactSize(); left > 0; left--) items.push(reader.varBytes());
  return items;
}

function readSchnorr(reader: PsbtReader, path: string): Uint8Array {
  const signature = reader.varBytes();
  if (signature.length < 64) failRead(`Input Taproot ${path} signature is shorter than 64 bytes`);
  if (signature.length > 65) failRead(`Input Taproot ${path} signature is longer than 65 bytes`);
  return signature;
}

function readLeaf(reader: PsbtReader, key: Uint8Array, input: PsbtInput): void {
  const controlBlock = key.subarray(1);
  const id = fieldKey(controlBlock, reader.crypto);
  if (input.tapLeafScripts.has(id)) failRead('Duplicate Key, input Taproot leaf script already provided');
  if (key.length < 34) failRead(`${reader.later ? 'Input ' : ''}Taproot leaf script key is not at least 34 bytes`);
  if ((key.length - 2) % 32 !== 0) failRead("Input Taproot leaf script key's control block size is not valid");
  const value = reader.varBytes();
  if (value.length === 0) failRead('Input Taproot leaf script must be at least 1 byte');
  const leafVersion = value[value.length - 1];
  input.tapLeafScripts.set(id, { controlBlock, script: value.subarray(0, -1), leafVersion });
}

/** Reads the preimage of the hash in a field's key. Stores the preimage without checking that it has this hash. */
function readPreimage(reader: PsbtReader, key: Uint8Array, input: PsbtInput, name: string, size: number): void {
  const older = `Size of key was not the expected size for the type ${name.toLowerCase()} preimage`;
  checkKeySize(reader, key, size + 1, `Input ${name} Preimage`, older);
  readRaw(reader, key, input.unknown);
}
