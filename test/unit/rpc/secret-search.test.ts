// Tests that passphrases and private keys are removed from requests before these are parsed: exactly in the arguments
// that contain them, in single requests and in batches of any size. The removed text is what the parser would have
// read. The rest of the body is unchanged.

import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { encodeWif } from '../../../src/address/wif.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import { SECRET_PLACES } from '../../../src/rpc/declare/secret-places.js';
import { emptyImport, fillFromDescriptor, fillFromScript, MOST_INDICES } from '../../../src/rpc/wallet/import-request.js';
import { ScriptImportReader } from '../../../src/rpc/wallet/importmulti.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { RequestBody, scanRequest } from '../../../src/rpc/wire/request.js';
import { secretMethodIn } from '../../../src/rpc/wire/secret-places.js';
import { SecretSearch } from '../../../src/rpc/wire/secret-search.js';
import { TakenSecrets } from '../../../src/rpc/wire/taken-secrets.js';
import type { JsonObject, JsonResult } from '../../../src/rpc/wire/values.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { fc } from '../../framework/fast-check.js';

fc.configureGlobal({ seed: 47, numRuns: 300 });
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const ascii = (value: Uint8Array): string => Buffer.from(value).toString('latin1');
const A = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
const B = '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ';
const XPRV = 'xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U';
const XPUB = 'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB';

/** Returns the secrets that a search finds. @param stepMs time of a step; the smallest value pauses wherever possible */
function searched(body: Uint8Array, stepMs = Number.POSITIVE_INFINITY): { taken: TakenSecrets; steps: number } {
  const requests = scanRequest(body);
  const search = requests instanceof RequestBody ? SecretSearch.in(requests, SECRET_PLACES) : null;
  let steps = 1;
  while (search !== null && !search.goOn(stepMs)) steps++;
  return { taken: search?.taken ?? new TakenSecrets(), steps };
}

/** Returns the keys, the remaining body, and the body with the keys put back in place of their tokens. */
function takenKeys(body: string, stepMs?: number): { keys: string[]; left: string; back: string } {
  // Bodies may be Buffers, whose slices are views.
  const given = Buffer.from(body);
  const { taken } = searched(given, stepMs);
  const left = encodeJson(parseJson(given) as JsonResult);
  let back = left;
  for (const [token, key] of taken.keys) back = back.replaceAll(token, ascii(key));
  return { keys: [...taken.keys.values()].map(ascii), left, back };
}
const plain = (body: string): string => encodeJson(parseJson(bytes(body)) as JsonResult);

t.test('searches the methods that take secrets, and no others', async (t) => {
  t.same([...SECRET_PLACES.keys()].sort(), [
    ...'addhdkey createwallet deriveaddresses descriptorprocesspsbt encryptwallet generateblock'.split(' '),
    ...'generatetodescriptor getdescriptoractivity getdescriptorinfo importcorewallet importdescriptors'.split(' '),
    ...'importmulti importprivkey migratewallet scanblocks scantxoutset sethdseed signmessagewithprivkey'.split(' '),
    ...'signrawtransactionwithkey utxoupdatepsbt walletpassphrase walletpassphrasechange'.split(' '),
  ]);
});

