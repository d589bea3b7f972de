// Random locks and attempts to open them, for the comparison of script verdicts: scripts close to the limits of the
// rules, bare or in a hash, a witness program or a taproot leaf. They are opened with matching data, with almost
// matching data, or with random data.
import { derEncode, type TestKey, testKey, testTaggedHash } from '../framework/keys.js';
import { compactSize, hash160, type Out, push, sha256, type Tx } from '../framework/messages.js';
import { type NaiveTx, naiveLegacy, naiveSegwit, naiveTaproot } from '../framework/naive-sighash.js';
import type { Dice } from './transactions.js';

const KEYS = [testKey(901), testKey(902), testKey(903)] as const;
const WRAPS = ['bare', 'p2sh', 'p2wsh', 'p2sh-p2wsh', 'p2wpkh', 'p2sh-p2wpkh', 'leaf', 'leaf', 'key path', 'program'] as const;
type Wrap = (typeof WRAPS)[number];
const HASH_TYPES = [1, 1, 1, 2, 3, 0x81, 0x82, 0x83, 0, 4, 0x21, 0x80, 0xff];
const LEAF_VERSIONS = [0xc0, 0xc0, 0xc0, 0xc0, 0xc2, 0x66];
const EMPTY = Buffer.alloc(0);
const GROUP_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;
const NOP = 0x61;
/** Parts of a script before its check of a signature; null stands for the signature. */
const SELF_SIGNED = [
  [null, 0x75],
  [null, 0x75, null, 0x75],
  [null, null, 0x6d],
  [null, 0x51, 0x6d],
];
const SEPARATOR = 0xab;

/**
 * An element that a script needs on the stack. A signature is made by one of the keys over `code`; legacy hashes sign
 * it without its separators.
 */
type Want = Buffer | { readonly key: number; readonly code: Buffer; readonly legacyCode?: Buffer; readonly codeSeparator?: number };

interface Inner {
  readonly script: Buffer;
  readonly wants: readonly Want[];
}

export interface RandomLock {
  readonly wrap: Wrap;
  readonly inner: Inner;
  readonly script: Buffer;
  readonly leafVersion: number;
  /** Path of a leaf: the bytes after the key in its control block. */
  readonly path: Buffer;
  readonly parity: number;
}

/** @param tweaked sign with the tweaked key of an output without scripts */
export type SignSchnorr = (key: TestKey, hash: Uint8Array, tweaked: boolean) => Uint8Array;

const bytes = (...parts: (number | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));

const tapLeafHash = (script: Uint8Array, version: number): Buffer =>
  Buffer.from(testTaggedHash('TapLeaf', Buffer.of(version), compactSize(script.length), script));

/** Returns the root of the script tree that contains a leaf. @param path the leaf's siblings, the lowest first */
function rootAbove(leaf: Buffer, path: Buffer): Buffer {
  let node = leaf;
  for (let at = 0; at < path.length; at += 32) {
    const pair = [node, path.subarray(at, at + 32)].sort(Buffer.compare);
    node = Buffer.from(testTaggedHash('TapBranch', ...pair));
  }
  return node;
}

const KEY_PATH_OUTPUT = KEYS[0].taprootOutput().key;

export class RandomSpends {
  readonly #dice: Dice;
  readonly #signSchnorr: SignSchnorr;

  constructor(dice: Dice, signSchnorr: SignSchnorr = (key, hash, tweaked) => (tweaked ? key.signTaproot(hash) : key.signSchnorr(hash))) {
    this.#dice = dice;
    this.#signSchnorr = signSchnorr;
  }

