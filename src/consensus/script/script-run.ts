// State of one script evaluation, shared by eval-script.ts, stack-ops.ts, number-ops.ts and signature-ops.ts. The class
// only has fields; the rules are in those files.

import type { SignatureChecker } from './checker.js';
import { SCRIPT_VERIFY_MINIMALDATA } from './flags.js';
import type { SigVersionCode, TaprootContext } from './sig-version.js';

/** State of one evaluation. */
export class ScriptRun {
  readonly stack: Uint8Array[];
  readonly altStack: Uint8Array[] = [];
  readonly script: Uint8Array;
  readonly flags: number;
  readonly checker: SignatureChecker;
  readonly sigVersion: SigVersionCode;
  readonly taproot: TaprootContext;
  /** True if numbers and pushes must be minimal. */
  readonly minimal: boolean;
  /** Start of the signed part of the script: after the last executed OP_CODESEPARATOR. */
  codeStart = 0;
  /** Number of opcodes above OP_16 so far, in executed branches or not, plus the keys of executed multisigs. */
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
   * Returns the script from the last executed OP_CODESEPARATOR on. If none was executed, returns the script object
   * itself, so that caches recognise it.
   */
  scriptCode(): Uint8Array {
    return this.codeStart === 0 ? this.script : this.script.subarray(this.codeStart);
  }
}
