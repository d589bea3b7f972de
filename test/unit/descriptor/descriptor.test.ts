// Descriptors at work: texts, expansions with what a signer must know, secrets and caches, inference.
import t from 'tap';
import { HARDENED } from '../../../src/address/bip32/extended-key.js';
import { DescriptorCache } from '../../../src/address/descriptor/cache.js';
import type { Expansion, TaprootOutput } from '../../../src/address/descriptor/expansion.js';
import { inferDescriptor, NO_PROVIDER, type ScriptProvider } from '../../../src/address/descriptor/infer.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { checkTaprootCommitment } from '../../../src/consensus/script/taproot.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { FlatProvider } from '../../../src/signing/signing-provider.js';
import { descriptorContext, hashes, keyMath, mustParse } from '../../framework/descriptor-context.js';
import { hex, unhex } from '../../framework/hex.js';

const OLD = descriptorContext('0.21');
const XPRV = 'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi';
const XPUB = 'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';
const FINGERPRINT = '3442193e';
const WIF = 'L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1';
const KEY = '03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd';
const OTHER = '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9';
const LONG =
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235';

const bare = (text: string | null): string | undefined => text?.split('#')[0];

t.test('reports output type, solvability and range of each kind of descriptor', async (t) => {
  const rows: [string, string | null, boolean, boolean][] = [
    [`pk(${KEY})`, null, true, true],
    [`pkh(${KEY})`, 'legacy', true, true],
    [`wpkh(${KEY})`, 'bech32', true, true],
    [`sh(wpkh(${KEY}))`, 'p2sh-segwit', true, true],
    [`sh(pkh(${KEY}))`, 'legacy', true, true],
    [`wsh(pkh(${KEY}))`, 'bech32', true, true],
    [`sh(wsh(multi(1,${KEY})))`, 'p2sh-segwit', true, true],
    [`combo(${KEY})`, null, true, false],
    [`multi(1,${KEY})`, null, true, true],
    [`tr(${KEY})`, 'bech32m', true, true],
    ['addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j)', 'legacy', false, true],
    ['raw(00149a1c78a507689f6f54b847ad1cef1e614ee23f1e)', 'bech32', false, true],
    ['raw(51)', null, false, true],
  ];
  for (const [text, type, solvable, single] of rows) {
    const [descriptor] = mustParse(text).descriptors;
    t.same([descriptor.outputType, descriptor.isSolvable, descriptor.isSingleType], [type, solvable, single], text);
    t.equal(descriptor.isRange, false);
  }
  t.equal(mustParse(`wpkh(${XPUB}/*)`).descriptors[0].isRange, true);
  t.equal(mustParse(`tr(${KEY},{pk(${OTHER}),pk(${XPUB}/*)})`).descriptors[0].isRange, true);
  t.equal(mustParse(`tr(musig(${XPUB},${XPUB}/1)/*)`).descriptors[0].isRange, true);
});

t.test('expand returns keys, origins and inner scripts together with the output script', async (t) => {
  const { descriptors } = mustParse(`sh(wsh(multi(2,[deadbeef/1h/2]${XPUB}/3/*,${KEY},${OTHER})))`, OLD);
  const expansion = descriptors[0].expand(7) as Expansion;
  t.equal(expansion.scripts.length, 1);
  t.same(
    expansion.keys.map(({ origin }) => [hex(origin.fingerprint), ...origin.path]),
    [
      ['deadbeef', 1 + HARDENED, 2, 3, 7],
      [hex(hashes.hash160(unhex(KEY)).subarray(0, 4))],
      [hex(hashes.hash160(unhex(OTHER)).subarray(0, 4))],
    ],
  );
  t.equal(hex(expansion.keys[1].publicKey), KEY);
  t.same(expansion.hashedKeys, [], 'a multisig shows its keys');
  const [multisig, program] = expansion.innerScripts;
  t.equal(hex(program), `0020${hex(hashes.sha256(multisig))}`);
  t.equal(hex(expansion.scripts[0]), `a914${hex(hashes.hash160(program))}87`);
  t.same(descriptors[0].scripts(7), [...expansion.scripts], 'the quick way agrees');

  const combo = mustParse(`combo(${KEY})`).descriptors[0].expand(0) as Expansion;
  t.same(combo.hashedKeys.map(hex), [KEY]);
  t.same(combo.innerScripts.map(hex), [`0014${hex(hashes.hash160(unhex(KEY)))}`]);
  t.equal(mustParse(`combo(${LONG})`).descriptors[0].expand(0)?.innerScripts.length, 0);
});

