// Reads fields of version 2 (BIP-0370), which replace the unsigned transaction of version 0, and builds that
// transaction.
import { buildTx } from '../consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { IN, OUT } from './field-types.js';
import type { PsbtInput, PsbtOutput, RawField } from './psbt.js';
import { failRead, type PsbtReader } from './psbt-reader.js';
import { checkKeySize, checkSingleField, readRaw } from './read-fields.js';

/** Outpoint of an input, which version 2 stores in the input's map; null until its field is read. */
export interface InputOfVersion2 {
  prevHash: Uint8Array | null;
  prevIndex: number | null;
}

/** Amount and script of an output in version 2. */
export interface OutputOfVersion2 {
  value: bigint | null;
  script: Uint8Array | null;
}

const SEQUENCE_FINAL = 0xffff_ffff;
/** Lock times of at least this value are seconds since 1970, smaller ones block heights (BIP-0370). */
const LOCKTIME_THRESHOLD = 500_000_000;
const EMPTY = new Uint8Array(0);

/** Names of a field type: in BIP-0370, in Core's messages about key sizes, and in Core's messages about version 0. */
type TypeNames = readonly [bip: string, size: string, words: string];

const IN_NAMES = new Map<number, TypeNames>([
  [IN.PREVIOUS_TXID, ['PSBT_IN_PREVIOUS_TXID', 'Input Previous TXID', 'Previous txid']],
  [IN.OUTPUT_INDEX, ['PSBT_IN_OUTPUT_INDEX', "Input Previous Output's Index", "Previous output's index"]],
  [IN.SEQUENCE, ['PSBT_IN_SEQUENCE', 'Input Sequence', 'Sequence']],
  [IN.REQUIRED_TIME_LOCKTIME, ['PSBT_IN_REQUIRED_TIME_LOCKTIME', 'Input Required Time Based Locktime', 'Required time based locktime']],
  [
    IN.REQUIRED_HEIGHT_LOCKTIME,
    ['PSBT_IN_REQUIRED_HEIGHT_LOCKTIME', 'Input Required Height Based Locktime', 'Required height based locktime'],
  ],
]);
const OUT_NAMES = new Map<number, TypeNames>([
  [OUT.AMOUNT, ['PSBT_OUT_AMOUNT', 'Output Amount', 'Output amount']],
  [OUT.SCRIPT, ['PSBT_OUT_SCRIPT', 'Output Script', 'Output script']],
]);

/**
 * Handles a field of version 2 in a version 0 PSBT, where these types are undefined. Before release 32, such a field
 * with a longer key is an unknown field.
 */
function readUndefinedField(reader: PsbtReader, key: Uint8Array, [bip, size, words]: TypeNames, unknown: Map<string, RawField>): void {
  if (reader.later) checkKeySize(reader, key, 1, size, '');
  if (key.length === 1) failRead(`${reader.later ? words : bip} is not allowed in PSBTv0`);
  readRaw(reader, key, unknown);
}

export function readVersion2Input(
  reader: PsbtReader,
  key: Uint8Array,
  input: PsbtInput,
  seen: Set<number>,
  version2: InputOfVersion2 | null,
): void {
  const names = IN_NAMES.get(key[0]) as TypeNames;
  if (version2 === null) {
    readUndefinedField(reader, key, names, input.unknown);
    return;
  }
  checkSingleField(reader, seen, key, names[1], names[0], names[0]);
  switch (key[0]) {
    case IN.PREVIOUS_TXID:
      version2.prevHash = reader.fixedBytes(32);
      break;
    case IN.OUTPUT_INDEX:
      version2.prevIndex = reader.readSized(() => reader.u32());
      break;
    case IN.SEQUENCE:
      input.sequence = reader.readSized(() => reader.u32());
      break;
    case IN.REQUIRED_TIME_LOCKTIME:
      input.requiredTime = reader.readSized(() => reader.u32());
      if (input.requiredTime < LOCKTIME_THRESHOLD) failRead('Required time based locktime is invalid (less than 500000000)');
      break;
    default:
      input.requiredHeight = reader.readSized(() => reader.u32());
      if (input.requiredHeight >= LOCKTIME_THRESHOLD)
        failRead('Required height based locktime is invalid (greater than or equal to 500000000)');
      if (input.requiredHeight === 0) failRead('Required height based locktime is invalid (0)');
  }
}

export function readVersion2Output(
  reader: PsbtReader,
  key: Uint8Array,
  output: PsbtOutput,
  seen: Set<number>,
  version2: OutputOfVersion2 | null,
): void {
  const names = OUT_NAMES.get(key[0]) as TypeNames;
  if (version2 === null) {
    readUndefinedField(reader, key, names, output.unknown);
    return;
  }
  checkSingleField(reader, seen, key, names[1], names[0], names[0]);
  if (key[0] === OUT.AMOUNT) version2.value = reader.readSized(() => reader.i64());
  else version2.script = reader.varBytes();
}

/** Builds the transaction that the fields describe. */
export function describedTx(
  txVersion: number,
  fallbackLocktime: number,
  inputs: readonly (InputOfVersion2 & Pick<PsbtInput, 'sequence' | 'requiredTime' | 'requiredHeight'>)[],
  outputs: readonly OutputOfVersion2[],
  hashes: Hashes,
): TxView {
  const fields = {
    version: txVersion,
    inputs: inputs.map(({ prevHash, prevIndex, sequence }) => ({
      prevHash: prevHash ?? failRead('Previous TXID is required in PSBTv2'),
      prevIndex: prevIndex ?? failRead("Previous output's index is required in PSBTv2"),
      scriptSig: EMPTY,
      sequence: sequence ?? SEQUENCE_FINAL,
    })),
    outputs: outputs.map(({ value, script }) => ({
      value: value ?? failRead('Output amount is required in PSBTv2'),
      script: script ?? failRead('Output script is required in PSBTv2'),
    })),
    locktime: locktimeOf(inputs, fallbackLocktime),
  };
  return parseTx(buildTx(fields), hashes, { allowWitness: false });
}

/**
 * Returns the lock time of the transaction (BIP-0370): the highest required height if every input that requires a lock
 * accepts heights, otherwise the highest required time. Returns the fallback if no input requires a lock.
 */
function locktimeOf(inputs: readonly Pick<PsbtInput, 'requiredTime' | 'requiredHeight'>[], fallback: number): number {
  const wishing = inputs.filter(({ requiredTime, requiredHeight }) => requiredTime !== null || requiredHeight !== null);
  if (wishing.length === 0) return fallback;
  for (const kind of ['requiredHeight', 'requiredTime'] as const) {
    if (wishing.every((input) => input[kind] !== null)) {
      return wishing.reduce((highest, input) => Math.max(highest, input[kind] as number), 0);
    }
  }
  return failRead('Inputs require conflicting locktimes');
}
