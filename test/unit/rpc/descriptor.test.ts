// The descriptor parser of the generate calls: vectors it can express, contexts and messages, checksums; and partial merkle trees.
import fc from 'fast-check';
import t from 'tap';
import { descriptorChecksum } from '../../../src/address/descriptor/checksum.js';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { chainParams } from '../../../src/consensus/params/chain-params.js';
import { publicKeyOf } from '../../../src/crypto/native/public-key.js';
import { buildPartialMerkle, decodePartialMerkle, encodePartialMerkle, extractMatches } from '../../../src/rpc/render/partial-merkle.js';
import { crypto } from '../../framework/chain-fixture.js';
import { readJson, vectorSuite } from '../../framework/vectors.js';

fc.configureGlobal({ seed: 44, numRuns: 200 });

const KEY = '03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd';
const LONG =
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235';

function parse(text: string, network: 'main' | 'regtest' = 'main'): string[] | string {
  const parsed = parseDescriptor(text, {
    params: chainParams(network),
    hashes: crypto,
    isPoint: (key) => crypto.isPoint(key),
    publicKey: publicKeyOf,
  });
  return 'error' in parsed ? parsed.error : parsed.scripts.map((script) => Buffer.from(script).toString('hex'));
}

vectorSuite('descriptors/bip381_390_scripts.json', async (t) => {
  const rows = readJson<{ bip: number; descriptor: string; scripts: string[] }[]>('descriptors/bip381_390_scripts.json');
  // What needs child keys or later functions waits for the wallet.
  const ours = rows.filter(({ bip, descriptor }) => [381, 382, 383, 384, 385].includes(bip) && !/x(pub|prv)|tr\(|_a\(/.test(descriptor));
  t.ok(ours.length >= 10, `${ours.length} rows`);
  for (const { descriptor, scripts } of ours) t.same(parse(descriptor), scripts, descriptor);
});

vectorSuite('descriptors/bip381_390_invalid.json', async (t) => {
  const rows = readJson<{ bip: number; descriptor: string }[]>('descriptors/bip381_390_invalid.json');
  for (const { descriptor } of rows) t.type(parse(descriptor), 'string', descriptor);
});

vectorSuite('descriptors/bip380_checksum_and_keys.json', async (t) => {
  const rows = readJson<{ kind: string; input: string; valid: boolean }[]>('descriptors/bip380_checksum_and_keys.json');
  for (const { kind, input, valid } of rows) {
    if (kind === 'checksum') t.equal(typeof parse(input) !== 'string', valid, input);
    else if (!/x(pub|prv)/.test(input)) t.equal(typeof parse(`pk(${input})`) !== 'string', valid, input);
  }
});

t.test('checksums', async (t) => {
  t.equal(descriptorChecksum('raw(deadbeef)'), '89f8spxm');
  t.equal(descriptorChecksum('raw(51)'), '8lvh9jxk');
  t.equal(descriptorChecksum('raw(é)'), null);
  t.same(parse('raw(51)#8lvh9jxk'), ['51']);
  t.equal(parse('raw(51)#abcdefgh'), "Provided checksum 'abcdefgh' does not match computed checksum '8lvh9jxk'");
  t.equal(parse('raw(51)#abc'), 'Expected 8 character checksum, not 3 characters');
  t.equal(parse('raw(51)##'), "Multiple '#' symbols");
  t.equal(parse('raw(é)'), 'Invalid characters in payload');
});

t.test('contexts and messages', async (t) => {
  const cases: [string, string][] = [
    ['foo(51)', 'foo(51) is not a valid descriptor function'],
    ['raw(', 'raw( is not a valid descriptor function'],
    ['', ' is not a valid descriptor function'],
    ['raw()', 'Raw script is not hex'],
    ['raw(5)', 'Raw script is not hex'],
    ['addr(x)', 'Address is not valid'],
    ['pk()', 'No key provided'],
    ['pk(02)', "Pubkey '02' is invalid"],
    ['pk(xyz)', "key 'xyz' is not valid"],
    [`pk(02${'f'.repeat(64)})`, `Pubkey '02${'f'.repeat(64)}' is invalid`],
    [`wpkh(${LONG})`, 'Uncompressed keys are not allowed'],
    [`wsh(pk(${LONG}))`, 'Uncompressed keys are not allowed'],
    [`sh(combo(${KEY}))`, 'Cannot have combo in non-top level'],
    [`wsh(sh(pk(${KEY})))`, 'Cannot have sh in non-top level'],
    [`wsh(wsh(pk(${KEY})))`, 'Cannot have wsh within wsh'],
    [`wsh(wpkh(${KEY}))`, 'Cannot have wpkh within wsh'],
    ['sh(raw(51))', 'A function is needed within P2SH'],
    ['wsh(51)', 'A function is needed within P2WSH'],
    [`multi(x,${KEY})`, "Multi threshold 'x' is not valid"],
    ['multi(1)', 'Cannot have 0 keys in multisig; must have between 1 and 16 keys, inclusive'],
    [`multi(0,${KEY})`, 'Multisig threshold cannot be 0, must be at least 1'],
    [`multi(2,${KEY})`, 'Multisig threshold cannot be larger than the number of keys; threshold is 2 but only 1 keys specified'],
    [`multi(1${`,${KEY}`.repeat(4)})`, 'Cannot have 4 pubkeys in bare multisig; only at most 3 pubkeys'],
    [`sh(multi(1${`,${KEY}`.repeat(16)}))`, 'P2SH script is too large, 547 bytes is larger than 520 bytes'],
    [`pk(${KEY}),x`, ''],
    [`sh(pk(${KEY}),x)`, ''],
    [`pk([00/1]${KEY})`, 'Fingerprint is not 4 bytes (2 characters instead of 8 characters)'],
    [`pk([zzzzzzzz/1]${KEY})`, "Fingerprint 'zzzzzzzz' is not hex"],
    [`pk([deadbeef/x]${KEY})`, "Key path value 'x' is not a valid uint32"],
    [`pk([deadbeef/2147483648]${KEY})`, 'Key path value 2147483648 is out of range'],
    [`pk(a]b]${KEY})`, "Multiple ']' characters found for a single pubkey"],
    [`pk(]${KEY})`, "Key origin start '[ character expected but not found, got ']' instead"],
    [
      'pk(xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB/1)',
      "Extended key 'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB' is not supported yet",
    ],
  ];
  for (const [text, message] of cases) t.equal(parse(text), message, text);
  t.equal((parse(`combo(${LONG})`) as string[]).length, 2);
  t.equal((parse(`combo(${KEY})`) as string[]).length, 4);
  t.type(parse(`multi(+1,${KEY})`), Array, 'a plus before a number was read by 0.21');
  t.same(parse(`sortedmulti(1,${KEY},02${KEY.slice(2)})`), parse(`multi(1,02${KEY.slice(2)},${KEY})`));
});

t.test('any text gets scripts or a message', async (t) => {
  const word = fc.constantFrom(
    'pk',
    'pkh',
    'sh',
    'wsh',
    'multi',
    'raw',
    'addr',
    'combo',
    '(',
    ')',
    ',',
    '#',
    '[',
    ']',
    '/',
    "'",
    KEY,
    '1',
    '51',
    'é',
    '',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const out = parse(words.join(''));
      return typeof out === 'string' || out.length > 0;
    }),
  );
  t.pass();
});