t.test('expand returns taproot leaves whose control blocks commit to the output key', async (t) => {
  const tree = `{pk(${OTHER}),{{pkh(${KEY}),multi_a(1,${KEY},${OTHER})},sortedmulti_a(2,${KEY},${OTHER})}}`;
  const { scripts, miniscripts, ...rest } = mustParse(`tr(${XPUB}/0,${tree})`).descriptors[0].expand(0) as Expansion;
  const taproot = rest.taproot as TaprootOutput;
  t.equal(hex(scripts[0]), `5120${hex(taproot.outputKey)}`);
  t.same(
    taproot.leaves.map(({ depth }) => depth),
    [1, 3, 3, 2],
  );
  const crypto = createNativeCrypto();
  for (const leaf of taproot.leaves) {
    t.equal(leaf.controlBlock.length, 33 + 32 * leaf.depth);
    t.ok(checkTaprootCommitment(leaf.controlBlock, taproot.outputKey, leaf.leafHash, crypto));
  }
  t.equal(miniscripts.length, 1, 'pkh in a leaf is miniscript');
  t.same(miniscripts[0].script, taproot.leaves[1].script);
  const [raw] = mustParse(`rawtr(${KEY})`).descriptors;
  t.same(raw.scripts(0)?.map(hex), [`5120${KEY.slice(2)}`]);
  t.equal(raw.expand(0)?.taproot, null);
  t.equal(bare(raw.toString()), `rawtr(${KEY})`, 'as it was written');
});

t.test('prints private keys only in the private text, and only if every secret is known', async (t) => {
  const text = `wsh(multi(1,[deadbeef/1']${XPRV}/0'/1/*,${WIF},${OTHER}))`;
  const { descriptors, secrets } = mustParse(text, OLD);
  const [descriptor] = descriptors;
  t.equal(bare(descriptor.toString()), `wsh(multi(1,[deadbeef/1']${XPUB}/0'/1/*,${KEY},${OTHER}))`);
  t.equal(secrets.size, 2);
  t.equal(descriptor.privateText(secrets), null, 'one secret is not known');
  t.equal(descriptor.scripts(0), null, 'a hardened step needs the secret');
  t.ok(descriptor.scripts(0, { secrets }));

  const whole = mustParse(`multi(1,${XPRV}/0'/*',${WIF})`, OLD);
  t.equal(bare(whole.descriptors[0].privateText(whole.secrets)), `multi(1,${XPRV}/0'/*',${WIF})`);
  const pairs = whole.descriptors[0].secretsAt(3, whole.secrets);
  const keys = whole.descriptors[0].expand(3, { secrets: whole.secrets })?.keys.map(({ publicKey }) => hex(publicKey));
  t.same(
    pairs.map(({ publicKey }) => hex(publicKey)),
    keys,
  );
  for (const { publicKey, secret } of pairs) t.same(keyMath.publicKey(secret, true), publicKey);
  whole.secrets.wipe();
  t.equal(whole.secrets.size, 0);
  t.same(whole.descriptors[0].secretsAt(3, whole.secrets), []);
});

t.test('finds the secret of an x-only key for either parity', async (t) => {
  const { descriptors, secrets } = mustParse(`tr(${WIF})`);
  t.equal(bare(descriptors[0].toString()), `tr(${KEY.slice(2)})`);
  t.equal(bare(descriptors[0].privateText(secrets)), `tr(${WIF})`);
  const [publicOne] = mustParse(`tr(${KEY.slice(2)})`).descriptors;
  t.equal(bare(publicOne.privateText(secrets)), `tr(${WIF})`, 'read without its parity');
  t.equal(publicOne.secretsAt(0, secrets).length, 1);
});

