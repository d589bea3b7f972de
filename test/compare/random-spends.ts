// Random locks and attempts to open them, for the comparison of script verdicts: scripts at the edges of the rules, bare
// or behind a hash, a witness program or a taproot leaf, opened with what fits, with something near it, or with anything.
import { testKey, testTaggedHash } from '../framework/keys.js';
import { compactSize, hash160, type Out, push, sha256, type Tx } from '../framework/messages.js';
import { type NaiveTx, naiveLegacy, naiveSegwit, naiveTaproot } from '../framework/naive-sighash.js';
import type { Dice } from './transactions.js';

const KEYS = [testKey(901), testKey(902), testKey(903)] as const;
const WRAPS = ['bare', 'p2sh', 'p2wsh', 'p2sh-p2wsh', 'leaf', 'key path', 'program'] as const;
type Wrap = (typeof WRAPS)[number];
const HASH_TYPES = [1, 1, 1, 2, 3, 0x81, 0x82, 0x83, 0, 4, 0x21, 0x80, 0xff];
const LEAF_VERSIONS = [0xc0, 0xc0, 0xc0, 0xc0, 0xc2, 0x66];
const EMPTY = Buffer.alloc(0);

/** What a script wants on the stack; a signature is by one of the keys over `code`. */
type Want = Buffer | { readonly key: number; readonly code: Buffer; readonly codeSeparator?: number };

interface Inner {
  readonly script: Buffer;
  readonly wants: readonly Want[];
}

export interface RandomLock {
  readonly wrap: Wrap;
  readonly inner: Inner;
  readonly script: Buffer;
  readonly leafVersion: number;
}

const bytes = (...parts: (number | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));

const tapLeafHash = (script: Uint8Array, version: number): Buffer =>
  Buffer.from(testTaggedHash('TapLeaf', Buffer.of(version), compactSize(script.length), script));

