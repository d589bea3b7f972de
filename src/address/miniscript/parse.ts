// Parses miniscript (BIP-0379): wrappers, fragments and abbreviations (pk, pkh, and_n, t: l: u:). The caller parses
// keys. The height is limited, because the tree is walked recursively.
import { fromHex, isHex } from '../../consensus/bytes/hex.js';
import { takeExpression } from '../descriptor/cursor.js';
import type { Fragment, MiniscriptContext, MiniscriptNode } from './fragment.js';
import { makeNode } from './make-node.js';

/** Parses a key and returns its index in the caller's list. May throw any error. */
export type KeyReader = (text: string) => number;

/** Largest height of a tree, including wrappers. A script of 3,600 bytes needs far less. */
export const MAX_HEIGHT = 1000;

/** Largest number of nodes. A leaf script full of keys has 30,000. */
const MAX_NODES = 40_000;

const MAX_LOCK = 0x8000_0000;
const MAX_MULTI_KEYS = 20;
const MAX_LEAF_KEYS = 999;
const NUMBER = /^[0-9]{1,20}$/;
const HASH_SIZES: Partial<Record<Fragment, number>> = { sha256: 32, hash256: 32, ripemd160: 20, hash160: 20 };
/** Number of subexpressions of each fragment with a fixed number. */
const ARITY: Partial<Record<Fragment, number>> = { and_v: 2, and_b: 2, or_b: 2, or_c: 2, or_d: 2, or_i: 2, andor: 3 };

/**
 * Parses an expression.
 * @returns null if it is not miniscript. The type of the tree tells whether it is valid and sane
 */
export function parseMiniscript(text: string, context: MiniscriptContext, readKey: KeyReader): MiniscriptNode | null {
  const reader = new Reader(text, context, readKey);
  const node = reader.expression(0);
  return node !== null && reader.atEnd ? node : null;
}

class Reader {
  readonly #text: string;
  readonly #context: MiniscriptContext;
  readonly #readKey: KeyReader;
  #at = 0;
  #nodes = 0;