  lock(): RandomLock {
    const dice = this.#dice;
    const wrap = dice.pick(WRAPS);
    const inner =
      wrap === 'p2wpkh' || wrap === 'p2sh-p2wpkh' ? this.#keyHash(this.#publicKey(dice.below(KEYS.length))) : this.#inner(wrap === 'leaf');
    const leafVersion = dice.pick(LEAF_VERSIONS);
    if (wrap !== 'leaf') {
      const script = this.#damaged(this.#wrapped(wrap, inner), 60);
      return { wrap, inner, leafVersion, script, path: EMPTY, parity: 0 };
    }
    const depth = dice.chance(0.97) ? dice.pick([0, 0, 1, 2, 3]) : dice.pick([127, 128, 129]);
    const path = Buffer.concat(Array.from({ length: depth }, () => Buffer.alloc(32, 1 + dice.below(255))));
    const { key, parity } = KEYS[0].taprootOutput(rootAbove(tapLeafHash(inner.script, leafVersion), path));
    return { wrap, inner, leafVersion, script: this.#damaged(bytes(0x51, 32, key), 60), path, parity };
  }

  /**
   * Makes a legacy lock that contains the signature that opens it. Legacy signing removes this signature from the
   * script, so it does not sign itself. Fills in the input's script.
   */
  selfSigned(tx: Tx, index: number, wrap: 'bare' | 'p2sh'): Buffer {
    const dice = this.#dice;
    const check = bytes(push(KEYS[0].publicKey), 0xac);
    const shape = dice.pick<readonly (number | null)[]>(SELF_SIGNED);
    const code = bytes(...shape.filter((part) => part !== null), check);
    const type = dice.pick(HASH_TYPES);
    const signature = Buffer.from(KEYS[0].signForScript(naiveLegacy(plain(tx), index, code, type), type, false));
    const pushed = push(signature);
    // If the signature is pushed in another form, legacy signing does not remove it.
    const inside = dice.chance(0.9) ? pushed : bytes(0x4c, pushed);
    const script = bytes(...shape.map((part) => part ?? inside), check);
    tx.ins[index]!.script = wrap === 'bare' ? pushed : bytes(pushed, push(script));
    return wrap === 'bare' ? script : bytes(0xa9, 20, hash160(script), 0x87);
  }

  /** Fills in an input's script and witness. @param spent the outputs that the inputs spend, including the lock's */
  open(tx: Tx, index: number, lock: RandomLock, spent: readonly Out[]): void {
    const dice = this.#dice;
    const input = tx.ins[index];
    const { wrap, inner } = lock;
    const fits = dice.chance(0.6);
    const annex = dice.chance(0.05) ? bytes(0x50, this.#element()) : undefined;
    const stack = fits
      ? inner.wants.map((want) => this.#damaged('key' in want ? this.#signature(tx, index, lock, spent, want, annex) : want, 15))
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
    } else if (wrap === 'p2wpkh') input!.witness = stack;
    else if (wrap === 'p2sh-p2wpkh') {
      input!.script = this.#damaged(push(keyHashProgram(inner)), 40);
      input!.witness = stack;
    } else if (wrap === 'leaf') {
      const control = bytes(lock.leafVersion | lock.parity, KEYS[0].xonly, lock.path);
      input!.witness = [
        ...stack,
        script,
        this.#damaged(dice.chance(0.95) ? control : bytes(control, Buffer.alloc(dice.pick([1, 32]))), 30),
      ];
    } else if (wrap === 'key path') {
      const type = dice.chance(0.6) ? 0 : dice.pick(HASH_TYPES);
      input!.witness = [this.#damaged(this.#taproot(tx, index, spent, type, annex), 10), ...(dice.chance(0.05) ? [EMPTY] : [])];
    } else input!.witness = stack;
    if (input!.witness !== undefined && annex !== undefined) input!.witness.push(dice.chance(0.9) ? annex : bytes(annex, 0));
    // Add a witness or a script where none is allowed.
    if (dice.chance(0.02)) input!.witness = [...(input!.witness ?? []), this.#element()];
    if (dice.chance(0.02)) input!.script = bytes(input!.script ?? EMPTY, push(this.#element()));
  }

  /** Returns a copy with one change that may affect the verdict. */
  neighbour(tx: Tx, index: number, spent: readonly Out[]): { tx: Tx; spent: Out[] } {
    const dice = this.#dice;
    const near: Tx = { ...tx, ins: tx.ins.map((input) => ({ ...input })), outs: tx.outs.map((out) => ({ ...out })) };
    const coins = spent.map((out) => ({ ...out }));
    const input = near.ins[index]!;
    const coin = coins[index]!;
    const witness = [...(input.witness ?? [])];
    const place = dice.below(witness.length + 1);
    switch (dice.below(witness.length > 0 ? 14 : 7)) {
      case 0:
        coin.script = this.#damaged(Buffer.from(coin.script), 1);
        break;
      case 1:
        coin.value++;
        break;
      case 2:
        input.sequence = dice.pick([0, 1, 0xfffffffe, 0xffffffff]);
        break;
      case 3:
        near.locktime = dice.pick([0, 100, 500_000_000]);
        break;
      case 4:
        near.outs = dice.chance(0.5) ? near.outs.slice(1) : [...near.outs, { value: 1, script: EMPTY }];
        break;
      case 5:
      case 6:
        input.script = this.#damaged(Buffer.from(input.script ?? bytes(this.#element())), 1);
        break;
      case 7:
        witness.splice(place, 1);
        break;
      case 8:
        witness.splice(place, 0, this.#element());
        break;
      case 9:
        witness.push(bytes(0x50, this.#element()));
        break;
      default:
        if (place < witness.length) witness[place] = this.#damaged(Buffer.from(witness[place]!), 1);
    }
    if (witness.length > 0) input.witness = witness;
    else delete input.witness;
    return { tx: near, spent: coins };
  }

  #wrapped(wrap: Exclude<Wrap, 'leaf'>, inner: Inner): Buffer {
    const dice = this.#dice;
    const program = bytes(0, 32, sha256(inner.script));
    switch (wrap) {
      case 'bare':
        return inner.script;
      case 'p2sh':
        return bytes(0xa9, 20, hash160(inner.script), 0x87);
      case 'p2wsh':
        return program;
      case 'p2sh-p2wsh':
        return bytes(0xa9, 20, hash160(program), 0x87);
      case 'p2wpkh':
        return keyHashProgram(inner);
      case 'p2sh-p2wpkh':
        return bytes(0xa9, 20, hash160(keyHashProgram(inner)), 0x87);
      case 'key path':
        return bytes(0x51, 32, KEY_PATH_OUTPUT);
      case 'program':
        return bytes(dice.pick([0, 0x51, 0x51, 0x52, 0x60]), push(Buffer.alloc(dice.pick([2, 20, 31, 32, 33, 40]), 0x4e)));
    }
  }

  #inner(tapscript: boolean): Inner {
    const dice = this.#dice;
    if (dice.chance(0.02)) return { script: this.#limit(), wants: [] };
    if (tapscript && dice.chance(0.03)) return this.#manyChecks();
    const draw = dice.below(14);
    const key = dice.below(KEYS.length);
    const pub = tapscript && dice.chance(0.95) ? Buffer.from(KEYS[key]!.xonly) : dice.chance(0.02) ? EMPTY : this.#publicKey(key);
    if (draw < 2) {
      const script = bytes(push(pub), 0xac, ...(dice.chance(0.15) ? [0x91] : []));
      return { script, wants: [{ key, code: script }] };
    }
    if (draw < 3) {
      // The separator runs first, so the signature covers only the script after it.
      const after = bytes(push(pub), dice.pick([0xac, 0xac, 0xad]), dice.chance(0.2) ? 0x51 : EMPTY);
      const script = bytes(SEPARATOR, after);
      return { script, wants: [{ key, code: tapscript ? script : after, codeSeparator: 0 }] };
    }
    if (draw < 4) {
      // One signature covers the whole script, the other only the part after the separator.
      const before = bytes(push(pub), 0xad);
      const after = bytes(push(pub), 0xac);
      const script = bytes(before, SEPARATOR, after);
      const second: Want = { key, code: tapscript ? script : after, codeSeparator: 2 };
      return { script, wants: [second, { key, code: script, legacyCode: bytes(before, after) }] };
    }
    if (draw < 6) return this.#severalKeys(tapscript);
    if (draw < 7) {
      const lock = dice.pick([0, 1, 2, 100, 144, 0x400001, 500_000_000, 0x7fffffff, 0x80000000]);
      const after = bytes(push(pub), 0xac);
      const script = bytes(this.#number(lock), dice.pick([0xb1, 0xb2]), 0x75, after);
      return { script, wants: [{ key, code: script }] };
    }
    if (draw < 8) {
      const yes = dice.pick([Buffer.of(1), EMPTY, Buffer.of(2), Buffer.of(0x80), Buffer.of(1, 0)]);
      const script = bytes(dice.pick([0x63, 0x64]), push(pub), 0xac, 0x67, dice.pick([0x51, 0x00]), 0x68);
      return { script, wants: [{ key, code: script }, yes] };
    }
    if (draw < 9) {
      const preimage = this.#element();
      const [opcode, hash] = dice.pick([
        [0xa9, hash160(preimage)],
        [0xa8, sha256(preimage)],
        [0xaa, sha256(sha256(preimage))],
      ] as const);
      return { script: bytes(dice.chance(0.3) ? bytes(0x82, 0x75) : EMPTY, opcode, push(hash), 0x87), wants: [preimage] };
    }
    if (draw < 11) return this.#sum();
    if (draw < 12) return this.#keyHash(pub, key);
    return { script: this.#anything(), wants: Array.from({ length: dice.below(4) }, () => this.#element()) };
  }

  #publicKey(key: number): Buffer {
    const { publicKey, uncompressed, hybrid } = KEYS[key]!;
    return Buffer.from(this.#dice.pick([publicKey, publicKey, publicKey, uncompressed, hybrid]));
  }

  #keyHash(pub: Buffer, key = KEYS.findIndex(({ xonly }) => pub.subarray(1, 33).equals(xonly))): Inner {
    const script = bytes(0x76, 0xa9, 20, hash160(pub), 0x88, 0xac);
    return { script, wants: [{ key, code: script }, pub] };
  }

  /** Makes a tapscript with as many signature checks as its witness pays for, or more. */
  #manyChecks(): Inner {
    const check = bytes(0x76, push(KEYS[0].xonly), 0xad);
    const script = bytes(...new Array<Buffer>(5 + this.#dice.below(10)).fill(check), push(KEYS[0].xonly), 0xac);
    return { script, wants: [{ key: 0, code: script }] };
  }

  /** Makes a script that is close to a limit of the script rules. */
  #limit(): Buffer {
    const dice = this.#dice;
    const near = (most: number): number => most - 2 + dice.below(5);
    switch (dice.below(4)) {
      case 0:
        return bytes(Buffer.alloc(near(201), NOP), 0x51);
      case 1:
        return bytes(Buffer.alloc(near(1000), 0x51), ...(dice.chance(0.5) ? [0x6e] : []));
      case 2: {
        // Elements of the largest size, up to the largest script.
        const large = push(Buffer.alloc(520, 0x51));
        return bytes(...new Array<Buffer>(19).fill(bytes(large, 0x75)), Buffer.alloc(near(10_000) - 19 * 524 - 1, 0x51), 0x51);
      }
      default: {
        const keys = near(20);
        return bytes(
          0,
          0,
          this.#number(keys),
          0x75,
          Buffer.alloc(near(180), NOP),
          0,
          ...new Array<number>(keys).fill(0x51),
          this.#number(keys),
          0xae,
        );
      }
    }
  }

  /** Makes a script with CHECKMULTISIG, or its replacement in tapscript. */
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
    if (dice.chance(0.05)) {
      const [some, all] = dice.pick([
        [needed, -1],
        [-1, keys.length],
        [keys.length + 1, keys.length],
        [needed, 21],
      ]);
      return { script: bytes(this.#number(some!), ...publics, this.#number(all!), 0xae), wants: [dummy, EMPTY] };
    }
    return { script, wants: [dummy, ...signing.map((key): Want => ({ key, code: script }))] };
  }

  /** Makes a script with arithmetic whose result is compared with the correct value or with a value next to it. */
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

  /** Makes a script mostly of opcodes that succeed, with pushes of every form. */
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

  /** Pushes an item, minimally or not. */
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

  #signature(
    tx: Tx,
    index: number,
    { wrap, inner, leafVersion }: RandomLock,
    spent: readonly Out[],
    want: Extract<Want, { readonly key: number }>,
    annex: Buffer | undefined,
  ): Buffer {
    const dice = this.#dice;
    const key = KEYS[want.key]!;
    if (wrap === 'leaf') {
      const type = dice.chance(0.7) ? 0 : dice.pick(HASH_TYPES);
      const leafHash = tapLeafHash(inner.script, leafVersion);
      const { codeSeparator } = want;
      const more = { leafHash, ...(codeSeparator === undefined ? {} : { codeSeparator }), ...(annex === undefined ? {} : { annex }) };
      const hash = naiveTaproot(plain(tx), index, [...spent], type, more);
      const signature = this.#signSchnorr(key, hash ?? Buffer.alloc(32, 1), false);
      return type === 0 ? Buffer.from(signature) : bytes(signature, type);
    }
    const type = dice.pick(HASH_TYPES);
    const isWitness = wrap === 'p2wsh' || wrap === 'p2sh-p2wsh' || wrap === 'p2wpkh' || wrap === 'p2sh-p2wpkh';
    const hash = isWitness
      ? naiveSegwit(plain(tx), index, want.code, spent[index]!.value, type)
      : naiveLegacy(plain(tx), index, want.legacyCode ?? want.code, type);
    const signature = key.signEcdsa(hash, dice.chance(0.5));
    return bytes(derEncode(dice.chance(0.95) ? signature : withHighS(signature)), type);
  }

  #taproot(tx: Tx, index: number, spent: readonly Out[], type: number, annex: Buffer | undefined): Buffer {
    const hash = naiveTaproot(plain(tx), index, [...spent], type, annex === undefined ? {} : { annex }) ?? Buffer.alloc(32, 1);
    const signature = this.#signSchnorr(KEYS[0], hash, true);
    return type === 0 && this.#dice.chance(0.95) ? Buffer.from(signature) : bytes(signature, type);
  }
}

/** Returns the equivalent signature with the high S value, which only policy refuses. */
function withHighS(compact: Uint8Array): Uint8Array {
  const s = GROUP_ORDER - BigInt(`0x${Buffer.from(compact.subarray(32)).toString('hex')}`);
  return bytes(compact.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex'));
}

/** Returns the witness program of the key whose hash the script contains. */
const keyHashProgram = ({ script }: Inner): Buffer => bytes(0, 20, script.subarray(3, 23));

/** Encodes a number as scripts represent it, without the push. */
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
