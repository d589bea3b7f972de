// Decodes a script into the miniscript tree that compiles to it, if there is one (BIP-0379). The script is read
// backwards, because the last opcodes determine the fragment. Signers need this if they have only the script, not its
// descriptor. Core: script/miniscript.h DecodeScript.
import { decodeNumber } from '../../consensus/script/number.js';
import { OP } from '../../consensus/script/opcodes.js';
import { isMinimalPush, ScriptTokenizer } from '../../consensus/script/tokenizer.js';
import type { Fragment, MiniscriptContext, MiniscriptNode, NodeFields } from './fragment.js';
import { makeNode } from './make-node.js';
import { MAX_HEIGHT } from './parse.js';
import { isValidTopLevel } from './sanity.js';

/** Tree with the keys that its numbers refer to, as in the script: 33 bytes, in tapscript 32. */
export interface DecodedMiniscript {
  readonly tree: MiniscriptNode;
  readonly keys: readonly Uint8Array[];
}

/** Opcode, with its data if it is a push. An opcode with VERIFY becomes two tokens. */
interface Token {
  readonly op: number;
  readonly data: Uint8Array | null;
}

const NOTHING: Token = { op: -1, data: null };
const MAX_MULTI_KEYS = 20;
const MAX_LEAF_KEYS = 999;
const MAX_LOCK = 0x7fff_ffff;
/** Bytes of the longest number, a lock time. */
const MAX_LOCK_SIZE = 5;
const PREIMAGE_SIZE = 32;
const HASHES = new Map<number, { readonly fragment: Fragment; readonly size: number }>([
  [OP.OP_SHA256, { fragment: 'sha256', size: 32 }],
  [OP.OP_HASH256, { fragment: 'hash256', size: 32 }],
  [OP.OP_RIPEMD160, { fragment: 'ripemd160', size: 20 }],
  [OP.OP_HASH160, { fragment: 'hash160', size: 20 }],
]);
const WITH_VERIFY = new Map<number, number>([
  [OP.OP_CHECKSIGVERIFY, OP.OP_CHECKSIG],
  [OP.OP_CHECKMULTISIGVERIFY, OP.OP_CHECKMULTISIG],
  [OP.OP_EQUALVERIFY, OP.OP_EQUAL],
  [OP.OP_NUMEQUALVERIFY, OP.OP_NUMEQUAL],
]);
const MERGEABLE = new Set(WITH_VERIFY.values());
/** Opcodes that precede an expression inside another one. */
const OPENERS = new Set<number>([OP.OP_IF, OP.OP_ELSE, OP.OP_NOTIF, OP.OP_TOALTSTACK, OP.OP_SWAP]);

/**
 * Decodes a script; null if it is not valid miniscript.
 * @param keyOfHash returns the key with a HASH160, as the script hashes it; null if the key is unknown, which makes
 *   decoding fail
 */
export function decodeMiniscript(
  script: Uint8Array,
  context: MiniscriptContext,
  keyOfHash: (hash: Uint8Array) => Uint8Array | null,
): DecodedMiniscript | null {
  const tokens = tokensOf(script);
  if (tokens === null) return null;
  const reader = new BackwardReader(tokens.reverse(), context, keyOfHash);
  const tree = reader.expression(0);
  return tree !== null && reader.atEnd && isValidTopLevel(tree, context) ? { tree, keys: reader.keys } : null;
}

function tokensOf(script: Uint8Array): Token[] | null {
  const tokens: Token[] = [];
  const tokenizer = new ScriptTokenizer(script);
  while (tokenizer.next()) {
    const op = tokenizer.opcode;
    const parent = WITH_VERIFY.get(op);
    if (op <= OP.OP_PUSHDATA4) {
      const data = tokenizer.data();
      // Miniscript compiles to minimal pushes only.
      if (!isMinimalPush(op, data)) return null;
      tokens.push({ op, data });
    } else if (parent !== undefined) {
      tokens.push({ op: parent, data: null }, { op: OP.OP_VERIFY, data: null });
    } else {
      if (op === OP.OP_VERIFY && MERGEABLE.has(tokens.at(-1)?.op ?? -1)) return null;
      tokens.push({ op, data: null });
    }
  }
  return tokenizer.failed ? null : tokens;
}

/** Returns a number that a script pushes; null for any other token. */
function numberOf({ op, data }: Token): number | null {
  if (op >= OP.OP_1 && op <= OP.OP_16) return op - OP.OP_1 + 1;
  const value = data === null || data.length === 0 ? Number.NaN : decodeNumber(data, true, MAX_LOCK_SIZE);
  return Number.isNaN(value) ? null : value;
}

