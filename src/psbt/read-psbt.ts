// Reads a complete PSBT, one map at a time. Core: psbt.h PartiallySignedTransaction, psbt.cpp DecodeRawPSBT.
import { equalBytes } from '../consensus/bytes/hex.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { GLOBAL, OUT, PSBT_MAGIC } from './field-types.js';
import { emptyOutput, type Psbt, type PsbtInput, type PsbtOutput, type RawField } from './psbt.js';
import { failRead, type PsbtCrypto, PsbtError, PsbtReader } from './psbt-reader.js';
import {
  checkKeySize,
  checkSingleField,
  isPublicKey,
  readKeyPath,
  readMap,
  readOriginSize,
  readRaw,
  readTapKeyPath,
} from './read-fields.js';
import { readInput } from './read-input.js';
import { readMusigOutput } from './read-musig.js';
import { describedTx, type InputOfVersion2, type OutputOfVersion2, readVersion2Output } from './read-version2.js';
import { checkTapTree } from './tap-tree.js';

/** Reads an output. @param version2 receives fields of version 2; null in version 0, which refuses them */
function* readOutput(reader: PsbtReader, version2: OutputOfVersion2 | null): Generator<void, PsbtOutput> {
  const output = emptyOutput();
  const seen = new Set<number>();
  yield* readMap(reader, 'output', (key) => {
    switch (key[0]) {
      case OUT.REDEEM_SCRIPT:
        checkSingleField(reader, seen, key, 'Output redeemScript', 'output redeemScript', 'Output redeemScript');
        output.redeemScript = reader.varBytes();
        break;
      case OUT.WITNESS_SCRIPT:
        checkSingleField(reader, seen, key, 'Output witnessScript', 'output witnessScript', 'Output witnessScript');
        output.witnessScript = reader.varBytes();
        break;
      case OUT.BIP32_DERIVATION:
        readKeyPath(reader, key, output.keyPaths);
        break;
      case OUT.AMOUNT:
      case OUT.SCRIPT:
        readVersion2Output(reader, key, output, seen, version2);
        break;
      case OUT.TAP_INTERNAL_KEY:
        checkSingleField(reader, seen, key, 'Output Taproot Internal Key', 'output Taproot internal key', 'Output Taproot internal key');
        output.tapInternalKey = reader.fixedBytes(32);
        break;
      case OUT.TAP_TREE: {
        checkSingleField(reader, seen, key, 'Output Taproot Tree Key', 'output Taproot tree', 'Output Taproot tree');
        const tree = reader.varBytes();
        const fault = checkTapTree(tree);
        if (fault !== null) reader.failStream(fault);
        output.tapTree = tree;
        break;
      }
      case OUT.TAP_BIP32_DERIVATION:
        readTapKeyPath(reader, key, 'output', output.tapKeyPaths);
        break;
      case OUT.MUSIG2_PARTICIPANTS:
        readMusigOutput(reader, key, output.unknown);
        break;
      default:
        readRaw(reader, key, output.unknown);
    }
  });
  return output;
}

/** Highest defined version of the format. */
const HIGHEST_VERSION = 2;
const XPUB_KEY_SIZE = 79;

/** Content of the global map. */
interface GlobalFields {
  tx: TxView | null;
  version: number;
  txVersion: number | null;
  fallbackLocktime: number | null;
  inputCount: number | null;
  outputCount: number | null;
  modifiable: number | null;
  readonly unknown: Map<string, RawField>;
}

