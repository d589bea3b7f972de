// Texts that the parser refuses, with Core 0.21.1's messages, and the differences of the two languages.
import t from 'tap';
import { descriptorChecksum } from '../../../src/address/descriptor/checksum.js';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { descriptorContext, mustParse, scriptsOf } from '../../framework/descriptor-context.js';

const KEY = '03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd';
const X_ONLY = KEY.slice(2);
const OTHER = '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9';
const LONG =
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235';
const HYBRID = `07${LONG.slice(2)}`;
const XPUB = 'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB';
const OLD = descriptorContext('0.21');
const LATER = descriptorContext('master');

/** The message, or null when the text is accepted. */
function refusal(text: string, context = OLD, requireChecksum = false): string | null {
  const parsed = parseDescriptor(text, context, { requireChecksum });
  return 'error' in parsed ? parsed.error : null;
}

t.test('computes checksums and rejects descriptors whose checksum is missing or wrong', async (t) => {
  t.equal(descriptorChecksum('raw(deadbeef)'), '89f8spxm');
  t.equal(descriptorChecksum('raw(51)'), '8lvh9jxk');
  t.equal(descriptorChecksum(''), '7h0w2xvg');
  t.equal(descriptorChecksum('raw(é)'), null);
  t.equal(refusal('raw(51)#8lvh9jxk', OLD, true), null);
  t.equal(refusal('raw(51)'), null, 'it may be left out');
  t.equal(refusal('raw(51)', OLD, true), 'Missing checksum');
  t.equal(refusal('raw(é)', OLD, true), 'Missing checksum', 'checked before the characters');
  t.equal(refusal('raw(51)#abcdefgh'), "Provided checksum 'abcdefgh' does not match computed checksum '8lvh9jxk'");
  t.equal(refusal('raw(51)#8lvh9jxK'), "Provided checksum '8lvh9jxK' does not match computed checksum '8lvh9jxk'");
  t.equal(refusal('raw(51)#abc'), 'Expected 8 character checksum, not 3 characters');
  t.equal(refusal('raw(51)#éé'), 'Expected 8 character checksum, not 4 characters', 'bytes are counted');
  t.equal(refusal('raw(51)#8lvh9jxk#'), "Multiple '#' symbols");
  t.equal(refusal('raw(é)'), 'Invalid characters in payload');
});

t.test('rejects invalid descriptors with the messages of Core 0.21', async (t) => {
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
    [`pk(${X_ONLY})`, `Pubkey '${X_ONLY}' is invalid`],
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
    [`wsh(multi(1${`,${KEY}`.repeat(17)}))`, 'Cannot have 17 keys in multisig; must have between 1 and 16 keys, inclusive'],
    [`pk(${KEY}),x`, ''],
    [`sh(pk(${KEY}),x)`, ''],
    [`pk([00/1]${KEY})`, 'Fingerprint is not 4 bytes (2 characters instead of 8 characters)'],
    [`pk([zzzzzzzz/1]${KEY})`, "Fingerprint 'zzzzzzzz' is not hex"],
    [`pk([deadbeef/x]${KEY})`, "Key path value 'x' is not a valid uint32"],
    [`pk([deadbeef/2147483648]${KEY})`, 'Key path value 2147483648 is out of range'],
    [`pk([deadbeef/4294967296]${KEY})`, "Key path value '4294967296' is not a valid uint32"],
    [`pk(a]b]${KEY})`, "Multiple ']' characters found for a single pubkey"],
    [`pk(]${KEY})`, "Key origin start '[ character expected but not found, got ']' instead"],
    [`pk(${XPUB}/-1)`, "Key path value '-1' is not a valid uint32"],
    [`pk(${XPUB}/*/1)`, "Key path value '*' is not a valid uint32"],
    [`pk(${XPUB}/<0;1>/*)`, "Key path value '<0;1>' is not a valid uint32"],
    [`pk(${KEY}/1)`, `key '${KEY}' is not valid`],
    [`tr(${KEY})`, `tr(${KEY}) is not a valid descriptor function`],
    [`wsh(and_v(v:pk(${KEY}),older(5)))`, 'A function is needed within P2WSH'],
  ];
  for (const [text, message] of cases) t.equal(refusal(text), message, text);
  t.equal(scriptsOf(mustParse(`combo(${LONG})`, OLD))?.length, 2);
  t.equal(scriptsOf(mustParse(`combo(${KEY})`, OLD))?.length, 4);
  t.same(
    scriptsOf(mustParse(`sortedmulti(1,${KEY},02${KEY.slice(2)})`, OLD)),
    scriptsOf(mustParse(`multi(1,02${KEY.slice(2)},${KEY})`, OLD)),
  );
});

