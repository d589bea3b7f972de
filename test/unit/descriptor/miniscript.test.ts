// Miniscript: what a signer's witness does in the interpreter, over random trees in both contexts; Core's verdicts on
// unsafe scripts; bounds on nesting.

import t from 'tap';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { buildTaproot } from '../../../src/address/descriptor/taproot-tree.js';
import { compileMiniscript } from '../../../src/address/miniscript/compile.js';
import type { MiniscriptContext, MiniscriptNode } from '../../../src/address/miniscript/fragment.js';
import { MAX_HEIGHT, parseMiniscript } from '../../../src/address/miniscript/parse.js';
import { findFault, isValidTopLevel } from '../../../src/address/miniscript/sanity.js';
import { satisfyMiniscript, type WitnessSource } from '../../../src/address/miniscript/satisfy.js';
import { miniscriptText } from '../../../src/address/miniscript/text.js';
import { witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import type { SignatureChecker } from '../../../src/consensus/script/checker.js';
import {
  SCRIPT_VERIFY_DERSIG,
  SCRIPT_VERIFY_LOW_S,
  SCRIPT_VERIFY_STRICTENC,
  STANDARD_SCRIPT_FLAGS,
} from '../../../src/consensus/script/flags.js';
import { verifyScript } from '../../../src/consensus/script/interpreter.js';
import { ScriptError } from '../../../src/consensus/script/script-error.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { descriptorContext, keyMath, tools } from '../../framework/descriptor-context.js';
import { fc } from '../../framework/fast-check.js';
import { hex } from '../../framework/hex.js';

fc.configureGlobal({ seed: 45, numRuns: 1500 });

const crypto = createNativeCrypto();
/** Everything standard but the form of ECDSA signatures, which are stand-ins here. */
const FLAGS = STANDARD_SCRIPT_FLAGS & ~(SCRIPT_VERIFY_DERSIG | SCRIPT_VERIFY_STRICTENC | SCRIPT_VERIFY_LOW_S);

const KEYS = Array.from(
  { length: 40 },
  (_, i) =>
    keyMath.publicKey(
      Uint8Array.from({ length: 32 }, () => i + 1),
      true,
    ) as Uint8Array,
);
const PREIMAGES = Array.from({ length: 6 }, (_, i) => new Uint8Array(32).fill(i + 1));
const HASHES = {
  sha256: crypto.sha256,
  hash256: crypto.sha256d,
  ripemd160: crypto.ripemd160,
  hash160: crypto.hash160,
} as const;

type Draw = (below: number) => number;

/** Writes random expressions whose types mostly fit. */
class Writer {
  #key = 0;
  readonly #draw: Draw;
  readonly #context: MiniscriptContext;

  constructor(draw: Draw, context: MiniscriptContext) {
    this.#draw = draw;
    this.#context = context;
  }

  expression(type: 'B' | 'V' | 'K' | 'W', depth: number): string {
    const sub = (inner: 'B' | 'V' | 'K' | 'W') => this.expression(inner, depth - 1);
    const wrap = (letter: string, text: string) => (/^[a-z]+:/.test(text) ? letter + text : `${letter}:${text}`);
    const pick = (...choices: (() => string)[]): string => choices[this.#draw(choices.length)]();
    const key = () => hex(KEYS[this.#key++ % KEYS.length]);
    switch (type) {
      case 'W':
        return pick(
          () => wrap('a', sub('B')),
          () => wrap('s', sub('B')),
        );
      case 'V':
        if (depth <= 0) return wrap('v', this.expression('B', 0));
        return pick(
          () => wrap('v', sub('B')),
          () => wrap('v', sub('B')),
          () => `and_v(${sub('V')},${sub('V')})`,
          () => `or_c(${sub('B')},${sub('V')})`,
          () => `or_i(${sub('V')},${sub('V')})`,
          () => `andor(${sub('B')},${sub('V')},${sub('V')})`,
        );
      case 'K':
        if (depth <= 0)
          return pick(
            () => `pk_k(${key()})`,
            () => `pk_h(${key()})`,
          );
        return pick(
          () => `pk_k(${key()})`,
          () => `pk_h(${key()})`,
          () => `and_v(${sub('V')},${sub('K')})`,
          () => `or_i(${sub('K')},${sub('K')})`,
        );
      case 'B':
        if (depth <= 0) return this.#leaf(key);
        return pick(
          () => this.#leaf(key),
          () => wrap('c', sub('K')),
          () => `and_v(${sub('V')},${sub('B')})`,
          () => `and_b(${sub('B')},${sub('W')})`,
          () => `or_b(${sub('B')},${sub('W')})`,
          () => `or_d(${sub('B')},${sub('B')})`,
          () => `or_i(${sub('B')},${sub('B')})`,
          () => `andor(${sub('B')},${sub('B')},${sub('B')})`,
          () => `and_n(${sub('B')},${sub('B')})`,
          () => wrap(['j', 'n', 'l', 'u'][this.#draw(4)], sub('B')),
          () => wrap(['d', 't'][this.#draw(2)], sub('V')),
          () => {
            const count = 1 + this.#draw(4);
            const others = Array.from({ length: count - 1 }, () => `,${sub('W')}`).join('');
            return `thresh(${1 + this.#draw(count)},${sub('B')}${others})`;
          },
        );
    }
  }

  #leaf(key: () => string): string {
    const count = 1 + this.#draw(3);
    const keys = () => Array.from({ length: count }, key).join(',');
    const name = (['sha256', 'hash256', 'ripemd160', 'hash160'] as const)[this.#draw(4)];
    const leaves = [
      () => `pk(${key()})`,
      () => `pk(${key()})`,
      () => `pkh(${key()})`,
      () => `${this.#context === 'wsh' ? 'multi' : 'multi_a'}(${1 + this.#draw(count)},${keys()})`,
      () => `older(${1 + this.#draw(20)})`,
      () => `after(${1 + this.#draw(20)})`,
      () => `after(${500_000_000 + this.#draw(20)})`,
      () => `${name}(${hex(HASHES[name](PREIMAGES[this.#draw(PREIMAGES.length)]))})`,
      () => '0',
      () => '1',
    ];
    return leaves[this.#draw(leaves.length)]();
  }
}

interface Sample {
  node: MiniscriptNode;
  keys: Uint8Array[];
}

function sample(text: string, context: MiniscriptContext): Sample | null {
  const keys: Uint8Array[] = [];
  const node = parseMiniscript(text, context, (key) => keys.push(Buffer.from(context === 'wsh' ? key : key.slice(2), 'hex')) - 1);
  return node === null || !isValidTopLevel(node, context) ? null : { node, keys };
}

/** The stand-in for a key's signature: 64 bytes that name it. */
function signatureOf(key: Uint8Array): Uint8Array {
  const signature = new Uint8Array(64);
  signature.set(key.slice(-32));
  signature.set(key.slice(-32), 32);
  return signature;
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Runs a witness through the interpreter. */
function run(script: Uint8Array, witness: Uint8Array[], context: MiniscriptContext, source: WitnessSource): number {
  const checker: SignatureChecker = {
    crypto,
    checkEcdsa: (signature, key) => same(signature, signatureOf(key)),
    checkSchnorr: (signature, key) => (same(signature, signatureOf(key)) ? ScriptError.OK : ScriptError.SCHNORR_SIG),
    checkLockTime: (k) => source.isAfter(k),
    checkSequence: (k) => source.isOlder(k),
  };
  if (context === 'wsh') {
    const output = witnessProgramScript(0, crypto.sha256(script));
    return verifyScript(new Uint8Array(0), output, [...witness, script], FLAGS, checker);
  }
  const sibling = { script: Uint8Array.of(0x51), depth: 2 };
  const built = buildTaproot(KEYS[0].slice(1), [sibling, { script, depth: 2 }, { script: Uint8Array.of(0x6a), depth: 1 }], tools);
  if (built === null) throw new Error('no output');
  const output = witnessProgramScript(1, built.outputKey);
  return verifyScript(new Uint8Array(0), output, [...witness, script, built.leaves[1].controlBlock], FLAGS, checker);
}

t.test('finds a valid witness for every sane script whose keys and preimages are available', async (t) => {
  const seen = { valid: 0, sane: 0, satisfied: 0 };
  const property = fc.property(
    fc.infiniteStream(fc.nat({ max: 0xffff })),
    fc.constantFrom<MiniscriptContext>('wsh', 'tapscript'),
    fc.integer({ min: 1, max: 3 }),
    fc.boolean(),
    (numbers, context, depth, everything) => {
      const draw: Draw = (below) => (numbers.next().value as number) % below;
      const found = sample(new Writer(draw, context).expression('B', depth), context);
      if (found === null) return true;
      seen.valid++;
      const { node, keys } = found;
      const script = compileMiniscript(node, { keys, hashes: crypto });
      if (script.length !== node.limits.size) return false;
      const have = keys.map(() => everything || draw(3) > 0);
      const locks = everything ? Number.MAX_SAFE_INTEGER : draw(25);
      const source: WitnessSource = {
        signature: (place) => (have[place] ? signatureOf(keys[place]) : undefined),
        publicKey: (place) => keys[place],
        preimage: (fragment, hash) =>
          PREIMAGES.find((preimage, i) => (everything || i % 2 === 0) && same(HASHES[fragment as 'sha256'](preimage), hash)),
        isOlder: (k) => k <= locks,
        isAfter: (k) => k % 500_000_000 <= locks,
      };
      const sane = findFault(node, context, (place) => hex(keys[place])) === null;
      if (sane) seen.sane++;
      const witness = satisfyMiniscript(node, context, source);
      if (witness === null) return !(sane && everything);
      seen.satisfied++;
      if (witness.length > node.limits.sat.taken + 1) return false;
      return run(script, witness, context, source) === ScriptError.OK;
    },
  );
  fc.assert(property);
  t.ok(seen.valid > 300 && seen.sane > 50 && seen.satisfied > 100, JSON.stringify(seen));
});

t.test('accepts and rejects miniscript with the messages of Core', async (t) => {
  const [a, b, c] = KEYS.map(hex);
  const cases: [string, string][] = [
    [`wsh(and_v(v:pk(${a}),pk(${a})))`, `and_v(v:pk(${a}),pk(${a})) is not sane: contains duplicate public keys`],
    ['wsh(or_i(1,0))', 'u:1 is not sane: witnesses without signature exist'],
    ['wsh(or_i(1,1))', 'or_i(1,1) is not sane: malleable witnesses exist'],
    ['wsh(older(1))', 'older(1) is not sane: witnesses without signature exist'],
    [
      `wsh(and_v(v:pk(${a}),and_v(v:after(10),after(500000001))))`,
      'and_v(v:after(10),after(500000001)) is not sane: contains mixes of timelocks expressed in blocks and seconds',
    ],
    [`wsh(and_v(v:pk(${a}),0))`, `and_v(v:pk(${a}),0) is not satisfiable`],
    [`wsh(and_v(pk(${a}),1))`, `t:pk(${a}) is invalid`],
    [`wsh(v:pk(${a}))`, `v:pk(${a}) is not sane`],
    [`wsh(pk_k(${a}))`, `pk_k(${a}) is not sane`],
    ['wsh(older(0))', 'A function is needed within P2WSH'],
    ['wsh(nonsense(1))', 'A function is needed within P2WSH'],
    [`wsh(and_v(v:pk(${a}),pk(xyz)))`, "key 'xyz' is not valid"],
    [`sh(and_v(v:pk(${a}),pk(${b})))`, 'Miniscript expressions can only be used in wsh or tr.'],
    [`sh(and_v(v:pk(${a})))`, 'A function is needed within P2SH'],
    [`wsh(vv:pk(${a}))`, 'A function is needed within P2WSH'],
    [`wsh(and_b(older(10),a:older(4194310)))`, 'and_b(older(10),a:older(4194310)) is not sane: witnesses without signature exist'],
    [`wsh(and_v(v:multi_a(1,${a}),pk(${b})))`, 'A function is needed within P2WSH'],
    [`tr(${c},and_v(v:multi(1,${a}),pk(${b})))`, `'and_v(v:multi(1,${a}),pk(${b}))' is not a valid descriptor function`],
  ];
  for (const [text, error] of cases) t.same(parseDescriptor(text, descriptorContext()), { error }, text);
  const fine = [
    `wsh(and_v(v:pk(${a}),older(4)))`,
    `sh(wsh(or_d(pk(${a}),and_v(v:pkh(${b}),after(100)))))`,
    `tr(${c},{pk(${a}),and_v(v:multi_a(1,${b}),older(5))})`,
  ];
  for (const text of fine) t.notMatch(parseDescriptor(text, descriptorContext()), { error: String }, text);
  const old = parseDescriptor(`wsh(and_v(v:pk(${a}),older(4)))`, descriptorContext('0.21'));
  t.same(old, { error: 'A function is needed within P2WSH' }, 'miniscript is not in the old language');
});

t.test('rejects miniscript above the limits of opcodes, script size or nodes', async (t) => {
  const locks = (count: number) => `and_v(v:pk(${hex(KEYS[0])}),${'and_v(v:older(1),'.repeat(count)}older(1)${')'.repeat(count)})`;
  t.notMatch(parseDescriptor(`wsh(${locks(99)})`, descriptorContext()), { error: String }, '200 opcodes');
  t.match(parseDescriptor(`wsh(${locks(100)})`, descriptorContext()), { error: /needs witnesses that may exceed resource limits$/ });
  t.notMatch(parseDescriptor(`tr(${hex(KEYS[1])},${locks(100)})`, descriptorContext()), { error: String }, 'leaves count no opcodes');
  const wide = (count: number) => {
    const parts = Array.from({ length: count }, () => ',ac:pk_h(KEY)').join('');
    return parseMiniscript(`thresh(1,pkh(KEY)${parts})`, 'wsh', () => 0) as MiniscriptNode;
  };
  t.equal(isValidTopLevel(wide(120), 'wsh'), true);
  t.equal(isValidTopLevel(wide(130), 'wsh'), false, 'more than 3,600 bytes');
  const ones = (count: number) => parseMiniscript(`thresh(1,pk(KEY)${',a:1'.repeat(count)})`, 'tapscript', () => 0);
  t.not(ones(10_000), null);
  t.equal(ones(21_000), null, 'more than 40,000 nodes');
});

t.test('rejects miniscript that is nested too deeply', async (t) => {
  const key = hex(KEYS[0]);
  for (const levels of [MAX_HEIGHT - 10, MAX_HEIGHT + 10, 200_000]) {
    const chains = [
      `${'n'.repeat(levels)}:pk(${key})`,
      `${'and_v(v:1,'.repeat(levels)}pk(${key})${')'.repeat(levels)}`,
      'or_i('.repeat(levels),
    ];
    for (const text of chains) {
      for (const context of ['wsh', 'tapscript'] as const) {
        const node = parseMiniscript(text, context, () => 0);
        t.equal(node !== null, levels < MAX_HEIGHT && text.endsWith(')'), `${levels} levels of ${text.slice(0, 10)}`);
        if (node === null) continue;
        findFault(node, context, () => 'k');
        compileMiniscript(node, { keys: [KEYS[0]], hashes: crypto });
        t.equal(
          miniscriptText(node, () => key),
          text,
        );
      }
      t.match(parseDescriptor(`wsh(${text})`, descriptorContext()), { error: String });
      t.match(parseDescriptor(`tr(${key},${text})`, descriptorContext()).constructor, Object);
    }
  }
});