t.test('removes private keys where a method takes them, and nothing else', async (t) => {
  const cases: [body: string, keys: string[]][] = [
    [`{"id":1,"method":"importprivkey","params":["${A}","label"]}`, [A]],
    [`{"method" : "importprivkey","params":{"label":"${B}","privkey":"${A}"}}`, [A]],
    [`{"params":[true,"${A}"],"method":"sethdseed"}`, [A]],
    [`{"id":"method","method":"importprivkey","params":["${A}"]}`, [A]],
    [`{"method"\t:\r\n"importprivkey","params":["${A}"]}`, [A]],
    [`{"method":"signmessagewithprivkey","params":["${B}","${A}"]}`, [B]],
    [`{"method":"signrawtransactionwithkey","params":["00",["${A}","${B}","${A}"],[]]}`, [A, B, A]],
    [
      `{"method":"importmulti","params":[[{"scriptPubKey":"${A}","keys":["${A}"],"label":"${B}"},{"keys":["${B}",1,"x"]},7],{"keys":["${A}"]}]}`,
      [A, B],
    ],
    [`{"method":"setlabel","params":["${A}","importprivkey"]}`, []],
    ['{"method":"importprivkey","params":["short"]}', []],
    [`{"method":"importprivkey","params":[["${A}"]]}`, []],
    [`{"method":"importprivkey","params":["${A}x1"]}`, []],
    [`{"method":"importprivkey","params":["0${A.slice(1)}"]}`, []],
    ['{"method":"importprivkey"}', []],
    // In batches, whatever the other entries are.
    [`[{"method":"importprivkey","params":["${A}"]}]`, [A]],
    [
      `[5,"importprivkey",{"id":"${A}","method":"getblockcount"},[],{"params":["${B}"],"method":"importprivkey"},{"method":"x","params":["${A}"]}]`,
      [B],
    ],
    [`[{"method":"setlabel","params":["${A}",""]},{"method":"importmulti","params":[[{"keys":["${A}"]}]]}]`, [A]],
    // The parser uses the first of two members with one name.
    [`{"method":"importprivkey","method":"setlabel","params":["${A}"],"params":["${B}"]}`, [A]],
    [`{"method":"setlabel","method":"importprivkey","params":["${A}"]}`, []],
    // In descriptors: private keys of any network are removed, and nothing else.
    [`{"method":"importmulti","params":[[{"desc":"pkh(${A})#abcdefgh"}]]}`, [A]],
    [
      `{"method":"getdescriptorinfo","params":["wsh(multi(2,[d34db33f\\/44h]${XPRV}\\/1h\\/*, ${A},${B},${XPUB}\\/*,02${'ab'.repeat(32)}))"]}`,
      [XPRV, A, B],
    ],
    [`{"method":"deriveaddresses","params":{"range":1,"descriptor":"pkh(${XPRV}/0)"}}`, [XPRV]],
    [`{"method":"importdescriptors","params":[[{"desc":"tr(${A})","label":"${A}"},{"label":"${B}"},"${A}"]]}`, [A]],
    [`{"method":"scantxoutset","params":["start",["combo(${A})",{"desc":"pkh(${B})","range":"${A}"}]]}`, [A, B]],
    [`{"method":"getdescriptorinfo","params":["${A}"]}`, [A]],
    [`{"method":"getdescriptorinfo","params":["pkh(${A.slice(0, -1)}B)"]}`, []],
    [`{"method":"getdescriptorinfo","params":["pkh(${A}1)"]}`, []],
    [`{"method":"getdescriptorinfo","params":["pkh(${XPUB})"]}`, []],
  ];
  const times = (text: string): number => text.split(A).length + text.split(B).length + text.split(XPRV).length;
  for (const [body, keys] of cases) {
    const found = takenKeys(body);
    t.same(found.keys, keys, body);
    t.equal(found.back, plain(body), 'the rest of the body is unchanged');
    t.equal(times(found.left), times(body) - keys.length, 'the keys are removed from the body');
    t.same(takenKeys(body, 0), found, 'in steps');
  }
});

