// Signs a transaction's inputs with the keys of a provider and says of each whether it can be spent now; and merges versions of one
// transaction. Core: script/sign.cpp SignTransaction, rpc/rawtransaction.cpp combinerawtransaction.
import { TxSignatureChecker } from '../../consensus/script/checker.js';
import { STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import { verifyScript } from '../../consensus/script/interpreter.js';
import { ScriptError, scriptErrorText } from '../../consensus/script/script-error.js';
import { SIGHASH_ANYONECANPAY, SIGHASH_SINGLE } from '../../consensus/script/sighash.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import { buildTx } from '../../consensus/tx/build-tx.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import { Slicer } from '../../lib/slicer.js';
import { FlatProvider, type SigningProvider } from '../keys/signing-provider.js';
import { extractSignatures } from './extract-signatures.js';
import { produceSignature } from './produce-signature.js';
import { signingTools } from './signature-creator.js';
import { emptySignatureData, mergeSignatureData } from './signature-data.js';
import { type SigningTx, signingTx, UNKNOWN_AMOUNT } from './signing-tx.js';

/** What stands in for an input's error when its amount is needed and unknown. */
export const MISSING_AMOUNT = 'Missing amount';

/** An input after signing. */
export interface SignedInput {
  readonly scriptSig: Uint8Array;
  readonly witness: readonly Uint8Array[];
  /** Why it cannot be spent like this; null when it can. */
  readonly error: string | null;
}

/** What signing works with. */
export interface SigningTools {
  readonly crypto: Crypto;
  readonly signer: Signer;
}

const SPECIAL_TEXTS = new Map<number, string>([
  [ScriptError.INVALID_STACK_OPERATION, 'Unable to sign input, invalid stack size (possibly missing key)'],
  [ScriptError.NULLFAIL, 'CHECK(MULTI)SIG failing with non-zero signature (possibly need more signatures)'],
]);

/**
 * Signs what can be signed, in slices.
 * @param spent per input, null where the output is not known or spent
 * @param hashType one byte; DEFAULT means ALL where there is no DEFAULT
 */
export async function signTransaction(
  tx: TxView,
  spent: readonly (SpentOutput | null)[],
  provider: SigningProvider,
  hashType: number,
  tools: SigningTools,
): Promise<SignedInput[]> {
  const signing = signingTx(tx, spent, tools.crypto);
  const slicer = new Slicer();
  const inputs: SignedInput[] = [];
  for (let i = 0; i < tx.inputCount; i++) {
    inputs.push(signInput(signing, i, provider, hashType, tools.signer));
    if (slicer.due) await slicer.pause();
  }
  return inputs;
}

function signInput(signing: SigningTx, input: number, provider: SigningProvider, hashType: number, signer: Signer): SignedInput {
  const { tx, crypto } = signing;
  const output = signing.spent[input];
  if (!output) return { scriptSig: tx.scriptSig(input), witness: tx.witness(input), error: 'Input not found or already spent' };
  const data = extractSignatures(signing, input, output);
  // SINGLE without its output would sign the number one: anybody could use that signature.
  const signable = (hashType & ~SIGHASH_ANYONECANPAY) !== SIGHASH_SINGLE || input < tx.outputCount;
  if (signable) {
    produceSignature(output.script, data, signingTools(signing, { input, output, provider, hashType, signer }));
  }
  const { scriptSig, witness } = data;
  if (output.value === UNKNOWN_AMOUNT && witness.length > 0) return { scriptSig, witness, error: MISSING_AMOUNT };
  if (data.complete) return { scriptSig, witness, error: null };
  const checker = new TxSignatureChecker(tx, input, signing.spent, crypto, signing.sighash);
  const code = verifyScript(scriptSig, output.script, witness, STANDARD_SCRIPT_FLAGS, checker);
  return { scriptSig, witness, error: code === ScriptError.OK ? null : (SPECIAL_TEXTS.get(code) ?? scriptErrorText(code)) };
}

/** Puts the signatures of several versions of one transaction together. @param versions the first is the template @param spent its outputs */
export async function combineTransactions(versions: readonly TxView[], spent: readonly SpentOutput[], crypto: Crypto): Promise<Uint8Array> {
  const [template] = versions;
  const sources = versions.map((tx) => {
    const outputs = Array.from({ length: tx.inputCount }, (_, i) => spent[i] ?? null);
    return signingTx(tx, outputs, crypto);
  });
  const tools = { provider: new FlatProvider(), create: () => null, hashes: crypto };
  const slicer = new Slicer();
  const inputs: Pick<SignedInput, 'scriptSig' | 'witness'>[] = [];
  for (let i = 0; i < template.inputCount; i++) {
    let data = emptySignatureData();
    for (const source of sources) {
      if (source.tx.inputCount <= i) continue;
      data = mergeSignatureData(data, extractSignatures(source, i, spent[i]));
      if (slicer.due) await slicer.pause();
    }
    produceSignature(spent[i].script, data, tools);
    inputs.push(data);
  }
  return withInputs(template, inputs);
}

/** The transaction with other scriptSigs and witnesses. */
export function withInputs(tx: TxView, inputs: readonly Pick<SignedInput, 'scriptSig' | 'witness'>[]): Uint8Array {
  return buildTx({
    version: tx.version,
    inputs: inputs.map(({ scriptSig, witness }, i) => ({
      prevHash: tx.prevHash(i),
      prevIndex: tx.prevIndex(i),
      scriptSig,
      sequence: tx.sequence(i),
      witness,
    })),
    outputs: Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValueBig(i), script: tx.outputScript(i) })),
    locktime: tx.locktime,
  });
}
