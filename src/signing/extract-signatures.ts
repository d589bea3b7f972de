// Finds the scripts and signatures that an input already has, so that they are kept when others are added. Core:
// script/sign.cpp DataFromTransaction.
import { hashKey } from '../consensus/bytes/hex.js';
import { DetachedChecker, type SignatureChecker, TxSignatureChecker } from '../consensus/script/checker.js';
import { evalScript } from '../consensus/script/eval-script.js';
import { SCRIPT_VERIFY_STRICTENC, STANDARD_SCRIPT_FLAGS } from '../consensus/script/flags.js';
import { verifyScript } from '../consensus/script/interpreter.js';
import { ScriptError } from '../consensus/script/script-error.js';
import { SigVersion, type SigVersionCode, type TaprootContext } from '../consensus/script/sig-version.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { Crypto } from '../crypto/crypto.js';
import { type ScriptType, solve } from '../policy/script-type.js';
import { emptySignatureData, type SignatureData } from './signature-data.js';
import type { SigningTx } from './signing-tx.js';

/** Script types that an empty scriptSig and witness may satisfy. */
const MAY_BE_FREE: readonly ScriptType[] = ['nonstandard', 'nulldata', 'witness_unknown'];

/** Signature checker that records every valid signature. */
class RecordingChecker implements SignatureChecker {
  readonly crypto: Crypto;
  readonly #inner: SignatureChecker;
  readonly #data: SignatureData;

  constructor(inner: SignatureChecker, data: SignatureData) {
    this.#inner = inner;
    this.#data = data;
    this.crypto = inner.crypto;
  }
  checkEcdsa(signature: Uint8Array, publicKey: Uint8Array, scriptCode: Uint8Array, sigVersion: SigVersionCode): boolean {
    if (!this.#inner.checkEcdsa(signature, publicKey, scriptCode, sigVersion)) return false;
    const key = hashKey(this.crypto.hash160(publicKey));
    if (!this.#data.signatures.has(key)) this.#data.signatures.set(key, { publicKey, signature });
    return true;
  }
  checkSchnorr(signature: Uint8Array, publicKey: Uint8Array, sigVersion: SigVersionCode, taproot: TaprootContext): number {
    return this.#inner.checkSchnorr(signature, publicKey, sigVersion, taproot);
  }
  checkLockTime(lockTime: number): boolean {
    return this.#inner.checkLockTime(lockTime);
  }
  checkSequence(sequence: number): boolean {
    return this.#inner.checkSequence(sequence);
  }
}

/** Extracts scripts and signatures from one input. @param output output that the input spends */
export function extractSignatures(signing: SigningTx, input: number, output: SpentOutput): SignatureData {
  const { tx, crypto } = signing;
  const data = emptySignatureData();
  data.scriptSig = tx.scriptSig(input);
  data.witness = tx.witness(input);
  // The input is empty, as usual before signing, and an empty input does not satisfy scripts of this type. Skip the
  // checks.
  if (data.scriptSig.length === 0 && data.witness.length === 0 && !MAY_BE_FREE.includes(solve(output.script).type)) return data;
  const checker = new RecordingChecker(new TxSignatureChecker(tx, input, signing.spent, crypto, signing.sighash), data);
  if (verifyScript(data.scriptSig, output.script, data.witness, STANDARD_SCRIPT_FLAGS, checker) === ScriptError.OK) {
    data.complete = true;
    return data;
  }
  const found = scriptsIn(signing, input, output);
  data.redeemScript = found.redeemScript;
  data.witnessScript = found.witnessScript;
  const { script, stack, sigVersion } = found;
  const solved = solve(script);
  if (solved.type === 'multisig') {
    // Signatures are in the order of the keys. As in Core, a key whose signature is already known consumes the next
    // stack item without a check.
    const publicKeys = solved.solutions.slice(1, -1);
    let next = 0;
    for (const signature of stack) {
      for (let i = next; i < publicKeys.length; i++) {
        const known = data.signatures.has(hashKey(crypto.hash160(publicKeys[i])));
        if (!known && !checker.checkEcdsa(signature, publicKeys[i], script, sigVersion)) continue;
        next = i + 1;
        break;
      }
    }
  }
  return data;
}

/** Scripts of an input, the innermost script that is executed, and its stack. */
export interface FoundScripts {
  readonly redeemScript: Uint8Array | null;
  readonly witnessScript: Uint8Array | null;
  readonly script: Uint8Array;
  readonly stack: readonly Uint8Array[];
  readonly sigVersion: SigVersionCode;
}

/**
 * Reads redeem script and witness script from the end of an input's scriptSig and witness. The scripts are verified
 * only when they are used.
 */
export function scriptsIn({ tx, crypto }: SigningTx, input: number, output: SpentOutput): FoundScripts {
  const stack: Uint8Array[] = [];
  evalScript(stack, tx.scriptSig(input), SCRIPT_VERIFY_STRICTENC, new DetachedChecker(crypto), SigVersion.BASE);
  let redeemScript: Uint8Array | null = null;
  let { script } = output;
  const last = stack.at(-1);
  if (solve(script).type === 'scripthash' && last && last.length > 0) {
    redeemScript = last;
    script = last;
    stack.pop();
  }
  const witness = tx.witness(input);
  const witnessScript = witness.at(-1);
  if (solve(script).type === 'witness_v0_scripthash' && witnessScript && witnessScript.length > 0) {
    return { redeemScript, witnessScript, script: witnessScript, stack: witness.slice(0, -1), sigVersion: SigVersion.WITNESS_V0 };
  }
  return { redeemScript, witnessScript: null, script, stack, sigVersion: SigVersion.BASE };
}
