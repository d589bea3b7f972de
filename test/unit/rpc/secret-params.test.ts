// Passphrases are taken out of requests before these are parsed: what is taken is what the parser would have read, and the rest of the
// request stays what it was.
import fc from 'fast-check';
import t from 'tap';
import { SECRET_PLACES } from '../../../src/rpc/declare/secret-places.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { takeSecrets } from '../../../src/rpc/wire/secret-params.js';
import type { JsonResult } from '../../../src/rpc/wire/values.js';

fc.configureGlobal({ seed: 46, numRuns: 500 });
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const text = (value: Uint8Array | undefined): string | undefined => value && Buffer.from(value).toString();
const taken = (body: Uint8Array): Record<string, string | undefined> =>
  Object.fromEntries([...takeSecrets(body, SECRET_PLACES)].map(([at, secret]) => [at, text(secret)]));

t.test('which methods', async (t) => {
  t.same([...SECRET_PLACES.keys()].sort(), ['createwallet', 'encryptwallet', 'walletpassphrase', 'walletpassphrasechange']);
});

t.test('positions and names', async (t) => {
  const cases: [body: string, secrets: object, left: string][] = [
    [
      '{"id":1,"method":"walletpassphrase","params":["geheim",60]}',
      { 0: 'geheim' },
      '{"id":1,"method":"walletpassphrase","params":["",60]}',
    ],
    [
      ' { "params" : [ "a" , "b" ] , "method" : "walletpassphrasechange" } ',
      { 0: 'a', 1: 'b' },
      '{"params":["",""],"method":"walletpassphrasechange"}',
    ],
    [
      '{"method":"createwallet","params":{"wallet_name":"w","passphrase":"p\\u00e4\\ud83d\\ude00\\n\\"x"}}',
      { 3: 'pä😀\n"x' },
      '{"method":"createwallet","params":{"wallet_name":"w","passphrase":""}}',
    ],
    ['{"method":"createwallet","params":["w",false,false,null]}', {}, '{"method":"createwallet","params":["w",false,false,null]}'],
    ['{"method":"encryptwallet","params":["to the\\u0000end"]}', { 0: 'to the' }, '{"method":"encryptwallet","params":[""]}'],
    ['{"method":"encryptwallet","params":[["x"]]}', {}, '{"method":"encryptwallet","params":[["x"]]}'],
    [
      '{"method":"setlabel","params":["encryptwallet","walletpassphrase"]}',
      {},
      '{"method":"setlabel","params":["encryptwallet","walletpassphrase"]}',
    ],
    ['[{"method":"encryptwallet","params":["x"]}]', {}, '[{"method":"encryptwallet","params":["x"]}]'],
  ];
  for (const [body, secrets, left] of cases) {
    const given = bytes(body);
    t.same(taken(given), secrets, body);
    t.equal(encodeJson(parseJson(given) as JsonResult), left);
  }
  // What the parser would refuse is left to it.
  for (const body of [
    '{"method":"encryptwallet","params":["x"]',
    '{"method":"encryptwallet","params":["x"],"params":["y"]}',
    '{"method":"encryptwallet","method":"walletlock","params":["x"]}',
    '{"method":"encryptwallet","params":["\\ud800"]}',
    '{"method":"encryptwallet","params":["\\q"]}',
    `{"method":"encryptwallet","params":["x"]${'['.repeat(2000)}`,
  ]) {
    const given = bytes(body);
    t.same(taken(given), {}, body.slice(0, 60));
    t.equal(text(given), body, 'untouched');
  }
  const wrong = new Uint8Array([...bytes('{"method":"encryptwallet","params":["'), 0xff, ...bytes('"]}')]);
  t.same(taken(wrong), {});
});

t.test('any text', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.boolean(), fc.nat(3), (phrase, escaped, spaces) => {
      const quoted = escaped
        ? `"${[...Array(phrase.length).keys()].map((i) => `\\u${phrase.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
        : JSON.stringify(phrase);
      const gap = ' '.repeat(spaces);
      const body = bytes(`{"method":"walletpassphrase",${gap}"params":${gap}[${quoted}${gap},1],"id":"${'x'.repeat(spaces)}"}`);
      const nul = phrase.indexOf('\0');
      const found = takeSecrets(body, SECRET_PLACES).get(0);
      return (
        text(found) === (nul < 0 ? phrase : phrase.slice(0, nul)) && encodeJson(parseJson(body) as JsonResult).includes('"params":["",1]')
      );
    }),
  );
});
