// Classifies output scripts by template, like the Solver of Core 0.21.1, and extracts their data. Multisig is
// recognised with up to 20 keys; numbers above 16 are encoded as a push of one byte.

import { isValidPublicKeySize } from '../consensus/script/encoding.js';
import { MAX_SCRIPT_SIZE } from '../consensus/script/eval-script.js';
import { OP } from '../consensus/script/opcodes.js';
import { isPayToAnchor, isPayToPublicKeyHash, isPayToScriptHash, witnessVersion } from '../consensus/script/templates.js';
import { isPushOnly, ScriptTokenizer } from '../consensus/script/tokenizer.js';

/** Template names as in RPC replies. */
export type ScriptType =
  | 'pubkey'
  | 'pubkeyhash'
  | 'scripthash'
  | 'multisig'
  | 'nulldata'
  | 'witness_v0_keyhash'
  | 'witness_v0_scripthash'
  | 'witness_v1_taproot'
  | 'anchor'
  | 'witness_unknown'
  | 'nonstandard';

/** A classified script with its data. */
export interface SolvedScript {
  readonly type: ScriptType;
  /**
   * Views into the script: the key, hash or program; for witness_unknown and anchor a byte with the version and the
   * program; for multisig a byte with the needed count, the keys, a byte with their count; empty for nulldata and
   * nonstandard.
   */
  readonly solutions: readonly Uint8Array[];
}

const NONSTANDARD: SolvedScript = { type: 'nonstandard', solutions: [] };

/** Returns a script's template and data. */
export function solve(script: Uint8Array): SolvedScript {
  if (isPayToScriptHash(script)) return { type: 'scripthash', solutions: [script.subarray(2, 22)] };
  const version = witnessVersion(script);
  if (version >= 0) return solveWitness(version, script.subarray(2));
  if (script[0] === OP.OP_RETURN && isPushOnly(script, 1)) return { type: 'nulldata', solutions: [] };
  const key = payToPublicKey(script);
  if (key !== null) return { type: 'pubkey', solutions: [key] };
  if (isPayToPublicKeyHash(script)) return { type: 'pubkeyhash', solutions: [script.subarray(3, 23)] };
  return solveMultisig(script) ?? NONSTANDARD;
}

/** Returns only the template of a script. Allocates no memory for the most frequent templates. */
export function scriptType(script: Uint8Array): ScriptType {
  const version = witnessVersion(script);
  if (version === 0 && script.length === 22) return 'witness_v0_keyhash';
  if (version === 1 && script.length === 34) return 'witness_v1_taproot';
  if (isPayToPublicKeyHash(script)) return 'pubkeyhash';
  return isPayToScriptHash(script) ? 'scripthash' : solve(script).type;
}

/**
 * Returns whether an output can never be spent, because its script starts with OP_RETURN or is too large to run. Such
 * outputs are not stored as coins.
 */
export function isUnspendable(script: Uint8Array): boolean {
  return (script.length > 0 && script[0] === OP.OP_RETURN) || script.length > MAX_SCRIPT_SIZE;
}

function solveWitness(version: number, program: Uint8Array): SolvedScript {
  if (version === 0) {
    if (program.length === 20) return { type: 'witness_v0_keyhash', solutions: [program] };
    if (program.length === 32) return { type: 'witness_v0_scripthash', solutions: [program] };
    return NONSTANDARD;
  }
  if (version === 1 && program.length === 32) return { type: 'witness_v1_taproot', solutions: [program] };
  if (isPayToAnchor(version, program)) return { type: 'anchor', solutions: [Uint8Array.of(1), program] };
  return { type: 'witness_unknown', solutions: [Uint8Array.of(version), program] };
}

function payToPublicKey(script: Uint8Array): Uint8Array | null {
  const size = script.length - 2;
  if ((size !== 33 && size !== 65) || script[0] !== size || script[size + 1] !== OP.OP_CHECKSIG) return null;
  const key = script.subarray(1, 1 + size);
  return isValidPublicKeySize(key) ? key : null;
}

/** Largest number of keys that CHECKMULTISIG supports. */
const MAX_MULTISIG_KEYS = 20;

/** Parses a script of the form m, keys, n, OP_CHECKMULTISIG. Returns null for any other script. */
function solveMultisig(script: Uint8Array): SolvedScript | null {
  if (script.length === 0 || script[script.length - 1] !== OP.OP_CHECKMULTISIG) return null;
  const token = new ScriptTokenizer(script);
  if (!token.next()) return null;
  const needed = multisigNumber(token);
  if (needed === 0) return null;
  const keys: Uint8Array[] = [];
  while (token.next() && isValidPublicKeySize(token.data())) keys.push(token.data());
  const count = multisigNumber(token);
  if (token.failed || count === 0 || keys.length !== count || count < needed) return null;
  if (token.pos + 1 !== script.length) return null;
  return { type: 'multisig', solutions: [Uint8Array.of(needed), ...keys, Uint8Array.of(count)] };
}

/**
 * Returns the number that a token encodes: OP_1 to OP_16, or a pushed byte from 17 to 20. Returns 0 for any other
 * token.
 */
function multisigNumber(token: ScriptTokenizer): number {
  const { opcode } = token;
  if (opcode >= OP.OP_1 && opcode <= OP.OP_16) return opcode - OP.OP_1 + 1;
  const [value = 0, more] = token.data();
  return opcode === 1 && more === undefined && value > 16 && value <= MAX_MULTISIG_KEYS ? value : 0;
}
