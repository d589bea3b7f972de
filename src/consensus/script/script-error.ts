// Script errors: numeric codes that can cross threads, the names in test vectors, and the texts of Bitcoin Core 0.21.1
// for reject reasons and RPC replies. 0 means success.

/** Codes of script failures; 0 is success. */
export const ScriptError = {
  OK: 0,
  UNKNOWN_ERROR: 1,
  EVAL_FALSE: 2,
  OP_RETURN: 3,
  SCRIPTNUM: 4,
  SCRIPT_SIZE: 5,
  PUSH_SIZE: 6,
  OP_COUNT: 7,
  STACK_SIZE: 8,
  SIG_COUNT: 9,
  PUBKEY_COUNT: 10,
  VERIFY: 11,
  EQUALVERIFY: 12,
  CHECKMULTISIGVERIFY: 13,
  CHECKSIGVERIFY: 14,
  NUMEQUALVERIFY: 15,
  BAD_OPCODE: 16,
  DISABLED_OPCODE: 17,
  INVALID_STACK_OPERATION: 18,
  INVALID_ALTSTACK_OPERATION: 19,
  UNBALANCED_CONDITIONAL: 20,
  NEGATIVE_LOCKTIME: 21,
  UNSATISFIED_LOCKTIME: 22,
  SIG_HASHTYPE: 23,
  SIG_DER: 24,
  MINIMALDATA: 25,
  SIG_PUSHONLY: 26,
  SIG_HIGH_S: 27,
  SIG_NULLDUMMY: 28,
  PUBKEYTYPE: 29,
  CLEANSTACK: 30,
  MINIMALIF: 31,
  NULLFAIL: 32,
  DISCOURAGE_UPGRADABLE_NOPS: 33,
  DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM: 34,
  DISCOURAGE_UPGRADABLE_TAPROOT_VERSION: 35,
  DISCOURAGE_OP_SUCCESS: 36,
  DISCOURAGE_UPGRADABLE_PUBKEYTYPE: 37,
  WITNESS_PROGRAM_WRONG_LENGTH: 38,
  WITNESS_PROGRAM_WITNESS_EMPTY: 39,
  WITNESS_PROGRAM_MISMATCH: 40,
  WITNESS_MALLEATED: 41,
  WITNESS_MALLEATED_P2SH: 42,
  WITNESS_UNEXPECTED: 43,
  WITNESS_PUBKEYTYPE: 44,
  SCHNORR_SIG_SIZE: 45,
  SCHNORR_SIG_HASHTYPE: 46,
  SCHNORR_SIG: 47,
  TAPROOT_WRONG_CONTROL_SIZE: 48,
  TAPSCRIPT_VALIDATION_WEIGHT: 49,
  TAPSCRIPT_CHECKMULTISIG: 50,
  TAPSCRIPT_MINIMALIF: 51,
  TAPSCRIPT_EMPTY_PUBKEY: 52,
  OP_CODESEPARATOR: 53,
  SIG_FINDANDDELETE: 54,
  IF_WITHOUT_CONDITION: 55,
} as const;

/** One of the codes in `ScriptError`. */
export type ScriptErrorCode = (typeof ScriptError)[keyof typeof ScriptError];