export class RandomSpends {
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  lock(): RandomLock {
    const wrap = this.#dice.pick(WRAPS);
    const inner = this.#inner(wrap === 'leaf');
    const leafVersion = this.#dice.pick(LEAF_VERSIONS);
    return { wrap, inner, leafVersion, script: this.#damaged(this.#wrapped(wrap, inner.script, leafVersion), 60) };
  }

  /** Fills in the only input's script and witness. @param spent what the lock lies on */
  open(tx: Tx, lock: RandomLock, spent: Out): void {
    const dice = this.#dice;
    const [input] = tx.ins;
    const { wrap, inner } = lock;
    const fits = dice.chance(0.6);
    const stack = fits
      ? inner.wants.map((want) => this.#damaged('key' in want ? this.#signature(tx, lock, spent, want) : want, 15))
      : Array.from({ length: dice.below(5) }, () => this.#element());
    if (dice.chance(0.05)) stack.unshift(this.#element());
    if (dice.chance(0.04)) stack.pop();
    const pushes = (): Buffer => bytes(...stack.map((item) => this.#pushed(item)));
    const script = this.#damaged(inner.script, 40);
    if (wrap === 'bare') input!.script = dice.chance(0.97) ? pushes() : bytes(pushes(), dice.pick([0x61, 0x76, 0x75, 0x51]));
    else if (wrap === 'p2sh') input!.script = bytes(pushes(), dice.chance(0.03) ? 0x61 : EMPTY, push(script));
    else if (wrap === 'p2wsh') input!.witness = [...stack, script];
    else if (wrap === 'p2sh-p2wsh') {
      input!.script = this.#damaged(push(bytes(0, 32, sha256(inner.script))), 40);
      input!.witness = [...stack, script];
    } else if (wrap === 'leaf') {
      const { parity } = KEYS[0].taprootOutput(tapLeafHash(inner.script, lock.leafVersion));
      const control = bytes(lock.leafVersion | parity, KEYS[0].xonly);
      input!.witness = [
        ...stack,
        script,
        this.#damaged(dice.chance(0.95) ? control : bytes(control, Buffer.alloc(dice.pick([1, 32]))), 30),
      ];
    } else if (wrap === 'key path') {
      const type = dice.chance(0.6) ? 0 : dice.pick(HASH_TYPES);
      input!.witness = [this.#damaged(this.#taproot(tx, spent, type), 10), ...(dice.chance(0.05) ? [EMPTY] : [])];
    } else input!.witness = stack;
    if (input!.witness !== undefined && dice.chance(0.05)) input!.witness.push(bytes(0x50, this.#element()));
    // A witness or a script where none belongs.
    if (dice.chance(0.02)) input!.witness = [...(input!.witness ?? []), this.#element()];
    if (dice.chance(0.02)) input!.script = bytes(input!.script ?? EMPTY, push(this.#element()));
  }

  #wrapped(wrap: Wrap, script: Buffer, leafVersion: number): Buffer {
    const dice = this.#dice;
    const program = bytes(0, 32, sha256(script));
    switch (wrap) {
      case 'bare':
        return script;
      case 'p2sh':
        return bytes(0xa9, 20, hash160(script), 0x87);
      case 'p2wsh':
        return program;
      case 'p2sh-p2wsh':
        return bytes(0xa9, 20, hash160(program), 0x87);
      case 'leaf':
        return bytes(0x51, 32, KEYS[0].taprootOutput(tapLeafHash(script, leafVersion)).key);
      case 'key path':
        return bytes(0x51, 32, KEYS[0].taprootOutput().key);
      case 'program':
        return bytes(dice.pick([0, 0x51, 0x51, 0x52, 0x60]), push(Buffer.alloc(dice.pick([2, 20, 31, 32, 33, 40]), 0x4e)));
    }
  }

  #inner(tapscript: boolean): Inner {
    const dice = this.#dice;
    const draw = dice.below(12);
    const key = dice.below(KEYS.length);
    const pub = Buffer.from(
      tapscript
        ? dice.chance(0.95)
          ? KEYS[key]!.xonly
          : KEYS[key]!.publicKey
        : dice.pick([KEYS[key]!.publicKey, KEYS[key]!.publicKey, KEYS[key]!.publicKey, KEYS[key]!.uncompressed, KEYS[key]!.hybrid]),
    );
    if (draw < 2) {
      const script = bytes(push(pub), 0xac, ...(dice.chance(0.15) ? [0x91] : []));
      return { script, wants: [{ key, code: script }] };
    }
    if (draw < 3) {
      // The separator runs first: the signature is over what follows it.
      const after = bytes(push(pub), dice.pick([0xac, 0xac, 0xad]), dice.chance(0.2) ? 0x51 : EMPTY);
      const script = bytes(0xab, after);
      return { script, wants: [{ key, code: tapscript ? script : after, codeSeparator: 0 }] };
    }
    if (draw < 5) return this.#severalKeys(tapscript);
    if (draw < 6) {
      const lock = dice.pick([0, 1, 2, 100, 144, 0x400001, 500_000_000, 0x7fffffff, 0x80000000]);
      const after = bytes(push(pub), 0xac);
      const script = bytes(this.#number(lock), dice.pick([0xb1, 0xb2]), 0x75, after);
      return { script, wants: [{ key, code: script }] };
    }
    if (draw < 7) {
      const yes = dice.pick([Buffer.of(1), EMPTY, Buffer.of(2), Buffer.of(0x80), Buffer.of(1, 0)]);
      const script = bytes(dice.pick([0x63, 0x64]), push(pub), 0xac, 0x67, dice.pick([0x51, 0x00]), 0x68);
      return { script, wants: [{ key, code: script }, yes] };
    }
    if (draw < 8) {
      const preimage = this.#element();
      const [opcode, hash] = dice.pick([
        [0xa9, hash160(preimage)],
        [0xa8, sha256(preimage)],
        [0xaa, sha256(sha256(preimage))],
      ] as const);
      return { script: bytes(dice.chance(0.3) ? bytes(0x82, 0x75) : EMPTY, opcode, push(hash), 0x87), wants: [preimage] };
    }
    if (draw < 10) return this.#sum();
    return { script: this.#anything(), wants: Array.from({ length: dice.below(4) }, () => this.#element()) };
  }

  /** CHECKMULTISIG, or its way in tapscript. */
  #severalKeys(tapscript: boolean): Inner {
    const dice = this.#dice;
    const keys = [0, 1, 2].slice(0, 1 + dice.below(3));
    const needed = 1 + dice.below(keys.length);
    const signing = keys.slice(0, needed);
    if (tapscript && dice.chance(0.9)) {
      const parts = keys.flatMap((key) => [push(KEYS[key]!.xonly), key === 0 ? 0xac : 0xba]);
      const script = bytes(...parts, this.#number(needed), dice.pick([0x9c, 0x9c, 0x87]));
      const wants = keys.toReversed().map((key): Want => (signing.includes(key) ? { key, code: script } : EMPTY));
      return { script, wants };
    }
    const publics = keys.map((key) => push(KEYS[key]!.publicKey));
    const script = bytes(this.#number(needed), ...publics, this.#number(keys.length), dice.pick([0xae, 0xae, 0xae, 0xaf]));
    const dummy = dice.chance(0.9) ? EMPTY : this.#element();
    return { script, wants: [dummy, ...signing.map((key): Want => ({ key, code: script }))] };
  }

  /** Arithmetic whose result is compared with what it should be, or with a neighbour. */
  #sum(): Inner {
    const dice = this.#dice;
    const number = (): number => dice.pick([0, 1, -1, 2, 16, 17, 127, 128, 255, -128, 32767, 2 ** 31 - 1, -(2 ** 31 - 1), 2 ** 31]);
    const [a, b] = [number(), number()];
    const [opcode, result] = dice.pick([
      [0x93, a + b],
      [0x94, a - b],
      [0xa3, Math.min(a, b)],
      [0xa4, Math.max(a, b)],
      [0x9f, Number(a < b)],
      [0xa0, Number(a > b)],
      [0xa1, Number(a <= b)],
      [0x9a, Number(a !== 0 && b !== 0)],
      [0x9c, Number(a === b)],
    ] as const);
    const wanted = dice.chance(0.85) ? result : result + 1;
    const script = bytes(
      opcode,
      dice.pick([0x8b, 0x8c, 0x8f, 0x90, 0x61, 0x61, 0x61, 0x61]),
      this.#number(wanted),
      dice.pick([0x9c, 0x87]),
    );
    return { script, wants: [encoded(a), encoded(b)] };
  }

  /** Mostly opcodes that run, with pushes of every form. */
  #anything(): Buffer {
    const dice = this.#dice;
    const parts: (number | Uint8Array)[] = [];
    for (let i = dice.below(dice.chance(0.05) ? 260 : 14); i > 0; i--) {
      const kind = dice.below(10);
      if (kind < 3) parts.push(this.#pushed(this.#element()));
      else if (kind < 5) parts.push(0x4f + dice.below(18));
      else if (kind < 6) parts.push(dice.pick([0x63, 0x64, 0x67, 0x68, 0xac, 0xae, 0xab, 0xba, 0xb0, 0xb1, 0xb2, 0x50, 0x6a, 0x7e]));
      else if (kind < 9)
        parts.push(dice.pick([0x69, 0x6b, 0x6c, 0x6d, 0x6e, 0x70, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d]));
      else parts.push(dice.below(256));
    }
    if (dice.chance(0.5)) parts.push(0x51);
    return bytes(...parts);
  }

  #element(): Buffer {
    const dice = this.#dice;
    const draw = dice.below(10);
    if (draw < 2) return EMPTY;
    if (draw < 4) return Buffer.of(dice.pick([0, 1, 2, 16, 17, 0x7f, 0x80, 0x81, 0xff]));
    if (draw < 5) return Buffer.from(dice.pick(KEYS).publicKey);
    if (draw < 6) return Buffer.from(dice.pick(KEYS).xonly);
    if (draw < 9) return Buffer.from(Array.from({ length: dice.below(6) }, () => dice.below(256)));
    return Buffer.alloc(dice.pick([64, 65, 75, 76, 80, 81, 255, 256, 520, 521]), 7);
  }

  /** Pushed minimally, or not. */
  #pushed(item: Buffer): Buffer {
    if (this.#dice.chance(0.03)) return bytes(0x4d, item.length & 0xff, item.length >> 8, item);
    const [first] = item;
    if (item.length === 1 && first! >= 1 && first! <= 16) return Buffer.of(0x50 + first!);
    if (item.length === 1 && first === 0x81) return Buffer.of(0x4f);
    return push(item);
  }

  #number(n: number): Buffer {
    if (n >= -1 && n <= 16 && n !== 0 && this.#dice.chance(0.98)) return Buffer.of(0x50 + n);
    return push(this.#dice.chance(0.98) || n < 0 ? encoded(n) : bytes(encoded(n), 0));
  }

  #damaged(item: Buffer, oneIn: number): Buffer {
    if (item.length === 0 || this.#dice.below(oneIn) !== 0) return item;
    const copy = Buffer.from(item);
    if (this.#dice.chance(0.3)) return copy.subarray(0, copy.length - 1);
    copy[this.#dice.below(copy.length)]! ^= 1 << this.#dice.below(8);
    return copy;
  }

  #signature(tx: Tx, { wrap, inner, leafVersion }: RandomLock, spent: Out, want: Extract<Want, { readonly key: number }>): Buffer {
    const dice = this.#dice;
    const key = KEYS[want.key]!;
    if (wrap === 'leaf') {
      const type = dice.chance(0.7) ? 0 : dice.pick(HASH_TYPES);
      const leafHash = tapLeafHash(inner.script, leafVersion);
      const more = want.codeSeparator === undefined ? { leafHash } : { leafHash, codeSeparator: want.codeSeparator };
      const hash = naiveTaproot(plain(tx), 0, [spent], type, more);
      const signature = key.signSchnorr(hash ?? Buffer.alloc(32, 1));
      return type === 0 ? Buffer.from(signature) : bytes(signature, type);
    }
    const type = dice.pick(HASH_TYPES);
    const isWitness = wrap === 'p2wsh' || wrap === 'p2sh-p2wsh';
    const hash = isWitness ? naiveSegwit(plain(tx), 0, want.code, spent.value, type) : naiveLegacy(plain(tx), 0, want.code, type);
    return Buffer.from(key.signForScript(hash, type, dice.chance(0.5)));
  }

  #taproot(tx: Tx, spent: Out, type: number): Buffer {
    const hash = naiveTaproot(plain(tx), 0, [spent], type) ?? Buffer.alloc(32, 1);
    const signature = KEYS[0].signTaproot(hash);
    return type === 0 && this.#dice.chance(0.95) ? Buffer.from(signature) : bytes(signature, type);
  }
}

/** A number as scripts keep it, without the push. */
function encoded(n: number): Buffer {
  const out: number[] = [];
  for (let rest = Math.abs(n); rest > 0; rest = Math.floor(rest / 256)) out.push(rest % 256);
  if (out.length === 0) return EMPTY;
  if (out.at(-1)! >= 0x80) out.push(0);
  if (n < 0) out[out.length - 1]! |= 0x80;
  return Buffer.from(out);
}

const plain = (tx: Tx): NaiveTx => ({
  version: tx.version,
  inputs: tx.ins.map(({ txid, index, sequence }) => ({ prevHash: txid, prevIndex: index, sequence: sequence ?? 0xffffffff })),
  outputs: tx.outs,
  locktime: tx.locktime,
});
