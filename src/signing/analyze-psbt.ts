// Analyzes a PSBT: what each input lacks, which role is next, and the fee. Core: node/psbt.cpp AnalyzePSBT.

import { STANDARD_SCRIPT_FLAGS } from '../consensus/script/flags.js';
import { sigopCost } from '../consensus/script/sigops.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { parseTx } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import { isUnspendable } from '../policy/script-type.js';
import { adjustedVirtualSize } from '../policy/virtual-size.js';
import { extractTx, type Psbt } from '../psbt/index.js';
import type { PsbtSigning } from './presign-inputs.js';
import { dummySignPsbtInput, isDone, psbtSigning, signPsbtInput } from './psbt-input.js';
import type { Missing } from './signature-data.js';

/** BIP-0174 roles, in the order in which they work on a PSBT. */
export const PSBT_ROLES = ['creator', 'updater', 'signer', 'finalizer', 'extractor'] as const;
export type PsbtRole = (typeof PSBT_ROLES)[number];

export interface InputAnalysis {
  readonly hasUtxo: boolean;
  readonly isFinal: boolean;
  readonly next: PsbtRole;
  readonly missing: Missing | null;
}

export interface PsbtAnalysis {
  readonly inputs: readonly InputAnalysis[];
  /** Sigop-adjusted virtual size; null if a spent output is unknown or an input cannot be filled with dummy signatures. */
  readonly virtualSize: number | null;
  /** Fee, satoshis; null if a spent output is unknown. */
  readonly fee: number | null;
  readonly next: PsbtRole;
  /** Error of an invalid PSBT; null if it is valid. */
  readonly error: string | null;
}

const MAX_MONEY = 2_100_000_000_000_000;
const BYTES_PER_SIGOP = 20;

const isMoney = (value: number): boolean => value >= 0 && value <= MAX_MONEY;
const invalidPsbt = (why: string): PsbtAnalysis => ({
  inputs: [],
  virtualSize: null,
  fee: null,
  next: 'creator',
  error: `PSBT is not valid. ${why}`,
});

/**
 * Analyzes a PSBT. The PSBT is changed and must not be used afterwards.
 * @param later use the rules of release 32
 */
export function analyzePsbt(psbt: Psbt, crypto: Crypto, later: boolean): PsbtAnalysis {
  const work = psbtSigning(psbt, crypto, later);
  const inputs: InputAnalysis[] = [];
  let paid = 0;
  for (let i = 0; i < psbt.inputs.length; i++) {
    const output = work.signing.spent[i];
    if (output) {
      if (!isMoney(output.value) || !isMoney(paid + output.value)) return invalidPsbt(`Input ${i} has invalid value`);
      paid += output.value;
      if (isUnspendable(output.script)) return invalidPsbt(`Input ${i} spends unspendable output`);
    } else if (psbt.inputs[i].nonWitnessUtxo) return invalidPsbt(`Input ${i} specifies invalid prevout`);
    inputs.push(analyzeInput(work, i));
  }
  const next = inputs.reduce<PsbtRole>((least, input) => earlier(least, input.next), 'extractor');
  if (work.signing.spent.includes(null)) return { inputs, virtualSize: null, fee: null, next, error: null };
  let spent = 0;
  for (let i = 0; i < psbt.outputs.length; i++) {
    const value = psbt.tx.outputValue(i);
    if (!isMoney(value) || !isMoney(spent + value)) return invalidPsbt('Output amount invalid');
    spent += value;
  }
  return { inputs, virtualSize: estimateSize(work, crypto), fee: paid - spent, next, error: null };
}

const earlier = (a: PsbtRole, b: PsbtRole): PsbtRole => (PSBT_ROLES.indexOf(a) < PSBT_ROLES.indexOf(b) ? a : b);

function analyzeInput(work: PsbtSigning, index: number): InputAnalysis {
  if (work.signing.spent[index] === null) return { hasUtxo: false, isFinal: false, next: 'updater', missing: null };
  if (isDone(work, index)) return { hasUtxo: true, isFinal: true, next: 'extractor', missing: null };
  const { final, missing } = signPsbtInput(work, index, null);
  if (final) return { hasUtxo: true, isFinal: false, next: 'finalizer', missing: null };
  const onlySignatures =
    missing !== null &&
    missing.signatures.length > 0 &&
    missing.publicKeys.length === 0 &&
    missing.redeemScript === null &&
    missing.witnessScript === null;
  return { hasUtxo: true, isFinal: false, next: onlySignatures ? 'signer' : 'updater', missing };
}

/**
 * Estimates the virtual size of the signed transaction by filling every input with dummy signatures; null if an input
 * cannot be filled.
 */
function estimateSize(work: PsbtSigning, crypto: Crypto): number | null {
  for (let i = 0; i < work.psbt.inputs.length; i++) {
    if (!dummySignPsbtInput(work, i)) return null;
  }
  // A transaction without inputs must be parsed in the format without witnesses. In the other format its bytes are
  // ambiguous (BIP-0144).
  const tx = parseTx(extractTx(work.psbt), crypto, { allowWitness: work.psbt.inputs.length > 0 });
  const spent = work.signing.spent as readonly SpentOutput[];
  return adjustedVirtualSize(tx.weight, sigopCost(tx, spent, STANDARD_SCRIPT_FLAGS), BYTES_PER_SIGOP);
}