  constructor(text: string, context: MiniscriptContext, readKey: KeyReader) {
    this.#text = text;
    this.#context = context;
    this.#readKey = readKey;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Parses wrappers, then a fragment. */
  expression(depth: number): MiniscriptNode | null {
    if (depth > MAX_HEIGHT || this.#nodes > MAX_NODES) return null;
    const colon = this.#wrappersEnd();
    const wrappers = colon < 0 ? '' : this.#text.slice(this.#at, colon);
    // Refuse v: twice: the result of v: has type V, which v: does not accept.
    if (wrappers.length > MAX_HEIGHT || wrappers.includes('vv')) return null;
    this.#nodes += 1 + wrappers.length;
    if (colon >= 0) this.#at = colon + 1;
    let node = this.#fragment(depth + wrappers.length);
    for (let i = wrappers.length - 1; i >= 0 && node !== null; i--) node = this.#wrap(wrappers[i], node);
    return node !== null && node.height <= MAX_HEIGHT ? node : null;
  }

  /** Returns the position of the colon after leading wrappers; -1 if there are none. */
  #wrappersEnd(): number {
    let at = this.#at;
    while (at < this.#text.length && this.#text[at] >= 'a' && this.#text[at] <= 'z') at++;
    return at > this.#at && this.#text[at] === ':' ? at : -1;
  }

  #wrap(letter: string, node: MiniscriptNode): MiniscriptNode | null {
    const make = (fragment: Fragment, ...subs: MiniscriptNode[]) => makeNode(fragment, this.#context, { subs });
    switch (letter) {
      case 'a':
      case 's':
      case 'c':
      case 'd':
      case 'v':
      case 'j':
      case 'n':
        return make(letter, node);
      case 't':
        return make('and_v', node, make('1'));
      case 'l':
        return make('or_i', make('0'), node);
      case 'u':
        return make('or_i', node, make('0'));
      default:
        return null;
    }
  }

  #fragment(depth: number): MiniscriptNode | null {
    const name = this.#word();
    if (name === '0' || name === '1') return makeNode(name, this.#context);
    if (!this.#acceptSign('(')) return null;
    const node = this.#call(name, depth);
    return node !== null && this.#acceptSign(')') ? node : null;
  }

  #call(name: string, depth: number): MiniscriptNode | null {
    switch (name) {
      case 'pk':
        return this.#keyed('pk_k', true);
      case 'pkh':
        return this.#keyed('pk_h', true);
      case 'pk_k':
      case 'pk_h':
        return this.#keyed(name, false);
      case 'older':
      case 'after':
        return this.#lock(name);
      case 'sha256':
      case 'hash256':
      case 'ripemd160':
      case 'hash160':
        return this.#hash(name);
      case 'multi':
      case 'multi_a':
        return this.#multi(name);
      case 'thresh':
        return this.#thresh(depth);
      case 'and_n': {
        const subs = this.#subs(2, depth);
        return subs && makeNode('andor', this.#context, { subs: [...subs, makeNode('0', this.#context)] });
      }
      default: {
        const arity = Object.hasOwn(ARITY, name) ? ARITY[name as Fragment] : undefined;
        const subs = arity === undefined ? null : this.#subs(arity, depth);
        return subs && makeNode(name as Fragment, this.#context, { subs });
      }
    }
  }

  #keyed(fragment: 'pk_k' | 'pk_h', checked: boolean): MiniscriptNode | null {
    // Core takes the whole call first: everything between its brackets is the key, including commas.
    const call = takeExpression({ text: this.#text.slice(this.#at - 1) });
    if (call.length < 2 || !call.endsWith(')')) return null;
    this.#at += call.length - 2;
    const node = makeNode(fragment, this.#context, { keys: [this.#readKey(call.slice(1, -1))] });
    return checked ? makeNode('c', this.#context, { subs: [node] }) : node;
  }

  #lock(fragment: 'older' | 'after'): MiniscriptNode | null {
    const k = this.#number();
    return k !== null && k < MAX_LOCK ? makeNode(fragment, this.#context, { k }) : null;
  }

  #hash(fragment: Fragment): MiniscriptNode | null {
    const digits = this.#argument();
    const size = HASH_SIZES[fragment] as number;
    return isHex(digits) && digits.length === 2 * size ? makeNode(fragment, this.#context, { hash: fromHex(digits) }) : null;
  }

  #multi(fragment: 'multi' | 'multi_a'): MiniscriptNode | null {
    const inLeaf = fragment === 'multi_a';
    if (inLeaf !== (this.#context === 'tapscript')) return null;
    const threshold = /^-?[0-9]{1,18}(?=,)/.exec(this.#text.slice(this.#at));
    if (threshold === null) return null;
    this.#at += threshold[0].length;
    const k = Number(threshold[0]);
    const keys: number[] = [];
    while (this.#acceptSign(',')) {
      // Core takes everything up to the next comma, even inside brackets.
      const end = /^[^,)]+(?=[,)])/.exec(this.#text.slice(this.#at));
      if (end === null) return null;
      this.#at += end[0].length;
      keys.push(this.#readKey(end[0]));
    }
    const limit = inLeaf ? MAX_LEAF_KEYS : MAX_MULTI_KEYS;
    if (k < 1 || keys.length > limit || k > keys.length) return null;
    return makeNode(fragment, this.#context, { k, keys });
  }

  #thresh(depth: number): MiniscriptNode | null {
    const k = this.#number();
    if (k === null) return null;
    const subs: MiniscriptNode[] = [];
    while (this.#acceptSign(',')) {
      const sub = this.expression(depth + 1);
      if (sub === null) return null;
      subs.push(sub);
    }
    return k <= subs.length ? makeNode('thresh', this.#context, { subs, k }) : null;
  }

  #subs(count: number, depth: number): MiniscriptNode[] | null {
    const subs: MiniscriptNode[] = [];
    for (let i = 0; i < count; i++) {
      if (i > 0 && !this.#acceptSign(',')) return null;
      const sub = this.expression(depth + 1);
      if (sub === null) return null;
      subs.push(sub);
    }
    return subs;
  }

  #number(): number | null {
    const digits = this.#argument();
    const value = NUMBER.test(digits) ? Number(digits) : 0;
    return value > 0 ? value : null;
  }

  /** Takes an argument up to the comma or bracket that ends it. Brackets inside it (musig()) belong to it. */
  #argument(): string {
    const from = this.#at;
    let level = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const c = this.#text[this.#at];
      if (c === '(') level++;
      else if (c === ')' && level-- === 0) break;
      else if (c === ',' && level === 0) break;
    }
    return this.#text.slice(from, this.#at);
  }

  #word(): string {
    const from = this.#at;
    while (this.#at < this.#text.length && /[a-z0-9_]/.test(this.#text[this.#at])) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  #acceptSign(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }
}