t.test('the normalised text starts with the xpub after the last hardened step', async (t) => {
  const normal = (text: string, language: '0.21' | 'master' = '0.21') => {
    const { descriptors, secrets } = mustParse(text, descriptorContext(language));
    return bare(descriptors[0].normalizedText({ secrets }));
  };
  t.match(normal(`wpkh(${XPRV}/84'/0'/0'/0/*)`), new RegExp(`^wpkh\\(\\[${FINGERPRINT}/84'/0'/0'\\]xpub[^/]+/0/\\*\\)$`));
  t.match(normal(`wpkh(${XPRV}/84'/0'/0'/0/*)`, 'master'), new RegExp(`^wpkh\\(\\[${FINGERPRINT}/84h/0h/0h\\]xpub[^/]+/0/\\*\\)$`));
  t.match(normal(`wpkh([deadbeef/1/2]${XPRV}/84'/5)`), /^wpkh\(\[deadbeef\/1\/2\/84'\]xpub[^/]+\/5\)$/);
  t.equal(normal(`wpkh(${XPRV}/1/*)`), `wpkh(${XPUB}/1/*)`);
  t.equal(normal(`wpkh(${XPRV}/1'/*')`), `wpkh(${XPUB}/1'/*')`, 'a hardened range leaves nothing to normalise');
  t.equal(normal(`wpkh(${XPUB}/1'/*)`), undefined, 'the secret is required');
  const same = mustParse(`${normal(`wpkh(${XPRV}/84'/0'/0'/0/*)`)}`, OLD);
  const first = mustParse(`wpkh(${XPRV}/84'/0'/0'/0/*)`, OLD);
  t.same(same.descriptors[0].scripts(5), first.descriptors[0].scripts(5, { secrets: first.secrets }));
});

t.test('derives hardened scripts from the cache when no secrets are given', async (t) => {
  for (const text of [`wpkh(${XPRV}/84'/0'/0/*)`, `wpkh(${XPRV}/84'/0'/*')`, `multi(1,${XPRV}/1',${XPRV}/2'/*)`]) {
    const { descriptors, secrets } = mustParse(text, OLD);
    const cache = new DescriptorCache();
    const wanted = [0, 1, 2].map((index) => descriptors[0].scripts(index, { secrets, cache }));
    const normalized = descriptors[0].normalizedText({ secrets, cache });
    const [locked] = mustParse(String(descriptors[0]), OLD).descriptors;
    t.equal(locked.scripts(0), null);
    t.same(
      [0, 1, 2].map((index) => locked.scripts(index, { cache })),
      wanted,
      text,
    );
    t.equal(locked.normalizedText({ cache }), normalized);
    if (text.includes("/*'")) t.equal(locked.scripts(3, { cache }), null, 'an index that was never derived');
  }
});

t.test('infers a descriptor of one index from each kind of script', async (t) => {
  const forms = ['pk(K)', 'pkh(K)', 'wpkh(K)', 'sh(wpkh(K))', 'multi(1,K,K)', 'sh(sortedmulti(2,K,K))', 'sh(wsh(sortedmulti(1,K,K,K)))'];
  const later = [
    'tr(K,{pk(K),{sortedmulti_a(1,K,K),and_v(v:pkh(K),older(3))}})',
    'rawtr(K)',
    'wsh(and_v(v:pk(K),pkh(K)))',
    'tr(musig(K,K))',
  ];
  for (const [form, context] of [
    ...forms.map((form) => [form, OLD] as const),
    ...later.map((form) => [form, descriptorContext()] as const),
  ]) {
    let count = 0;
    const { descriptors } = mustParse(
      form.replaceAll('K', () => `[deadbeef/1']${XPUB}/${count++}/*`),
      context,
    );
    const expansion = descriptors[0].expand(9) as Expansion;
    const provider = new FlatProvider();
    provider.addExpansion(expansion, hashes);
    for (const { publicKey } of expansion.keys) provider.publicKeys.set(hashKey(hashes.hash160(publicKey)), publicKey);
    const single = String(inferDescriptor(expansion.scripts[0], provider, context));
    t.notMatch(single, /xpub|musig|sorted|raw\(|addr/, form);
    t.notMatch(single, /\/\d+h/, 'with the sign of Core 0.21');
    t.same(mustParse(single, context).descriptors[0].scripts(0), [...expansion.scripts], single);
  }
});

t.test('parses a multipath descriptor into one descriptor per path', async (t) => {
  const { descriptors, secrets } = mustParse(`sh(multi(1,${XPRV}/<0;1h>/*,${KEY},${XPUB}/<5;6>))`);
  t.same(
    descriptors.map((descriptor) => bare(String(descriptor))),
    [`sh(multi(1,${XPUB}/0/*,${KEY},${XPUB}/5))`, `sh(multi(1,${XPUB}/1h/*,${KEY},${XPUB}/6))`],
  );
  t.equal(secrets.size, 1);
  t.equal(descriptors[1].scripts(0), null);
  t.ok(descriptors[1].scripts(0, { secrets }));
});

t.test('infers only as much of a descriptor as the provider knows', async (t) => {
  const key = unhex(KEY);
  const id = hashes.hash160(key);
  const scripts = new Map<string, Uint8Array>();
  const provider: ScriptProvider = {
    publicKey: (asked) => (hashKey(asked) === hashKey(id) ? key : undefined),
    script: (asked) => scripts.get(hashKey(asked)),
    origin: (asked) => (hashKey(asked) === hashKey(id) ? { fingerprint: unhex('deadbeef'), path: [HARDENED, 7] } : undefined),
  };
  const named = `[deadbeef/0'/7]${KEY}`;
  const forms = [
    `pk(${named})`,
    `pkh(${named})`,
    `wpkh(${named})`,
    `multi(1,${named},[${hex(hashes.hash160(unhex(OTHER)).subarray(0, 4))}]${OTHER})`,
  ].flatMap((form) => [form, `sh(${form})`, ...(form.startsWith('wpkh') ? [] : [`wsh(${form})`, `sh(wsh(${form}))`])]);
  for (const form of forms) {
    const { scripts: outputs, innerScripts } = mustParse(form, OLD).descriptors[0].expand(0) as Expansion;
    for (const script of innerScripts) scripts.set(hashKey(hashes.hash160(script)), script);
    const inferred = bare(String(inferDescriptor(outputs[0], provider, OLD)));
    // The second key's origin is not known to the provider.
    t.equal(inferred, form.replace(/\[(?!deadbeef)[0-9a-f]{8}\]/, ''), form);
    t.equal(bare(String(inferDescriptor(outputs[0], provider, descriptorContext()))), inferred, 'in either language');
  }
  const blind = (form: string) => inferDescriptor(mustParse(form, OLD).descriptors[0].scripts(0)?.[0] as Uint8Array, NO_PROVIDER, OLD);
  t.equal(bare(String(blind(`wpkh(${KEY})`))), 'addr(bc1qngw83fg8dz0k749cg7k3emc7v98wy0c74dlrkd)');
  t.equal(blind(`wpkh(${KEY})`).isSolvable, false);
  t.equal(bare(String(blind(`pk(${KEY})`))), `pk(${KEY})`);
  t.equal(bare(String(blind('raw(6a01aa)'))), 'raw(6a01aa)');
  // Core writes such texts although it could not read them.
  const unknown = unhex('51');
  scripts.set(hashKey(hashes.hash160(unknown)), unknown);
  const odd = unhex(`a914${hex(hashes.hash160(unknown))}87`);
  t.equal(bare(String(inferDescriptor(odd, provider, OLD))), 'sh(raw(51))');
});