t.test('rejects invalid taproot and later descriptors with the messages of newer Core', async (t) => {
  const cases: [string, string][] = [
    [`wsh(multi(1${`,${KEY}`.repeat(21)}))`, 'Cannot have 21 keys in multisig; must have between 1 and 20 keys, inclusive'],
    [`wsh(multi_a(1,${KEY}))`, 'Can only have multi_a/sortedmulti_a inside tr()'],
    [`tr(${KEY},multi(1,${KEY}))`, 'Can only have multi/sortedmulti at top level, in sh(), or in wsh()'],
    [`tr(${KEY},multi_a(1${`,${OTHER}`.repeat(1000)}))`, 'Cannot have 1000 keys in multi_a; must have between 1 and 999 keys, inclusive'],
    [`sh(tr(${KEY}))`, 'Can only have tr at top level'],
    [`wsh(rawtr(${KEY}))`, 'Can only have rawtr at top level'],
    [`rawtr(${KEY},${OTHER})`, 'rawtr(): only one key expected.'],
    [`tr(${KEY},{pk(${OTHER})})`, "tr(): expected ',' after script expression"],
    [`tr(${KEY},{pk(${OTHER}),pk(${OTHER}),pk(${OTHER})})`, "tr(): expected '}' after script expression"],
    [`tr(${KEY},pk(${OTHER}),pk(${OTHER}))`, "tr(): expected ')' after script expression"],
    [`tr(${KEY},${'{'.repeat(129)}pk(${OTHER})${`,pk(${OTHER})}`.repeat(129)})`, 'tr() supports at most 128 nesting levels'],
    [`tr(${LONG})`, 'tr(): Uncompressed keys are not allowed'],
    [`tr(${KEY},wpkh(${OTHER}))`, 'Can only have wpkh() at top level or inside sh()'],
    [`pkh(${HYBRID})`, 'pkh(): Hybrid public keys are not allowed'],
    [`pkh( ${XPUB})`, `pkh(): Key ' ${XPUB}' is invalid due to whitespace`],
    [`pkh(${XPUB}/<0;1>/<2;3>)`, 'pkh(): Multiple multipath key path specifiers found'],
    [`pkh(${XPUB}/<0>)`, 'pkh(): Multipath key path specifiers must have at least two items'],
    [`pkh(${XPUB}/<1;1>)`, 'pkh(): Duplicated key path value 1 in multipath specifier'],
    [`pkh([deadbeef/<0;1>]${XPUB})`, "pkh(): Key path value '<0;1>' specifies multipath in a section where multipath is not allowed"],
    [`sh(multi(1,${XPUB}/<0;1>,${XPUB}/<0;1;2>))`, 'multi(): Multipath derivation paths have mismatched lengths'],
    [`tr(${XPUB}/<0;1>,pk(${XPUB}/<0;1;2>))`, 'tr(): Multipath internal key mismatches multipath subscripts lengths'],
    [`tr(${XPUB}/<0;1;2>,pk(${XPUB}/<0;1>))`, 'tr(): Multipath subscripts have mismatched lengths'],
    [`tr(${KEY},{pk(${XPUB}/<0;1>),pk(${XPUB}/<0;1;2>)})`, 'tr(): Multipath subscripts have mismatched lengths'],
    [`pk(musig(${KEY},${OTHER}))`, 'pk(): musig() is only allowed in tr() and rawtr()'],
    ['tr(musig())', 'tr(): musig(): Must contain key expressions'],
    [`tr(musig(${KEY})x)`, 'tr(): Invalid musig() expression'],
    [`tr(musig(${XPUB}/<0;1>,${XPUB})/<2;3>)`, 'tr(): musig(): Cannot have multipath participant keys if musig() is also multipath'],
    [`tr(musig(${XPUB}/*,${XPUB})/1)`, 'tr(): musig(): Cannot have ranged participant keys if musig() also has derivation'],
    [`tr(musig(${XPUB},${XPUB})/1h)`, 'tr(): musig(): cannot have hardened derivation steps'],
    [`tr(musig(${XPUB},${XPUB})/*h)`, 'tr(): musig(): Cannot have hardened child derivation'],
  ];
  for (const [text, message] of cases) t.equal(refusal(text, LATER), message, text);
  const deepest = `${'{'.repeat(128)}pk(${OTHER})${`,pk(${OTHER})}`.repeat(128)}`;
  t.equal(refusal(`tr(${KEY},${deepest})`, LATER), null, '128 levels');
});

