// Verifies that an input may spend an output: scriptSig, scriptPubKey, P2SH (BIP-0016) and witness programs (BIP-0141,
// BIP-0341). The order of the checks decides which error is reported. The functions are pure and never throw.

import { equalBytes } from '../bytes/hex.js';
import type { WitnessStack } from '../tx/witness-stack.js';
import { plainPush } from './build-script.js';
import type { SignatureChecker } from './checker.js';
import { checkPublicKeyEncoding, checkSignatureEncoding } from './encoding.js';
import { evalScript } from './eval-script.js';
import {
  SCRIPT_VERIFY_CLEANSTACK,
  SCRIPT_VERIFY_NULLFAIL,
  SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_SIGPUSHONLY,
  SCRIPT_VERIFY_WITNESS,
} from './flags.js';
import { castToBool } from './number.js';
import { OP } from './opcodes.js';
import { ScriptError } from './script-error.js';
import { SigVersion, TaprootContext } from './sig-version.js';
import { isPayToPublicKeyHash, isPayToScriptHash, witnessVersion } from './templates.js';
import { isPushOnly } from './tokenizer.js';
import { verifyWitnessProgram } from './witness-program.js';

const NO_ERROR_YET = -1;

/**
 * Verifies one input.
 * @param witness the input's stack, bottom first; empty if there is none
 * @param flags SCRIPT_VERIFY_* bits
 * @returns a ScriptError code; 0 if the spend is allowed
 */
export function verifyScript(
  scriptSig: Uint8Array,
  scriptPubKey: Uint8Array,
  witness: WitnessStack,
  flags: number,
  checker: SignatureChecker,
): number {
  const segwit = (flags & SCRIPT_VERIFY_WITNESS) !== 0;
  const nativeVersion = segwit ? witnessVersion(scriptPubKey) : -1;
  // Running the scriptPubKey of a native program would leave the program on the stack. It counts as true unless all
  // bytes are zero. An all-zero program fails as EVAL_FALSE below.
  if (nativeVersion >= 0 && scriptSig.length === 0 && castToBool(scriptPubKey.subarray(2))) {
    return verifyWitnessProgram(witness, nativeVersion, scriptPubKey.subarray(2), flags, checker, false);
  }
  const quick = verifyKeyHashSpend(scriptSig, scriptPubKey, witness, flags, checker);
  if (quick !== NO_ERROR_YET) return quick;

  if ((flags & SCRIPT_VERIFY_SIGPUSHONLY) !== 0 && !isPushOnly(scriptSig)) return ScriptError.SIG_PUSHONLY;
  const unused = new TaprootContext();
  let stack: Uint8Array[] = [];
  let error = evalScript(stack, scriptSig, flags, checker, SigVersion.BASE, unused);
  if (error !== ScriptError.OK) return error;
  const p2sh = (flags & SCRIPT_VERIFY_P2SH) !== 0 && isPayToScriptHash(scriptPubKey);
  const stackCopy = p2sh ? stack.slice() : [];
  error = evalScript(stack, scriptPubKey, flags, checker, SigVersion.BASE, unused);
  if (error !== ScriptError.OK) return error;
  if (stack.length === 0 || !castToBool(stack[stack.length - 1])) return ScriptError.EVAL_FALSE;

  // Here scriptSig is not empty: a native program with an empty scriptSig was verified above or has failed as
  // EVAL_FALSE.
  if (nativeVersion >= 0) return ScriptError.WITNESS_MALLEATED;
  let hadWitness = false;
  if (p2sh) {
    if (!isPushOnly(scriptSig)) return ScriptError.SIG_PUSHONLY;
    stack = stackCopy;
    // The stack has an element, because the hash comparison above has succeeded.
    const redeemScript = stack.pop() as Uint8Array;
    error = evalScript(stack, redeemScript, flags, checker, SigVersion.BASE, unused);
    if (error !== ScriptError.OK) return error;
    if (stack.length === 0 || !castToBool(stack[stack.length - 1])) return ScriptError.EVAL_FALSE;
    const version = segwit ? witnessVersion(redeemScript) : -1;
    if (version >= 0) {
      hadWitness = true;
      if (!equalBytes(scriptSig, plainPush(redeemScript))) return ScriptError.WITNESS_MALLEATED_P2SH;
      error = verifyWitnessProgram(witness, version, redeemScript.subarray(2), flags, checker, true);
      if (error !== ScriptError.OK) return error;
      stack.length = 1;
    }
  }
  if ((flags & SCRIPT_VERIFY_CLEANSTACK) !== 0 && stack.length !== 1) return ScriptError.CLEANSTACK;
  if (segwit && !hadWitness && witness.length > 0) return ScriptError.WITNESS_UNEXPECTED;
  return ScriptError.OK;
}

/**
 * Verifies a P2PKH spend whose scriptSig is two direct pushes of usual size, in the order in which the scripts would
 * run.
 * @returns NO_ERROR_YET if the spend has another form
 */
function verifyKeyHashSpend(
  scriptSig: Uint8Array,
  scriptPubKey: Uint8Array,
  witness: WitnessStack,
  flags: number,
  checker: SignatureChecker,
): number {
  const sigSize = scriptSig[0];
  // A signature longer than the 20-byte hash cannot occur in the script, so nothing has to be deleted from it. For both
  // sizes, a direct push is the minimal push.
  if (!(sigSize > 20 && sigSize < OP.OP_PUSHDATA1) || !isPayToPublicKeyHash(scriptPubKey)) return NO_ERROR_YET;
  const keySize = scriptSig[1 + sigSize];
  if (!(keySize > 1 && keySize < OP.OP_PUSHDATA1) || scriptSig.length !== 2 + sigSize + keySize) return NO_ERROR_YET;
  const signature = scriptSig.subarray(1, 1 + sigSize);
  const publicKey = scriptSig.subarray(2 + sigSize);
  if (!equalBytes(checker.crypto.hash160(publicKey), scriptPubKey.subarray(3, 23))) return ScriptError.EQUALVERIFY;
  const error = checkSignatureEncoding(signature, flags) || checkPublicKeyEncoding(publicKey, flags, SigVersion.BASE);
  if (error !== ScriptError.OK) return error;
  if (!checker.checkEcdsa(signature, publicKey, scriptPubKey, SigVersion.BASE)) {
    return (flags & SCRIPT_VERIFY_NULLFAIL) !== 0 ? ScriptError.NULLFAIL : ScriptError.EVAL_FALSE;
  }
  return (flags & SCRIPT_VERIFY_WITNESS) !== 0 && witness.length > 0 ? ScriptError.WITNESS_UNEXPECTED : ScriptError.OK;
}
