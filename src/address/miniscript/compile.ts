// Compiles miniscript to script (BIP-0379's translation table). If v: wraps a fragment whose last opcode has a VERIFY
// form (such as CHECKSIGVERIFY), that opcode is used.
import { joinScript, plainPush, pushNumber } from '../../consensus/script/build-script.js';
import { OP } from '../../consensus/script/opcodes.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { MiniscriptNode } from './fragment.js';
import { has } from './types.js';

/** Keys and hashes for compiling. */
export interface CompileTools {
  /** Keys as in the script: 33 bytes, in tapscript 32. */
  readonly keys: readonly Uint8Array[];
  readonly hashes: Hashes;
}

type Piece = number | Uint8Array;

/** Returns the script of a tree. */
export function compileMiniscript(node: MiniscriptNode, tools: CompileTools): Uint8Array {
  const pieces: Piece[] = [];
  emit(node, tools, false, pieces);
  return joinScript(...pieces);
}

const HASH_OPCODES = { sha256: OP.OP_SHA256, hash256: OP.OP_HASH256, ripemd160: OP.OP_RIPEMD160, hash160: OP.OP_HASH160 } as const;
const PREIMAGE_SIZE = 32;

/** Appends the script of a node. @param verify whether the last opcode must have its VERIFY form */
function emit(node: MiniscriptNode, tools: CompileTools, verify: boolean, out: Piece[]): void {
  const { fragment, subs, k, hash, keys } = node;
  const [x, y, z] = subs;
  const sub = (inner: MiniscriptNode, innerVerify = false): void => emit(inner, tools, innerVerify, out);
  switch (fragment) {
    case '0':
      out.push(OP.OP_0);
      return;
    case '1':
      out.push(OP.OP_1);
      return;
    case 'pk_k':
      out.push(plainPush(tools.keys[keys[0]]));
      return;
    case 'pk_h':
      out.push(OP.OP_DUP, OP.OP_HASH160, plainPush(tools.hashes.hash160(tools.keys[keys[0]])), OP.OP_EQUALVERIFY);
      return;
    case 'older':
      out.push(pushNumber(k), OP.OP_CHECKSEQUENCEVERIFY);
      return;
    case 'after':
      out.push(pushNumber(k), OP.OP_CHECKLOCKTIMEVERIFY);
      return;
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
      out.push(OP.OP_SIZE, pushNumber(PREIMAGE_SIZE), OP.OP_EQUALVERIFY, HASH_OPCODES[fragment], plainPush(hash as Uint8Array));
      out.push(verify ? OP.OP_EQUALVERIFY : OP.OP_EQUAL);
      return;
    case 'multi':
      out.push(pushNumber(k), ...keys.map((place) => plainPush(tools.keys[place])), pushNumber(keys.length));
      out.push(verify ? OP.OP_CHECKMULTISIGVERIFY : OP.OP_CHECKMULTISIG);
      return;
    case 'multi_a':
      keys.forEach((place, i) => {
        out.push(plainPush(tools.keys[place]), i === 0 ? OP.OP_CHECKSIG : OP.OP_CHECKSIGADD);
      });
      out.push(pushNumber(k), verify ? OP.OP_NUMEQUALVERIFY : OP.OP_NUMEQUAL);
      return;
    case 'a':
      out.push(OP.OP_TOALTSTACK);
      sub(x);
      out.push(OP.OP_FROMALTSTACK);
      return;
    case 's':
      out.push(OP.OP_SWAP);
      sub(x, verify);
      return;
    case 'c':
      sub(x);
      out.push(verify ? OP.OP_CHECKSIGVERIFY : OP.OP_CHECKSIG);
      return;
    case 'd':
      out.push(OP.OP_DUP, OP.OP_IF);
      sub(x);
      out.push(OP.OP_ENDIF);
      return;
    case 'v':
      sub(x, true);
      if (has(x.type, 'x')) out.push(OP.OP_VERIFY);
      return;
    case 'j':
      out.push(OP.OP_SIZE, OP.OP_0NOTEQUAL, OP.OP_IF);
      sub(x);
      out.push(OP.OP_ENDIF);
      return;
    case 'n':
      sub(x);
      out.push(OP.OP_0NOTEQUAL);
      return;
    case 'and_v':
      sub(x);
      sub(y, verify);
      return;
    case 'and_b':
      sub(x);
      sub(y);
      out.push(OP.OP_BOOLAND);
      return;
    case 'or_b':
      sub(x);
      sub(y);
      out.push(OP.OP_BOOLOR);
      return;
    case 'or_c':
      sub(x);
      out.push(OP.OP_NOTIF);
      sub(y);
      out.push(OP.OP_ENDIF);
      return;
    case 'or_d':
      sub(x);
      out.push(OP.OP_IFDUP, OP.OP_NOTIF);
      sub(y);
      out.push(OP.OP_ENDIF);
      return;
    case 'or_i':
      out.push(OP.OP_IF);
      sub(x);
      out.push(OP.OP_ELSE);
      sub(y);
      out.push(OP.OP_ENDIF);
      return;
    case 'andor':
      sub(x);
      out.push(OP.OP_NOTIF);
      sub(z);
      out.push(OP.OP_ELSE);
      sub(y);
      out.push(OP.OP_ENDIF);
      return;
    case 'thresh':
      subs.forEach((inner, i) => {
        sub(inner);
        if (i > 0) out.push(OP.OP_ADD);
      });
      out.push(pushNumber(k), verify ? OP.OP_EQUALVERIFY : OP.OP_EQUAL);
      return;
  }
}