t.test('partial merkle trees', async (t) => {
  const leaf = (i: number) => crypto.sha256d(Uint8Array.of(i & 255, i >> 8));
  const rootOf = (hashes: Uint8Array[]): Uint8Array => {
    let level = hashes;
    while (level.length > 1) {
      const next: Uint8Array[] = [];
      for (let i = 0; i < level.length; i += 2) next.push(crypto.sha256d(Buffer.concat([level[i], level[i + 1] ?? level[i]])));
      level = next;
    }
    return level[0];
  };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.infiniteStream(fc.boolean()), (count, picks) => {
      const txids = Array.from({ length: count }, (_, i) => leaf(i));
      const matches = txids.map(() => picks.next().value as boolean);
      const tree = decodePartialMerkle(encodePartialMerkle(buildPartialMerkle(txids, matches, crypto)));
      const found = extractMatches(tree, crypto);
      const wanted = txids.filter((_, i) => matches[i]);
      return (
        found !== null &&
        Buffer.compare(found.root, rootOf(txids)) === 0 &&
        JSON.stringify(found.txids.map((id) => Buffer.from(id).toString('hex'))) ===
          JSON.stringify(wanted.map((id) => Buffer.from(id).toString('hex')))
      );
    }),
  );
  const tree = buildPartialMerkle([leaf(1), leaf(2), leaf(3)], [false, true, false], crypto);
  t.equal(extractMatches({ ...tree, count: 0 }, crypto), null);
  t.equal(extractMatches({ ...tree, count: 16_667 }, crypto), null);
  t.equal(extractMatches({ ...tree, hashes: [...tree.hashes, leaf(9)] }, crypto), null, 'a hash left over');
  t.equal(extractMatches({ ...tree, hashes: tree.hashes.slice(1) }, crypto), null, 'a hash too few');
  t.equal(extractMatches({ ...tree, flags: [...tree.flags, ...Array(8).fill(false)] }, crypto), null, 'a byte of flags left over');
  const twin = {
    count: 4,
    hashes: [leaf(1), leaf(2), crypto.sha256d(Buffer.concat([leaf(1), leaf(2)]))],
    flags: [true, true, true, true, false, false, false, false],
  };
  t.equal(extractMatches(twin, crypto), null, 'equal halves');
});