/** Reads a PSBT without pauses. The parameters are those of readPsbtSteps. @throws PsbtError */
export function readPsbt(bytes: Uint8Array, crypto: PsbtCrypto, later = false): Psbt {
  const steps = readPsbtSteps(bytes, crypto, later);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Reads one field per step: the largest PSBT has half a million fields, which take seconds.
 * @param later use the rules and messages of release 32
 * @throws PsbtError
 */
export function* readPsbtSteps(bytes: Uint8Array, crypto: PsbtCrypto, later = false): Generator<void, Psbt> {
  const reader = new PsbtReader(bytes, crypto, later);
  if (!equalBytes(reader.bytes(PSBT_MAGIC.length), PSBT_MAGIC)) failRead('Invalid PSBT magic bytes');
  const global = yield* readGlobal(reader);
  const psbt = yield* global.version === 2 ? readVersion2(reader, global) : readVersion0(reader, global);
  if (!reader.isEmpty) throw new PsbtError('extra data after PSBT');
  return psbt;
}

function* readGlobal(reader: PsbtReader): Generator<void, GlobalFields> {
  const global: GlobalFields = {
    tx: null,
    version: 0,
    txVersion: null,
    fallbackLocktime: null,
    inputCount: null,
    outputCount: null,
    modifiable: null,
    unknown: new Map(),
  };
  const seen = new Set<number>();
  yield* readMap(reader, 'global', (key) => {
    readGlobalField(reader, key, global, seen);
  });
  if (!reader.later && (global.version > HIGHEST_VERSION || global.version === 1)) failRead('Unsupported version number');
  if (global.version === 1) failRead('There is no PSBT version 1');
  return global;
}

function readGlobalField(reader: PsbtReader, key: Uint8Array, global: GlobalFields, seen: Set<number>): void {
  switch (key[0]) {
    case GLOBAL.UNSIGNED_TX:
      checkSingleField(reader, seen, key, 'Global Unsigned TX', 'unsigned tx', 'Global unsigned tx');
      global.tx = reader.readSized(() => reader.tx(false));
      for (let i = 0; i < global.tx.inputCount; i++) {
        if (global.tx.scriptSig(i).length > 0) failRead('Unsigned tx does not have empty scriptSigs and scriptWitnesses.');
      }
      break;
    case GLOBAL.XPUB: {
      checkKeySize(reader, key, XPUB_KEY_SIZE, 'Global XPUB', 'Size of key was not the expected size for the type global xpub');
      // An extended key of depth 0 must have zeros as parent fingerprint and child number.
      if ((key[5] === 0 && key.subarray(6, 14).some(Boolean)) || !isPublicKey(reader, key.subarray(46))) failRead('Invalid pubkey');
      readRaw(reader, key, global.unknown, () => reader.bytes(readOriginSize(reader)));
      break;
    }
    case GLOBAL.TX_VERSION:
      checkSingleField(reader, seen, key, 'Global Transaction Version', 'global transaction version', 'Global transaction version');
      global.txVersion = reader.readSized(() => reader.u32() | 0);
      break;
    case GLOBAL.FALLBACK_LOCKTIME:
      checkSingleField(reader, seen, key, 'Global Fallback Locktime', 'global fallback locktime', 'Global fallback locktime');
      global.fallbackLocktime = reader.readSized(() => reader.u32());
      break;
    case GLOBAL.INPUT_COUNT:
      checkSingleField(reader, seen, key, 'Global Input Count', 'global input count', 'Global input count');
      global.inputCount = reader.readSized(() => reader.compactSize());
      break;
    case GLOBAL.OUTPUT_COUNT:
      checkSingleField(reader, seen, key, 'Global Output Count', 'global output count', 'Global output count');
      global.outputCount = reader.readSized(() => reader.compactSize());
      break;
    case GLOBAL.TX_MODIFIABLE:
      checkSingleField(reader, seen, key, 'Global TX Modifiable Flags', 'tx modifiable flags', 'Global tx modifiable flags');
      global.modifiable = reader.readSized(() => reader.u8());
      break;
    case GLOBAL.VERSION:
      checkSingleField(reader, seen, key, 'Global PSBT Version', 'global PSBT version', 'Global PSBT version');
      global.version = reader.readSized(() => reader.u32());
      if (reader.later && global.version > HIGHEST_VERSION) failRead('Unsupported version number');
      break;
    default:
      readRaw(reader, key, global.unknown);
  }
}

function* readVersion0(reader: PsbtReader, global: GlobalFields): Generator<void, Psbt> {
  const { tx, unknown } = global;
  if (tx === null) return failRead(`No unsigned ${reader.later ? 'transaction' : 'transcation'} was provided`);
  for (const [value, name] of [
    [global.txVersion, 'TX_VERSION'],
    [global.fallbackLocktime, 'FALLBACK_LOCKTIME'],
    [global.inputCount, 'INPUT_COUNT'],
    [global.outputCount, 'OUTPUT_COUNT'],
    [global.modifiable, 'TX_MODIFIABLE'],
  ] as const) {
    if (value !== null) failRead(`PSBT_GLOBAL_${name} is not allowed in PSBTv0`);
  }
  const inputs: PsbtInput[] = [];
  while (!reader.isEmpty && inputs.length < tx.inputCount) {
    inputs.push(yield* readInput(reader, null));
    checkPrevious(reader, inputs, tx.prevHash(inputs.length - 1), tx.prevIndex(inputs.length - 1));
  }
  if (inputs.length !== tx.inputCount) failRead('Inputs provided does not match the number of inputs in transaction.');
  const outputs: PsbtOutput[] = [];
  while (!reader.isEmpty && outputs.length < tx.outputCount) {
    outputs.push(yield* readOutput(reader, null));
  }
  if (outputs.length !== tx.outputCount) failRead('Outputs provided does not match the number of outputs in transaction.');
  return { tx, version2: null, inputs, outputs, unknown };
}

function* readVersion2(reader: PsbtReader, global: GlobalFields): Generator<void, Psbt> {
  const { unknown, fallbackLocktime, modifiable } = global;
  if (global.tx !== null) failRead('PSBT_GLOBAL_UNSIGNED_TX is not allowed in PSBTv2');
  const txVersion = global.txVersion ?? failRead('PSBT_GLOBAL_TX_VERSION is required in PSBTv2');
  const inputCount = global.inputCount ?? failRead('PSBT_GLOBAL_INPUT_COUNT is required in PSBTv2');
  const outputCount = global.outputCount ?? failRead('PSBT_GLOBAL_OUTPUT_COUNT is required in PSBTv2');
  const inputs: PsbtInput[] = [];
  const points: InputOfVersion2[] = [];
  while (!reader.isEmpty && inputs.length < inputCount) {
    const point: InputOfVersion2 = { prevHash: null, prevIndex: null };
    inputs.push(yield* readInput(reader, point));
    points.push(point);
    const hash = point.prevHash ?? failRead('Previous TXID is required in PSBTv2');
    checkPrevious(reader, inputs, hash, point.prevIndex ?? failRead("Previous output's index is required in PSBTv2"));
  }
  if (inputs.length !== inputCount) failRead('Inputs provided does not match the number of inputs in transaction.');
  const outputs: PsbtOutput[] = [];
  const payments: OutputOfVersion2[] = [];
  while (!reader.isEmpty && outputs.length < outputCount) {
    const payment: OutputOfVersion2 = { value: null, script: null };
    outputs.push(yield* readOutput(reader, payment));
    payments.push(payment);
    if (payment.value === null) failRead('Output amount is required in PSBTv2');
    if (payment.script === null) failRead('Output script is required in PSBTv2');
  }
  if (outputs.length !== outputCount) failRead('Outputs provided does not match the number of outputs in transaction.');
  const wishes = inputs.map(({ sequence, requiredTime, requiredHeight }, i) => ({ ...points[i], sequence, requiredTime, requiredHeight }));
  const tx = describedTx(txVersion, fallbackLocktime ?? 0, wishes, payments, reader.crypto);
  return { tx, version2: { fallbackLocktime, modifiable }, inputs, outputs, unknown };
}

/** Checks that the previous transaction in the last input is the transaction whose output this input spends. */
function checkPrevious(reader: PsbtReader, inputs: readonly PsbtInput[], prevHash: Uint8Array, prevIndex: number): void {
  const previous = inputs[inputs.length - 1].nonWitnessUtxo;
  if (previous === null) return;
  if (!equalBytes(previous.txid, prevHash)) failRead('Non-witness UTXO does not match outpoint hash');
  if (reader.later && prevIndex >= previous.outputCount) failRead('Input specifies output index that does not exist');
}