class BackwardReader {
  readonly keys: Uint8Array[] = [];
  readonly #tokens: readonly Token[];
  readonly #context: MiniscriptContext;
  readonly #keyOfHash: (hash: Uint8Array) => Uint8Array | null;
  #at = 0;

  constructor(tokens: readonly Token[], context: MiniscriptContext, keyOfHash: (hash: Uint8Array) => Uint8Array | null) {
    this.#tokens = tokens;
    this.#context = context;
    this.#keyOfHash = keyOfHash;
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }
  #token(offset = 0): Token {
    return this.#tokens[this.#at + offset] ?? NOTHING;
  }
  #op(offset = 0): number {
    return this.#token(offset).op;
  }
  /** Skips an opcode if it is the next token. (Tokens are read backwards.) */
  #skip(op: number): boolean {
    if (this.#op() !== op) return false;
    this.#at++;
    return true;
  }
  #node(fragment: Fragment, parts: Partial<NodeFields>): MiniscriptNode | null {
    const node = makeNode(fragment, this.#context, parts);
    return node.type === 0 || node.height > MAX_HEIGHT ? null : node;
  }
  #wrap(fragment: Fragment, inner: MiniscriptNode | null): MiniscriptNode | null {
    return inner && this.#node(fragment, { subs: [inner] });
  }
  #join(fragment: Fragment, ...subs: readonly (MiniscriptNode | null)[]): MiniscriptNode | null {
    return subs.includes(null) ? null : this.#node(fragment, { subs: subs as MiniscriptNode[] });
  }

  /** Reads one expression, or several joined by and_v. */
  expression(depth: number): MiniscriptNode | null {
    const last = this.#single(depth + 1);
    if (last === null || this.atEnd || OPENERS.has(this.#op())) return last;
    return this.#join('and_v', this.expression(depth + 1), last);
  }

  #single(depth: number): MiniscriptNode | null {
    if (this.atEnd || depth > MAX_HEIGHT) return null;
    return this.#leaf() ?? this.#compound(depth);
  }

  /** Reads a fragment that has no subexpressions. If there is none, returns null and consumes no token. */
  #leaf(): MiniscriptNode | null {
    const { op, data } = this.#token();
    if (op === OP.OP_1) return this.#consume(1, '1', {});
    if (op === OP.OP_0) return this.#consume(1, '0', {});
    const key = data && this.#isKey(data) ? data : null;
    if (key) return this.#consume(1, 'pk_k', { keys: [this.#place(key)] });
    const k = numberOf(this.#token(1));
    switch (op) {
      case OP.OP_VERIFY:
        return this.#keyHash();
      case OP.OP_CHECKSEQUENCEVERIFY:
      case OP.OP_CHECKLOCKTIMEVERIFY:
        if (k === null || k < 1 || k > MAX_LOCK) return null;
        return this.#consume(2, op === OP.OP_CHECKSEQUENCEVERIFY ? 'older' : 'after', { k });
      case OP.OP_EQUAL:
        return this.#hash();
      case OP.OP_CHECKMULTISIG:
        return this.#context === 'wsh' && k !== null ? this.#multi(k) : null;
      case OP.OP_NUMEQUAL:
        return this.#context === 'tapscript' && k !== null ? this.#leafMulti(k) : null;
      default:
        return null;
    }
  }

  #consume(count: number, fragment: Fragment, parts: Partial<NodeFields>): MiniscriptNode | null {
    this.#at += count;
    return this.#node(fragment, parts);
  }
  #isKey(data: Uint8Array): boolean {
    return this.#context === 'tapscript' ? data.length === 32 : data.length === 33 && (data[0] === 2 || data[0] === 3);
  }
  #place(key: Uint8Array): number {
    return this.keys.push(key) - 1;
  }

  /** Reads DUP HASH160 hash EQUAL VERIFY. */
  #keyHash(): MiniscriptNode | null {
    const hash = this.#token(2).data;
    if (this.#op(1) !== OP.OP_EQUAL || this.#op(3) !== OP.OP_HASH160 || this.#op(4) !== OP.OP_DUP || hash?.length !== 20) return null;
    const key = this.#keyOfHash(hash);
    return key && this.#consume(5, 'pk_h', { keys: [this.#place(key)] });
  }

  /** Reads SIZE 32 EQUAL VERIFY hash-op hash EQUAL. */
  #hash(): MiniscriptNode | null {
    const kind = HASHES.get(this.#op(2));
    const hash = this.#token(1).data;
    if (kind === undefined || hash?.length !== kind.size) return null;
    if (this.#op(3) !== OP.OP_VERIFY || this.#op(4) !== OP.OP_EQUAL || this.#op(6) !== OP.OP_SIZE) return null;
    return numberOf(this.#token(5)) === PREIMAGE_SIZE ? this.#consume(7, kind.fragment, { hash }) : null;
  }

  /** Reads k keys n CHECKMULTISIG. */
  #multi(count: number): MiniscriptNode | null {
    const k = numberOf(this.#token(2 + count));
    if (count < 1 || count > MAX_MULTI_KEYS || k === null || k < 1 || k > count) return null;
    const found: Uint8Array[] = [];
    for (let i = 0; i < count; i++) {
      const { data } = this.#token(2 + i);
      if (data === null || !this.#isKey(data)) return null;
      found.unshift(data);
    }
    return this.#consume(3 + count, 'multi', { k, keys: found.map((key) => this.#place(key)) });
  }

  /** Reads key CHECKSIG key CHECKSIGADD ... k NUMEQUAL. */
  #leafMulti(k: number): MiniscriptNode | null {
    const found: Uint8Array[] = [];
    for (let at = 2; found.length <= MAX_LEAF_KEYS; at += 2) {
      const { data } = this.#token(at + 1);
      if (data === null || !this.#isKey(data)) return null;
      found.push(data);
      if (this.#op(at) === OP.OP_CHECKSIG) break;
      if (this.#op(at) !== OP.OP_CHECKSIGADD) return null;
    }
    if (found.length > MAX_LEAF_KEYS || k < 1 || k > found.length) return null;
    const keys = found.reverse().map((key) => this.#place(key));
    return this.#consume(2 + 2 * found.length, 'multi_a', { k, keys });
  }

  #compound(depth: number): MiniscriptNode | null {
    if (this.#skip(OP.OP_CHECKSIG)) return this.#wrap('c', this.#single(depth + 1));
    if (this.#skip(OP.OP_VERIFY)) return this.#wrap('v', this.#single(depth + 1));
    if (this.#skip(OP.OP_0NOTEQUAL)) return this.#wrap('n', this.#single(depth + 1));
    if (this.#op() === OP.OP_EQUAL) return this.#thresh(depth);
    if (this.#skip(OP.OP_ENDIF)) return this.#conditional(depth);
    for (const [op, fragment] of [
      [OP.OP_BOOLAND, 'and_b'],
      [OP.OP_BOOLOR, 'or_b'],
    ] as const) {
      if (!this.#skip(op)) continue;
      const y = this.#wrapped(depth + 1);
      return y && this.#join(fragment, this.#single(depth + 1), y);
    }
    return null;
  }

  /** Reads an expression after SWAP, or between TOALTSTACK and FROMALTSTACK. */
  #wrapped(depth: number): MiniscriptNode | null {
    const alt = this.#skip(OP.OP_FROMALTSTACK);
    const inner = this.expression(depth + 1);
    return this.#skip(alt ? OP.OP_TOALTSTACK : OP.OP_SWAP) ? this.#wrap(alt ? 'a' : 's', inner) : null;
  }

  /** Reads part part ADD part ADD ... k EQUAL. */
  #thresh(depth: number): MiniscriptNode | null {
    const k = numberOf(this.#token(1));
    if (k === null || k < 1) return null;
    this.#at += 2;
    const subs: MiniscriptNode[] = [];
    while (this.#skip(OP.OP_ADD)) {
      const part = this.#wrapped(depth + 1);
      if (part === null) return null;
      subs.push(part);
    }
    const first = this.#single(depth + 1);
    if (first === null || k > subs.length + 1) return null;
    return this.#node('thresh', { k, subs: [...subs, first].reverse() });
  }

  /** Reads a fragment that ends with ENDIF. */
  #conditional(depth: number): MiniscriptNode | null {
    const last = this.expression(depth + 1);
    if (last === null) return null;
    if (this.#skip(OP.OP_ELSE)) {
      const middle = this.expression(depth + 1);
      if (this.#skip(OP.OP_IF)) return this.#join('or_i', middle, last);
      return this.#skip(OP.OP_NOTIF) ? this.#join('andor', this.#single(depth + 1), last, middle) : null;
    }
    if (this.#skip(OP.OP_NOTIF)) {
      const fragment = this.#skip(OP.OP_IFDUP) ? 'or_d' : 'or_c';
      return this.#join(fragment, this.#single(depth + 1), last);
    }
    if (!this.#skip(OP.OP_IF)) return null;
    if (this.#skip(OP.OP_DUP)) return this.#wrap('d', last);
    return this.#skip(OP.OP_0NOTEQUAL) && this.#skip(OP.OP_SIZE) ? this.#wrap('j', last) : null;
  }
}
