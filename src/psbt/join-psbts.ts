// Joins several PSBTs into one with all inputs and outputs, in a new order. Core: rpc/rawtransaction.cpp joinpsbts.
import { hashKey, hashToHex } from '../consensus/bytes/hex.js';
import { buildTx, type TxInputFields, type TxOutputFields } from '../consensus/tx/build-tx.js';
import { parseTx } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { fieldsOf } from './create-psbt.js';
import type { Psbt, PsbtInput, PsbtOutput, RawField } from './psbt.js';

/** Returns the numbers below `count` in random order. */
export type Shuffle = (count: number) => readonly number[];

const EMPTY = new Uint8Array(0);

/**
 * Joins PSBTs. Drops their signatures, which are invalid for the joined transaction.
 * @returns the outpoint that occurs twice, if any
 */
export function joinPsbts(psbts: readonly Psbt[], shuffle: Shuffle, hashes: Hashes): Psbt | { repeated: string } {
  const seen = new Set<string>();
  const unknown = new Map<string, RawField>();
  let version = 1;
  let locktime = 0xffff_ffff;
  const inputs: { readonly txInput: TxInputFields; readonly psbtInput: PsbtInput }[] = [];
  const outputs: { readonly txOutput: TxOutputFields; readonly psbtOutput: PsbtOutput }[] = [];
  for (const psbt of psbts) {
    const fields = fieldsOf(psbt.tx);
    version = Math.max(version, fields.version >>> 0);
    locktime = Math.min(locktime, fields.locktime);
    for (const [i, input] of fields.inputs.entries()) {
      const outpoint = hashKey(psbt.tx.outpoint(i));
      if (seen.has(outpoint)) return { repeated: `${hashToHex(input.prevHash)}:${input.prevIndex}` };
      seen.add(outpoint);
      inputs.push({ txInput: input, psbtInput: withoutSignatures(psbt.inputs[i]) });
    }
    for (const [i, output] of fields.outputs.entries()) outputs.push({ txOutput: output, psbtOutput: psbt.outputs[i] });
    for (const [key, raw] of psbt.unknown) if (!unknown.has(key)) unknown.set(key, raw);
  }
  const mixedInputs = shuffle(inputs.length).map((i) => inputs[i]);
  const mixedOutputs = shuffle(outputs.length).map((i) => outputs[i]);
  const bytes = buildTx({
    version: version | 0,
    inputs: mixedInputs.map(({ txInput }) => txInput),
    outputs: mixedOutputs.map(({ txOutput }) => txOutput),
    locktime,
  });
  return {
    tx: parseTx(bytes, hashes, { allowWitness: false }),
    version2: null,
    inputs: mixedInputs.map(({ psbtInput }) => psbtInput),
    outputs: mixedOutputs.map(({ psbtOutput }) => psbtOutput),
    unknown,
  };
}

function withoutSignatures(input: PsbtInput): PsbtInput {
  return {
    ...input,
    partialSigs: new Map(),
    finalScriptSig: EMPTY,
    finalWitness: [],
    tapKeySig: null,
    tapScriptSigs: new Map(),
    requiredTime: null,
    requiredHeight: null,
  };
}
