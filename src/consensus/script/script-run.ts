// The workspace of one script evaluation: what the steps of eval-script.ts, stack-ops.ts, number-ops.ts and
// signature-ops.ts share. Plain fields on purpose; the rules live in those files.

import type { SignatureChecker } from './checker.js';
import { SCRIPT_VERIFY_MINIMALDATA } from './flags.js';
import type { SigVersionCode, TaprootContext } from './sig-version.js';

/** Everything one evaluation works on. */
export class ScriptRun {
  readonly stack: Uint8Array[];
  readonly altStack: Uint8Array[] = [];
  readonly script: Uint8Array;
  readonly flags: number;
  readonly checker: SignatureChecker;
  readonly sigVersion: SigVersionCode;
  readonly taproot: TaprootContext;
  /** Whether numbers and pushes must be minimal. */
  readonly minimal: boolean;
  /** Where the signed part of the script begins: after the last executed OP_CODESEPARATOR. */
  codeStart = 0;
  /** Opcodes above OP_16 met so far, plus multisig keys. */
  opCount = 0;

  constructor(
    stack: Uint8Array[],
    script: Uint8Array,
    flags: number,
    checker: SignatureChecker,
    sigVersion: SigVersionCode,
    taproot: TaprootContext,
  ) {
    this.stack = stack;
    this.script = script;
    this.flags = flags;
    this.checker = checker;
    this.sigVersion = sigVersion;
    this.taproot = taproot;
    this.minimal = (flags & SCRIPT_VERIFY_MINIMALDATA) !== 0;
  }

  /**
   * The script from the last executed OP_CODESEPARATOR on; the script itself when there was none, so that caches see
   * one object.
   */
  scriptCode(): Uint8Array {
    return this.codeStart === 0 ? this.script : this.script.subarray(this.codeStart);
  }
}
