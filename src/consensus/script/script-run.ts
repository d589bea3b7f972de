// The workspace of one script evaluation: what the steps of eval-script.ts, stack-ops.ts, number-ops.ts and signature-ops.ts
// share. Plain fields on purpose; the rules live in those files.

import type { SignatureChecker } from './checker.js';
import { SCRIPT_VERIFY_MINIMALDATA } from './flags.js';

/** Which rules a script runs under. */
export const SigVersion = {
  /** Bare and P2SH scripts. */
  BASE: 0,
  /** BIP-0141 version 0 programs, sighash of BIP-0143. */
  WITNESS_V0: 1,
  /** Key path of BIP-0341. */
  TAPROOT: 2,
  /** Leaf version c0 of BIP-0342. */
  TAPSCRIPT: 3,
} as const;

export type SigVersionCode = (typeof SigVersion)[keyof typeof SigVersion];

/** The value of `codeSeparatorPos` while no OP_CODESEPARATOR was executed. */
export const NO_CODE_SEPARATOR = 0xffffffff;

/** What taproot signatures commit to beside the transaction, and the signature budget (BIP-0341, BIP-0342). */
export class TaprootContext {
  /** SHA-256 of the annex with its size, null without annex. */
  annexHash: Uint8Array | null = null;
  /** Hash of the executed leaf; null on the key path. */
  tapleafHash: Uint8Array | null = null;
  /** Opcode index of the last executed OP_CODESEPARATOR. */
  codeSeparatorPos = NO_CODE_SEPARATOR;
  /** Weight units left for signature checks. */
  validationWeightLeft = 0;
}

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

  /** The script from the last executed OP_CODESEPARATOR on; the script itself when there was none, so that caches see one object. */
  scriptCode(): Uint8Array {
    return this.codeStart === 0 ? this.script : this.script.subarray(this.codeStart);
  }
}