t.test('rejects a descriptor of more than 1,000,000 characters', async (t) => {
  t.equal(refusal(`raw(${'51'.repeat(499_997)})`), null);
  t.equal(refusal(`raw(${'51'.repeat(499_998)})`), 'Descriptor is longer than 1000000 characters');
});

t.test('accepts and prints keys and thresholds as the chosen language version does', async (t) => {
  t.equal(refusal(`pkh(${HYBRID})`), null, 'hybrid keys were fine');
  t.equal(refusal(`pkh(${XPUB} )`), null, 'and white space around Base58');
  t.equal(refusal(`multi(+1,${KEY})`), null, 'and a plus');
  t.equal(refusal(`multi(+1,${KEY})`, LATER), "Multi threshold '+1' is not valid");
  t.equal(refusal(`wsh(multi(1${`,${KEY}`.repeat(17)}))`, LATER), null, 'more than 16 keys now');
  const marked = `pkh([deadbeef/1h]${XPUB}/2h/*)`;
  t.match(mustParse(marked, OLD).descriptors[0].toString(), `pkh([deadbeef/1']${XPUB}/2'/*)`);
  t.match(mustParse(marked, LATER).descriptors[0].toString(), marked);
});

t.test('accepts unused(KEY) without scripts in the new language only', async (t) => {
  const cases: [string, string][] = [
    [`unused(${KEY},${OTHER})`, 'unused(): only one key expected'],
    [`unused(${XPUB}/*)`, 'unused(): key cannot be ranged'],
    [`unused(${XPUB}/<0;1>/*)`, 'unused(): key cannot be ranged'],
    [`sh(unused(${KEY}))`, 'Can only have unused at top level'],
    [`wsh(unused(${KEY}))`, 'Can only have unused at top level'],
    [`tr(${KEY},unused(${KEY}))`, 'Can only have unused at top level'],
    ['unused()', 'No key provided'],
    [`unused(musig(${KEY},${OTHER}))`, 'musig() is only allowed in tr() and rawtr()'],
  ];
  for (const [text, message] of cases) t.equal(refusal(text, LATER), message, text);
  t.equal(refusal(`unused(${KEY})`, OLD), `unused(${KEY}) is not a valid descriptor function`);
  for (const key of [KEY, LONG, XPUB, `[deadbeef/1h]${XPUB}/2`]) {
    const [descriptor] = mustParse(`unused(${key})`).descriptors;
    t.equal(String(descriptor).split('#')[0], `unused(${key})`);
    t.same(descriptor.expand(0)?.scripts, []);
    t.same(
      [descriptor.isRange, descriptor.isSolvable, descriptor.isSingleType, descriptor.outputType, descriptor.hasScripts],
      [false, true, true, null, false],
    );
  }
  t.equal(mustParse(`unused(${XPUB}/<0;1>)`).descriptors.length, 2);
  t.equal(mustParse(`pk(${KEY})`).descriptors[0].hasScripts, true);
});

t.test('rejects deeply nested or very long descriptors without overflowing the stack', async (t) => {
  const many = 300_000;
  const bombs = [
    'sh('.repeat(many),
    'wsh('.repeat(many),
    `${'sh('.repeat(many)}pk(${KEY})${')'.repeat(many)}`,
    `tr(${KEY},${'{'.repeat(many)}`,
    `tr(${KEY},${`{pk(${KEY}),`.repeat(5000)}`,
    `wsh(${'thresh(1,'.repeat(many)}`,
    `wsh(${'a'.repeat(many)}:1)`,
    `wsh(multi(1${`,${KEY}`.repeat(20_000)}))`,
    `wsh(thresh(1${',1'.repeat(50_000)}))`,
    `pk([deadbeef${'/1'.repeat(many)}]${KEY})`,
    `pk(${XPUB}/<${Array.from({ length: 5000 }, (_, i) => i).join(';')}>)`,
    '('.repeat(many),
    '#'.repeat(many),
  ];
  for (const text of bombs) {
    for (const context of [OLD, LATER]) {
      const parsed = parseDescriptor(text, context);
      if (!text.startsWith('pk([')) t.ok('error' in parsed, text.slice(0, 30));
    }
  }
});
