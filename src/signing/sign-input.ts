// Signs one input of a transaction and verifies it. Runs on the calling thread, or in the verify pool for large
// transactions. Core: script/sign.cpp SignTransaction.
import { STANDARD_SCRIPT_FLAGS } from '../consensus/script/flags.js';
import { verifyScript } from '../consensus/script/interpreter.js';
import { ScriptError, scriptErrorText } from '../consensus/script/script-error.js';
import { SIGHASH_ANYONECANPAY, SIGHASH_SINGLE } from '../consensus/script/sighash.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { extractSignatures } from './extract-signatures.js';
import { produceSignature } from './produce-signature.js';
import { locksOf, signingTools } from './signature-creator.js';
import type { SigningProvider } from './signing-provider.js';
import { type SigningTx, UNKNOWN_AMOUNT } from './signing-tx.js';

/** Error of an input whose amount is needed and unknown. */
export const MISSING_AMOUNT = 'Missing amount';

/** Values of SigningResult.code in addition to those of ScriptError. 0 is success. */
const CODE_MISSING_AMOUNT = -1;
const CODE_NOT_FOUND = -2;

/** Signed input with a code, as it crosses threads. */
export interface SigningResult {
  readonly scriptSig: Uint8Array;
  readonly witness: readonly Uint8Array[];
  readonly code: number;
}

const TEXTS = new Map<number, string>([
  [CODE_MISSING_AMOUNT, MISSING_AMOUNT],
  [CODE_NOT_FOUND, 'Input not found or already spent'],
  [ScriptError.INVALID_STACK_OPERATION, 'Unable to sign input, invalid stack size (possibly missing key)'],
  [ScriptError.NULLFAIL, 'CHECK(MULTI)SIG failing with non-zero signature (possibly need more signatures)'],
]);

/**
 * Returns the text of a code: why an input cannot be spent, in Core's words; null for success.
 * @param later use the words of newer releases
 */
export function signingErrorText(code: number, later: boolean): string | null {
  if (later && code === ScriptError.IF_WITHOUT_CONDITION) return signingErrorText(ScriptError.INVALID_STACK_OPERATION, later);
  return code === ScriptError.OK ? null : (TEXTS.get(code) ?? scriptErrorText(code, later));
}

/**
 * Returns false for SIGHASH_SINGLE if there is no output with the index of the input. The signature hash would be the
 * number 1, and anyone could reuse the signature.
 */
export function isSignable({ tx }: Pick<SigningTx, 'tx'>, input: number, hashType: number): boolean {
  return (hashType & ~SIGHASH_ANYONECANPAY) !== SIGHASH_SINGLE || input < tx.outputCount;
}

/** Signs an input. @param hashType one byte; DEFAULT means ALL except in taproot */
export function signInput(signing: SigningTx, input: number, provider: SigningProvider, hashType: number, signer: Signer): SigningResult {
  const { tx } = signing;
  const output = signing.spent[input];
  if (!output) return { scriptSig: tx.scriptSig(input), witness: tx.witness(input), code: CODE_NOT_FOUND };
  const data = extractSignatures(signing, input, output);
  if (isSignable(signing, input, hashType)) {
    produceSignature(output.script, data, signingTools(signing, { input, output, provider, hashType, signer }));
  }
  const { scriptSig, witness } = data;
  if (output.value === UNKNOWN_AMOUNT && witness.length > 0) return { scriptSig, witness, code: CODE_MISSING_AMOUNT };
  if (data.complete) return { scriptSig, witness, code: ScriptError.OK };
  return { scriptSig, witness, code: verifyScript(scriptSig, output.script, witness, STANDARD_SCRIPT_FLAGS, locksOf(signing, input)) };
}
