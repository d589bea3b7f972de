// Inference in the later language: what it says of a script is what makes it, and it says nothing of scripts inside
// that it cannot read.
import t from 'tap';
import type { Expansion } from '../../../src/address/descriptor/expansion.js';
import { inferDescriptor, NO_PROVIDER, type ScriptProvider } from '../../../src/address/descriptor/infer.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { OP } from '../../../src/consensus/script/opcodes.js';
import { FlatProvider } from '../../../src/signing/signing-provider.js';
import { descriptorContext, hashes, mustParse } from '../../framework/descriptor-context.js';
import { hex, unhex } from '../../framework/hex.js';

const context = descriptorContext('master');
const XPUB = 'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';
const KEY = '03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd';
const OTHER = '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9';
const LONG =
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235';
const HASH = 'aa'.repeat(32);
const bare = (text: string | null | undefined): string | undefined => text?.split('#')[0];
const infer = (script: Uint8Array, provider: ScriptProvider = NO_PROVIDER): string | undefined =>
  bare(String(inferDescriptor(script, provider, context)));

/** A provider that knows scripts, and of keys nothing. */
function knowing(...scripts: readonly Uint8Array[]): ScriptProvider {
  const known = new Map(scripts.map((script) => [hashKey(hashes.hash160(script)), script]));
  return { ...NO_PROVIDER, script: (id) => known.get(hashKey(id)) };
}
const programOf = (script: Uint8Array): Uint8Array => Uint8Array.from([0, 32, ...hashes.sha256(script)]);
const push = (bytes: Uint8Array): Uint8Array => Uint8Array.from([bytes.length, ...bytes]);

/** The text of a descriptor with its keys at one index in place of its extended keys. */
function singleText(text: string, { keys }: Expansion, index: number): string {
  let at = 0;
  const key = (): string => hex(keys[at++].publicKey).slice(text.startsWith('tr') ? 2 : 0);
  return text.replaceAll(/\[deadbeef\/1h\]\w+\/(\d+)\/\*/g, (_, step) => `[deadbeef/1'/${step}/${index}]${key()}`);
}

t.test('infers the descriptor that a script was expanded from', async (t) => {
  const forms = [
    'pkh(K)',
    'sh(multi(2,K,K))',
    'wsh(multi(1,K,K,K,K,K,K,K,K,K,K,K,K,K,K,K,K,K))',
    'wsh(and_v(v:pk(K),older(144)))',
    'sh(wsh(andor(pk(K),older(9),pk(K))))',
    'wsh(and_v(v:pkh(K),sha256(H)))',
    'wsh(thresh(2,pk(K),s:pk(K),sln:after(900000000)))',
    'wsh(or_d(multi(2,K,K),and_v(v:pkh(K),hash160(R))))',
    'tr(K)',
    'tr(K,pk(K))',
    'tr(K,multi_a(2,K,K,K))',
    'tr(K,and_v(v:pk(K),after(500)))',
  ];
  for (const form of forms) {
    let count = 0;
    const text = form
      .replaceAll('H', HASH)
      .replaceAll('R', HASH.slice(24))
      .replaceAll('K', () => `[deadbeef/1h]${XPUB}/${count++}/*`);
    const [descriptor] = mustParse(text).descriptors;
    const expansion = descriptor.expand(7) as Expansion;
    const provider = new FlatProvider();
    provider.addExpansion(expansion, hashes);
    t.equal(infer(expansion.scripts[0], provider), singleText(text, expansion, 7), form);
    t.equal(inferDescriptor(expansion.scripts[0], provider, context).isSolvable, true);
  }
});

t.test('reads a chain of and_v from its end, however it was written', async (t) => {
  const [x, y] = [`or_c(pk(${KEY}),v:pk(${OTHER}))`, `v:sha256(${HASH})`];
  const expansion = mustParse(`wsh(and_v(${y},and_v(${x},older(9))))`).descriptors[0].expand(0) as Expansion;
  const provider = new FlatProvider();
  provider.addExpansion(expansion, hashes);
  t.match(infer(expansion.scripts[0], provider)?.replaceAll(/\[\w+\]/g, ''), `wsh(and_v(and_v(${y},${x}),older(9)))`);
});

t.test('names the first of several origins of a key', async (t) => {
  const expansion = mustParse(`wsh(multi(1,[00000001/1]${KEY},[00000002/2]${KEY},${KEY}))`).descriptors[0].expand(0) as Expansion;
  const provider = new FlatProvider();
  provider.addExpansion(expansion, hashes);
  const named = `[00000001/1]${KEY}`;
  t.equal(infer(expansion.scripts[0], provider), `wsh(multi(1,${named},${named},${named}))`);
});

