// Script verification flags: one bit for each rule, of consensus or policy, that was added after the first release. Bit
// positions and names are Bitcoin Core's, because test vectors, RPC options and chain parameters use them.

/** Verify pay-to-script-hash inputs (BIP-0016). */
export const SCRIPT_VERIFY_P2SH = 1 << 0;
/** Strict signature and public key encodings, defined hash types only. */
export const SCRIPT_VERIFY_STRICTENC = 1 << 1;
/** Strict DER signatures (BIP-0066). */
export const SCRIPT_VERIFY_DERSIG = 1 << 2;
/** S at most half the group order (BIP-0062 rule 5). */
export const SCRIPT_VERIFY_LOW_S = 1 << 3;
/** The extra CHECKMULTISIG argument must be empty (BIP-0147). */
export const SCRIPT_VERIFY_NULLDUMMY = 1 << 4;
/** Only pushes in scriptSig (BIP-0062 rule 2). */
export const SCRIPT_VERIFY_SIGPUSHONLY = 1 << 5;
/** Minimal pushes and numbers (BIP-0062 rules 3 and 4). */
export const SCRIPT_VERIFY_MINIMALDATA = 1 << 6;
/** Refuse the NOPs reserved for soft forks. */
export const SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS = 1 << 7;
/**
 * Require exactly one element on the stack at the end (BIP-0062 rule 6). Only meaningful together with P2SH and
 * WITNESS.
 */
export const SCRIPT_VERIFY_CLEANSTACK = 1 << 8;
/** OP_CHECKLOCKTIMEVERIFY (BIP-0065). */
export const SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY = 1 << 9;
/** OP_CHECKSEQUENCEVERIFY (BIP-0112). */
export const SCRIPT_VERIFY_CHECKSEQUENCEVERIFY = 1 << 10;
/** Segregated witness (BIP-0141). */
export const SCRIPT_VERIFY_WITNESS = 1 << 11;
/** Refuse undefined witness programs. */
export const SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM = 1 << 12;
/** Segwit v0: the argument of IF and NOTIF is empty or 01. */
export const SCRIPT_VERIFY_MINIMALIF = 1 << 13;
/** If a signature check fails, its signatures must be empty (BIP-0146). */
export const SCRIPT_VERIFY_NULLFAIL = 1 << 14;
/** Segwit v0: compressed public keys only. */
export const SCRIPT_VERIFY_WITNESS_PUBKEYTYPE = 1 << 15;
/** Refuse OP_CODESEPARATOR and signatures inside the script code of legacy scripts. */
export const SCRIPT_VERIFY_CONST_SCRIPTCODE = 1 << 16;
/** Taproot and tapscript (BIP-0341, BIP-0342). */
export const SCRIPT_VERIFY_TAPROOT = 1 << 17;
/** Refuse unknown taproot leaf versions. */
export const SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION = 1 << 18;
/** Refuse OP_SUCCESSx. */
export const SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS = 1 << 19;
/** Refuse unknown public key types in tapscript. */
export const SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE = 1 << 20;

export const SCRIPT_VERIFY_NONE = 0;

/** All flags by the names that test vectors use, in bit order. */
export const SCRIPT_FLAG_NAMES: readonly (readonly [name: string, flag: number])[] = [
  ['P2SH', SCRIPT_VERIFY_P2SH],
  ['STRICTENC', SCRIPT_VERIFY_STRICTENC],
  ['DERSIG', SCRIPT_VERIFY_DERSIG],
  ['LOW_S', SCRIPT_VERIFY_LOW_S],
  ['NULLDUMMY', SCRIPT_VERIFY_NULLDUMMY],
  ['SIGPUSHONLY', SCRIPT_VERIFY_SIGPUSHONLY],
  ['MINIMALDATA', SCRIPT_VERIFY_MINIMALDATA],
  ['DISCOURAGE_UPGRADABLE_NOPS', SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS],
  ['CLEANSTACK', SCRIPT_VERIFY_CLEANSTACK],
  ['CHECKLOCKTIMEVERIFY', SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY],
  ['CHECKSEQUENCEVERIFY', SCRIPT_VERIFY_CHECKSEQUENCEVERIFY],
  ['WITNESS', SCRIPT_VERIFY_WITNESS],
  ['DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM', SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM],
  ['MINIMALIF', SCRIPT_VERIFY_MINIMALIF],
  ['NULLFAIL', SCRIPT_VERIFY_NULLFAIL],
  ['WITNESS_PUBKEYTYPE', SCRIPT_VERIFY_WITNESS_PUBKEYTYPE],
  ['CONST_SCRIPTCODE', SCRIPT_VERIFY_CONST_SCRIPTCODE],
  ['TAPROOT', SCRIPT_VERIFY_TAPROOT],
  ['DISCOURAGE_UPGRADABLE_TAPROOT_VERSION', SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION],
  ['DISCOURAGE_OP_SUCCESS', SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS],
  ['DISCOURAGE_UPGRADABLE_PUBKEYTYPE', SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE],
];

/** All flags at once. */
export const SCRIPT_VERIFY_ALL = SCRIPT_FLAG_NAMES.reduce((all, [, flag]) => all | flag, 0);

/** Flags of consensus rules. A block's flags are a subset that depends on its height. */
export const CONSENSUS_SCRIPT_FLAGS =
  SCRIPT_VERIFY_P2SH |
  SCRIPT_VERIFY_DERSIG |
  SCRIPT_VERIFY_NULLDUMMY |
  SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY |
  SCRIPT_VERIFY_CHECKSEQUENCEVERIFY |
  SCRIPT_VERIFY_WITNESS |
  SCRIPT_VERIFY_TAPROOT;

/**
 * Flags that Core 0.21 calls mandatory. If a relayed transaction fails under these alone, its error is named
 * `mandatory-...`.
 */
export const MANDATORY_SCRIPT_FLAGS = SCRIPT_VERIFY_P2SH;

/** Flags for relay and mining by policy: all except SIGPUSHONLY. */
export const STANDARD_SCRIPT_FLAGS = SCRIPT_VERIFY_ALL & ~SCRIPT_VERIFY_SIGPUSHONLY;

/**
 * Reads a comma-separated list of flag names; `NONE` and the empty string mean no flag.
 * @returns null when a name is unknown
 */
export function parseScriptFlags(text: string): number | null {
  let flags = 0;
  if (text === '' || text === 'NONE') return flags;
  for (const name of text.split(',')) {
    const row = SCRIPT_FLAG_NAMES.find(([known]) => known === name);
    if (row === undefined) return null;
    flags |= row[1];
  }
  return flags;
}