// Three codes do not exist in 0.21.1. Each has the text that 0.21.1 reports in its place: SCRIPTNUM that of an unknown
// error, TAPSCRIPT_EMPTY_PUBKEY that of PUBKEYTYPE, and IF_WITHOUT_CONDITION (an IF on an empty stack) that of
// UNBALANCED_CONDITIONAL. Newer releases report INVALID_STACK_OPERATION for the last one.
const TEXTS: Record<keyof typeof ScriptError, string> = {
  OK: 'No error',
  UNKNOWN_ERROR: 'unknown error',
  EVAL_FALSE: 'Script evaluated without error but finished with a false/empty top stack element',
  OP_RETURN: 'OP_RETURN was encountered',
  SCRIPTNUM: 'unknown error',
  SCRIPT_SIZE: 'Script is too big',
  PUSH_SIZE: 'Push value size limit exceeded',
  OP_COUNT: 'Operation limit exceeded',
  STACK_SIZE: 'Stack size limit exceeded',
  SIG_COUNT: 'Signature count negative or greater than pubkey count',
  PUBKEY_COUNT: 'Pubkey count negative or limit exceeded',
  VERIFY: 'Script failed an OP_VERIFY operation',
  EQUALVERIFY: 'Script failed an OP_EQUALVERIFY operation',
  CHECKMULTISIGVERIFY: 'Script failed an OP_CHECKMULTISIGVERIFY operation',
  CHECKSIGVERIFY: 'Script failed an OP_CHECKSIGVERIFY operation',
  NUMEQUALVERIFY: 'Script failed an OP_NUMEQUALVERIFY operation',
  BAD_OPCODE: 'Opcode missing or not understood',
  DISABLED_OPCODE: 'Attempted to use a disabled opcode',
  INVALID_STACK_OPERATION: 'Operation not valid with the current stack size',
  INVALID_ALTSTACK_OPERATION: 'Operation not valid with the current altstack size',
  UNBALANCED_CONDITIONAL: 'Invalid OP_IF construction',
  NEGATIVE_LOCKTIME: 'Negative locktime',
  UNSATISFIED_LOCKTIME: 'Locktime requirement not satisfied',
  SIG_HASHTYPE: 'Signature hash type missing or not understood',
  SIG_DER: 'Non-canonical DER signature',
  MINIMALDATA: 'Data push larger than necessary',
  SIG_PUSHONLY: 'Only push operators allowed in signatures',
  SIG_HIGH_S: 'Non-canonical signature: S value is unnecessarily high',
  SIG_NULLDUMMY: 'Dummy CHECKMULTISIG argument must be zero',
  PUBKEYTYPE: 'Public key is neither compressed or uncompressed',
  CLEANSTACK: 'Stack size must be exactly one after execution',
  MINIMALIF: 'OP_IF/NOTIF argument must be minimal',
  NULLFAIL: 'Signature must be zero for failed CHECK(MULTI)SIG operation',
  DISCOURAGE_UPGRADABLE_NOPS: 'NOPx reserved for soft-fork upgrades',
  DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM: 'Witness version reserved for soft-fork upgrades',
  DISCOURAGE_UPGRADABLE_TAPROOT_VERSION: 'Taproot version reserved for soft-fork upgrades',
  DISCOURAGE_OP_SUCCESS: 'OP_SUCCESSx reserved for soft-fork upgrades',
  DISCOURAGE_UPGRADABLE_PUBKEYTYPE: 'Public key version reserved for soft-fork upgrades',
  WITNESS_PROGRAM_WRONG_LENGTH: 'Witness program has incorrect length',
  WITNESS_PROGRAM_WITNESS_EMPTY: 'Witness program was passed an empty witness',
  WITNESS_PROGRAM_MISMATCH: 'Witness program hash mismatch',
  WITNESS_MALLEATED: 'Witness requires empty scriptSig',
  WITNESS_MALLEATED_P2SH: 'Witness requires only-redeemscript scriptSig',
  WITNESS_UNEXPECTED: 'Witness provided for non-witness script',
  WITNESS_PUBKEYTYPE: 'Using non-compressed keys in segwit',
  SCHNORR_SIG_SIZE: 'Invalid Schnorr signature size',
  SCHNORR_SIG_HASHTYPE: 'Invalid Schnorr signature hash type',
  SCHNORR_SIG: 'Invalid Schnorr signature',
  TAPROOT_WRONG_CONTROL_SIZE: 'Invalid Taproot control block size',
  TAPSCRIPT_VALIDATION_WEIGHT: 'Too much signature validation relative to witness weight',
  TAPSCRIPT_CHECKMULTISIG: 'OP_CHECKMULTISIG(VERIFY) is not available in tapscript',
  TAPSCRIPT_MINIMALIF: 'OP_IF/NOTIF argument must be minimal in tapscript',
  TAPSCRIPT_EMPTY_PUBKEY: 'Public key is neither compressed or uncompressed',
  OP_CODESEPARATOR: 'Using OP_CODESEPARATOR in non-witness script',
  SIG_FINDANDDELETE: 'Signature is found in scriptCode',
  IF_WITHOUT_CONDITION: 'Invalid OP_IF construction',
};

/** Texts of newer releases that differ from those of 0.21.1. */
const LATER_TEXTS: ReadonlyMap<number, string> = new Map([
  [ScriptError.SCRIPTNUM, 'Script number overflowed or is non-minimally encoded'],
  [ScriptError.TAPSCRIPT_EMPTY_PUBKEY, 'Empty public key in tapscript'],
  [ScriptError.IF_WITHOUT_CONDITION, TEXTS.INVALID_STACK_OPERATION],
]);

const NAME_BY_CODE: string[] = [];
const TEXT_BY_CODE: string[] = [];
for (const [name, code] of Object.entries(ScriptError)) {
  NAME_BY_CODE[code] = name;
  TEXT_BY_CODE[code] = TEXTS[name as keyof typeof ScriptError];
}

/** Returns the name of a code, e.g. `EVAL_FALSE`; `UNKNOWN_ERROR` for unknown numbers. */
export function scriptErrorName(code: number): string {
  return NAME_BY_CODE[code] ?? 'UNKNOWN_ERROR';
}

/**
 * Returns Bitcoin Core 0.21.1's text for a code, as in reject reasons.
 * @param later use the texts of newer releases, which distinguish more failures
 */
export function scriptErrorText(code: number, later = false): string {
  return (later ? LATER_TEXTS.get(code) : undefined) ?? TEXT_BY_CODE[code] ?? 'unknown error';
}