t.test('removes passphrases where a method takes them, and overwrites them afterwards', async (t) => {
  const cases: [body: string, secrets: [request: number, at: number, text: string][], left: string][] = [
    [
      '{"id":1,"method":"walletpassphrase","params":["geheim",60]}',
      [[0, 0, 'geheim']],
      '{"id":1,"method":"walletpassphrase","params":["",60]}',
    ],
    [
      ' { "params" : [ "a" , "b" ] , "method" : "walletpassphrasechange" } ',
      [
        [0, 0, 'a'],
        [0, 1, 'b'],
      ],
      '{"params":["",""],"method":"walletpassphrasechange"}',
    ],
    [
      '{"method":"createwallet","params":{"wallet_name":"w","passphrase":"p\\u00e4\\ud83d\\ude00\\n\\"x"}}',
      [[0, 3, 'pä😀\n"x']],
      '{"method":"createwallet","params":{"wallet_name":"w","passphrase":""}}',
    ],
    ['{"method":"createwallet","params":["w",false,false,null]}', [], '{"method":"createwallet","params":["w",false,false,null]}'],
    ['{"method":"encryptwallet","params":["to the\\u0000end"]}', [[0, 0, 'to the']], '{"method":"encryptwallet","params":[""]}'],
    ['{"method":"encryptwallet","params":[["x"]]}', [], '{"method":"encryptwallet","params":[["x"]]}'],
    [
      '{"method":"setlabel","params":["encryptwallet","walletpassphrase"]}',
      [],
      '{"method":"setlabel","params":["encryptwallet","walletpassphrase"]}',
    ],
    [
      '[{"method":"encryptwallet","params":["x"]},{"method":"getblockcount"},{"method":"walletpassphrase","params":["y",1]}]',
      [
        [0, 0, 'x'],
        [2, 0, 'y'],
      ],
      '[{"method":"encryptwallet","params":[""]},{"method":"getblockcount"},{"method":"walletpassphrase","params":["",1]}]',
    ],
    [
      '{"method":"walletpassphrase","params":{"passphrase":"first","timeout":1,"passphrase":"second"}}',
      [[0, 0, 'second']],
      '{"method":"walletpassphrase","params":{"passphrase":"","timeout":1,"passphrase":""}}',
    ],
  ];
  for (const [body, secrets, left] of cases) {
    const given = bytes(body);
    const { taken } = searched(given);
    for (const [request, at, text] of secrets) t.equal(Buffer.from(taken.passphrase(request, at) ?? []).toString(), text, body);
    t.equal(taken.size > 0, secrets.length > 0, body);
    t.equal(encodeJson(parseJson(given) as JsonResult), left);
    taken.wipe();
    for (const [request, at] of secrets) t.ok(taken.passphrase(request, at)?.every((byte) => byte === 0));
  }
  // Text that is not JSON is not searched.
  for (const text of ['"\\ud800"', '"\\q"', '"\\u12"', '"a\u0001b"']) {
    const given = bytes(`{"method":"encryptwallet","params":[${text}]}`);
    t.equal(searched(given).taken.size, 0);
    t.throws(() => parseJson(given));
  }
  const wrong = new Uint8Array([...bytes('{"method":"encryptwallet","params":["'), 0xff, ...bytes('"]}')]);
  t.equal(searched(wrong).taken.size, 0);
});

t.test('removes any passphrase, also an escaped one', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.boolean(), fc.nat(3), (phrase, escaped, spaces) => {
      const quoted = escaped
        ? `"${[...Array(phrase.length).keys()].map((i) => `\\u${phrase.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
        : JSON.stringify(phrase);
      const gap = ' '.repeat(spaces);
      const body = bytes(`{"method":"walletpassphrase",${gap}"params":${gap}[${quoted}${gap},1],"id":"${'x'.repeat(spaces)}"}`);
      const nul = phrase.indexOf('\0');
      const found = searched(body).taken.passphrase(0, 0);
      return (
        Buffer.from(found ?? []).toString() === (nul < 0 ? phrase : phrase.slice(0, nul)) &&
        encodeJson(parseJson(body) as JsonResult).includes('"params":["",1]')
      );
    }),
  );
});

t.test('secretMethodIn finds a method with secrets in few searches of the body', async (t) => {
  const found = (text: string) => secretMethodIn(scanRequest(bytes(text)) as RequestBody, SECRET_PLACES);
  t.equal(found('{"method":"importmulti","params":[[{"scriptPubKey":"x"}]]}'), null, 'no secrets in it');
  t.equal(found('{"method":"importmulti","params":[[{"keys":[]}]]}'), 'importmulti');
  t.equal(found('{"method":"importmulti","params":[[{"k\\u0065ys":[]}]]}'), 'importmulti', 'a name with an escape');
  t.equal(found('{"method":"importmulti","params":[[{"desc":""}]]}'), 'importmulti');
  t.equal(found('[{"method":"getblock"},{"method":"scantxoutset"}]'), 'scantxoutset');
  t.equal(found('{"m\\u0065thod":"importpriv\\u006bey"}'), 'importprivkey', 'names with escapes');
  t.equal(found('{"method":"getblock","params":[{"method":"importprivkey"}]}'), null);
  t.equal(found('{"method":5}'), null);
  // A batch with the same method many times: the body is searched for members only once.
  const body = Buffer.from(`[${'{"method":"importmulti"},'.repeat(1000)}5]`);
  let searches = 0;
  body.includes = (...args) => {
    searches++;
    return Buffer.prototype.includes.apply(body, args);
  };
  t.equal(secretMethodIn(scanRequest(body) as RequestBody, SECRET_PLACES), null);
  t.ok(searches > 0 && searches < 10, `${searches} searches`);
});

