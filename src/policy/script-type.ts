// Sorts output scripts into the templates Core 0.21.1 knows (its Solver), with the data they carry. Used by policy,
// addresses and RPC. Multisig is recognised with up to 16 keys, as that version does.

import { isValidPublicKeySize } from '../consensus/script/encoding.js';
import { MAX_SCRIPT_SIZE } from '../consensus/script/eval-script.js';
import { OP } from '../consensus/script/opcodes.js';
import { isPayToAnchor, isPayToPublicKeyHash, isPayToScriptHash, witnessVersion } from '../consensus/script/templates.js';
import { isPushOnly, ScriptTokenizer } from '../consensus/script/tokenizer.js';

/** Template names as RPC prints them. */
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

/** A recognised script. */
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

/** Finds a script's template. */
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

/** The template alone; for the most frequent ones nothing is made. */
export function scriptType(script: Uint8Array): ScriptType {
  const version = witnessVersion(script);
  if (version === 0 && script.length === 22) return 'witness_v0_keyhash';
  if (version === 1 && script.length === 34) return 'witness_v1_taproot';
  if (isPayToPublicKeyHash(script)) return 'pubkeyhash';
  return isPayToScriptHash(script) ? 'scripthash' : solve(script).type;
}

/** Whether an output can never be spent: OP_RETURN first, or too large to run. Such coins are not stored. */
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

/** Keys that CHECKMULTISIG takes at most. */
const MAX_MULTISIG_KEYS = 20;

/** m, keys, n, OP_CHECKMULTISIG. */
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

/** OP_1 to OP_16, or a byte of 17 to 20, which is the most keys; 0 for anything else. */
function multisigNumber(token: ScriptTokenizer): number {
  const { opcode } = token;
  if (opcode >= OP.OP_1 && opcode <= OP.OP_16) return opcode - OP.OP_1 + 1;
  const [value = 0, more] = token.data();
  return opcode === 1 && more === undefined && value > 16 && value <= MAX_MULTISIG_KEYS ? value : 0;
}