t.test('infers the leaves of a taproot tree, and rawtr() if the tree is unknown', async (t) => {
  const internal = `[deadbeef/1h]${XPUB}/9/*`;
  const leaf = (n: number): string => `pk([deadbeef/1h]${XPUB}/${n}/*)`;
  const forms = [
    `{${leaf(0)},${leaf(1)}}`,
    `{${leaf(0)},{${leaf(1)},${leaf(2)}}}`,
    `{{${leaf(0)},${leaf(1)}},{${leaf(2)},sortedmulti_a(1,${XPUB}/3/*,${XPUB}/4/*)}}`,
    // The same leaf twice.
    `{${leaf(0)},{${leaf(0)},${leaf(1)}}}`,
    `{${leaf(0)},and_v(v:pkh(${XPUB}/1),older(3))}`,
  ];
  for (const form of forms) {
    const [descriptor] = mustParse(`tr(${internal},${form})`).descriptors;
    const expansion = descriptor.expand(3) as Expansion;
    const provider = new FlatProvider();
    provider.addExpansion(expansion, hashes);
    const inferred = infer(expansion.scripts[0], provider) as string;
    // A leaf that hashes a key shows the whole of it, which cannot be read in a leaf again (Core's text, too).
    if (form.includes('pkh')) t.match(inferred, /and_v\(v:pkh\(\[3442193e\/1\]0[23][0-9a-f]{64}\),older\(3\)\)/);
    else t.same(mustParse(inferred).descriptors[0].scripts(0), [...expansion.scripts], inferred);
    // On either side of a fork comes first what is smaller.
    t.equal(infer(expansion.scripts[0], mirrored(provider, expansion)), inferred, 'whatever order it was written in');
  }
  // Without the tree there is the output key.
  const [descriptor] = mustParse(`tr(${KEY})`).descriptors;
  const [script] = descriptor.scripts(0) as Uint8Array[];
  t.equal(infer(script), `rawtr(${hex(script.subarray(2))})`);
  t.equal(infer(Uint8Array.from([0x51, 32, ...new Uint8Array(32).fill(255)]))?.startsWith('addr(bc1p'), true, 'no point');
});

/** A provider that tells the leaves from right to left. */
function mirrored(provider: FlatProvider, { taproot }: Expansion): ScriptProvider {
  if (taproot === null) throw new Error('a tr()');
  const turned = { ...taproot, leaves: [...taproot.leaves].reverse() };
  return {
    publicKey: (id) => provider.publicKey(id),
    script: (id) => provider.script(id),
    origin: (id) => provider.origin(id),
    taproot: () => turned,
  };
}

t.test('finds the origin of an x-only key under either parity', async (t) => {
  for (const parity of [2, 3]) {
    const key = Uint8Array.from([parity, ...unhex(KEY).subarray(1)]);
    const id = hashKey(hashes.hash160(key));
    const origin = { fingerprint: unhex('deadbeef'), path: [5] };
    const provider = { ...NO_PROVIDER, origin: (asked: Uint8Array) => (hashKey(asked) === id ? origin : undefined) };
    const script = Uint8Array.from([0x51, 32, ...unhex(KEY).subarray(1)]);
    t.equal(infer(script, provider), `rawtr([deadbeef/5]${KEY.slice(2)})`);
    t.equal(infer(script, { ...provider, knowsKey: () => false }), `rawtr(${KEY.slice(2)})`);
  }
});

t.test('infers raw() or addr() for scripts that no descriptor can express', async (t) => {
  const hybrid = Uint8Array.from([6, ...unhex(LONG).subarray(1)]);
  const single = (key: Uint8Array): Uint8Array => Uint8Array.from([...push(key), OP.OP_CHECKSIG]);
  t.equal(infer(single(unhex(LONG))), `pk(${LONG})`);
  t.match(infer(single(hybrid)), /^raw\(/);
  const unsound = {
    'an uncompressed key': single(unhex(LONG)),
    'a hybrid one': single(hybrid),
    'anybody can spend': Uint8Array.from([OP.OP_1]),
    'no signature': Uint8Array.from([OP.OP_SIZE, 1, 32, OP.OP_EQUALVERIFY, OP.OP_SHA256, ...push(unhex(HASH)), OP.OP_EQUAL]),
    'a key twice': Uint8Array.from([...push(unhex(KEY)), OP.OP_CHECKSIGVERIFY, ...push(unhex(KEY)), OP.OP_CHECKSIG]),
    'a hash of a key that is not known': Uint8Array.from([
      OP.OP_DUP,
      OP.OP_HASH160,
      ...push(hashes.hash160(unhex(OTHER))),
      OP.OP_EQUALVERIFY,
      OP.OP_CHECKSIG,
    ]),
  };
  for (const [what, inner] of Object.entries(unsound)) {
    const descriptor = inferDescriptor(programOf(inner), knowing(inner), context);
    t.match(bare(String(descriptor)), /^addr\(bc1q/, what);
    t.equal(descriptor.isSolvable, false);
  }
  const odd = Uint8Array.from([0xa9, 20, ...hashes.hash160(Uint8Array.of(OP.OP_1)), 0x87]);
  t.match(infer(odd, knowing(Uint8Array.of(OP.OP_1))), /^addr\(3/);
  t.equal(infer(programOf(single(unhex(KEY))), knowing(single(unhex(KEY)))), `wsh(pk(${KEY}))`);
});