t.test('looks for methods with secrets in a long batch in short steps', async (t) => {
  const entries = `${'{"method":"x"},'.repeat(20_000)}{"method":"encryptwallet","params":["geheim"]}`;
  for (const [text, secrets] of [
    [`[${entries}]`, 1],
    [`[${entries.replace('encryptwallet', 'getblock')}]`, 0],
  ] as const) {
    const search = SecretSearch.in(scanRequest(bytes(text)) as RequestBody, SECRET_PLACES);
    let steps = 1;
    while (search?.goOn(0) === false) steps++;
    t.ok(steps > 50, `${steps} steps`);
    t.equal(search?.taken.size, secrets);
  }
});

t.test('removes thousands of private keys from a large body in short steps', async (t) => {
  const requests = Array.from({ length: 4000 }, (_, i) => ({
    desc: `pkh(${i % 2 ? A : XPUB})`,
    keys: [B],
    label: A,
    x: [[{}, '\\"'], -1.5e3],
  }));
  const single = JSON.stringify({ method: 'importmulti', params: [requests], id: A });
  const batch = JSON.stringify(requests.map((request, i) => ({ method: 'importmulti', params: [[request]], id: i })));
  for (const body of [single, batch]) {
    const given = Buffer.from(body);
    const { taken, steps } = searched(given, 0);
    t.equal(taken.keys.size, 6000);
    t.ok(steps > 50, `${steps} steps`);
    t.equal(given.toString().includes(B), false);
    let back = given.toString();
    let at = 0;
    // Tokens stand in the order of the text.
    back = back.replace(/~key:\d+~*/g, (token) => {
      if (!token.startsWith(`~key:${at++}~`)) t.fail(token);
      return ascii(taken.keys.get(token) ?? new Uint8Array());
    });
    t.equal(back, body);
  }
  // Requests of other methods are skipped in steps as well.
  const names = bytes(`[${'{"method":"getblock"},'.repeat(100_000)}{"method":"stop"},{"method":"encryptwallet","params":["x"]}]`);
  t.ok(searched(names, 0).steps > 50);
  // Deep nesting and invalid text. A control character does not end a search.
  for (const text of [
    '['.repeat(100_000),
    '{"a":'.repeat(50_000),
    '[{"method":"importprivkey","params":['.repeat(20_000),
    ']'.repeat(70_000),
    '{"method":"importprivkey","params":[\u0001]}',
    '[[\u0001 {"method":"importprivkey"',
  ]) {
    t.equal(searched(bytes(text), 1).taken.size, 0);
  }
});

t.test('restores any request to the same text when the removed keys are put back', async () => {
  const value = fc.oneof(fc.constantFrom(A, B, XPRV, `pkh(${A})`, `multi(1,${B},${XPRV}/*)`), fc.jsonValue(), fc.string());
  const method = fc.constantFrom(...SECRET_PLACES.keys(), 'getblock');
  const element = fc.oneof(
    value,
    fc.array(value),
    fc.dictionary(fc.constantFrom('keys', 'label', 'desc'), fc.oneof(value, fc.array(value))),
  );
  const params = fc.oneof(
    fc.array(fc.oneof(element, fc.array(element))),
    fc.dictionary(fc.constantFrom('privkey', 'requests', 'seed', 'descriptor', 'x'), fc.oneof(element, fc.array(element))),
  );
  const request = fc.record({ method, params, id: fc.constantFrom(A, 1) }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.oneof(request, fc.array(fc.oneof(request, fc.jsonValue()))), fc.nat(2), (any, indent) => {
      const names = JSON.stringify(any).includes('pass') ? null : any;
      // Passphrases are not put back, so these methods are skipped.
      if (names === null || /encryptwallet|createwallet|importcorewallet|migratewallet/.test(JSON.stringify(any))) return true;
      const body = JSON.stringify(any, null, indent);
      const found = takenKeys(body);
      return found.back === plain(body) && takenKeys(body, 0).left === found.left;
    }),
  );
});

t.test('parses a descriptor whose private keys were removed like the original text', async (t) => {
  for (const language of ['0.21', 'master'] as const) {
    const context = descriptorContext(language, 'main');
    const wif = (fill: number) => encodeWif({ key: new Uint8Array(32).fill(fill), compressed: true }, chainParams('main'), context.hashes);
    for (const text of [
      `pkh(${wif(3)})`,
      `wpkh( ${wif(3)} )`,
      `sh(multi(2,[d34db33f/44'/0']${XPRV}/1'/*,${wif(4)},${XPUB}/*'))`,
      `wsh(sortedmulti(1,${wif(5)},${wif(6)}))`,
      `tr(${wif(7)},{pk(${XPRV}/0h/*),multi_a(1,${wif(8)})})`,
      `tr(musig(${wif(7)},${wif(9)}))`,
      `wsh(and_v(v:pk(${wif(9)}),older(5)))`,
      `pkh(${XPRV}/<0;1>/*)`,
      `pkh(${A})`,
      `foo(${wif(3)})`,
      `pkh(${wif(3)}/0)`,
      `pkh(${wif(3)}`,
      wif(3),
    ]) {
      for (const whole of [text, addChecksum(text), `${text}#aaaaaaaa`]) {
        const body = bytes(JSON.stringify({ method: 'getdescriptorinfo', params: [whole] }));
        const { taken } = searched(body);
        const [left] = (parseJson(body) as JsonObject).get('params') as string[];
        t.equal(left.includes('~key:0~'), true, left);
        const plainly = parseDescriptor(whole, context);
        const found = parseDescriptor(left, context, { keys: taken.keys });
        if ('error' in plainly) {
          const shown =
            [...taken.keys.values()].length > 0 &&
            [A, XPRV, ...[3, 4, 5, 6, 7, 8, 9].map(wif)].reduce((message, key) => message.replaceAll(key, '(private key)'), plainly.error);
          t.same(found, { error: shown }, `${language} ${whole}`);
        } else if ('error' in found) t.fail(found.error);
        else {
          t.same(found.descriptors.map(String), plainly.descriptors.map(String), `${language} ${whole}`);
          t.equal(found.checksum, plainly.checksum);
          t.same([...found.secrets.pairs()], [...plainly.secrets.pairs()]);
        }
        for (const key of taken.keys.values())
          t.ok(
            key.every((byte) => byte === 0),
            'overwritten once it was read',
          );
      }
    }
  }
});

t.test('overwrites private keys of importmulti that are not imported', async (t) => {
  const context = descriptorContext('0.21', 'regtest');
  const params = chainParams('regtest');
  const read: Uint8Array[] = [];
  const publicKey = (secret: Uint8Array, compressed: boolean) => {
    read.push(secret);
    return context.keys.publicKey(secret, compressed);
  };
  const ctx = {
    params,
    crypto: createNativeCrypto(),
    descriptors: { ...context, keys: Object.assign(Object.create(context.keys), { publicKey }) },
  } as unknown as WalletContext;
  const wif = (fill: number) => encodeWif({ key: new Uint8Array(32).fill(fill), compressed: true }, params, context.hashes);
  const id = context.hashes.hash160(context.keys.publicKey(new Uint8Array(32).fill(7), true)!);
  const script = `76a914${Buffer.from(id).toString('hex')}88ac`;
  const call = { user: '', path: '/' };
  const request = (members: object) => parseJson(bytes(JSON.stringify(members))) as JsonObject;
  const left = () => read.splice(0).filter((key) => key.some((byte) => byte !== 0)).length;

  const good = emptyImport();
  fillFromScript(ctx, request({ scriptPubKey: script, keys: [wif(7), wif(7), wif(9)] }), call, good);
  t.equal(good.secrets.size, 1);
  t.equal(left(), 1, 'the one that is imported; not its double, and not the one that belongs elsewhere');
  const reader = new ScriptImportReader(ctx, { record: { privateKeysDisabled: false } } as unknown as Wallet, call);
  t.match(await reader.read(request({ scriptPubKey: script, keys: [wif(7), 'nonsense'] }), 1), {
    error: { message: 'Invalid private key encoding' },
  });
  t.equal(left(), 0, 'nothing of a request that failed');
  const desc = addChecksum(`pkh(${Buffer.from(context.keys.publicKey(new Uint8Array(32).fill(7), true)!).toString('hex')})`);
  t.match(await reader.read(request({ desc, keys: [wif(7), wif(9), 'nonsense'] }), 1), { error: { code: -5 } });
  t.equal(left(), 0);
  const given = emptyImport();
  await fillFromDescriptor(ctx, request({ desc, keys: [wif(7), wif(9)] }), call, given, { indices: MOST_INDICES });
  t.equal(given.secrets.size, 1);
  t.equal(left(), 1);
});
