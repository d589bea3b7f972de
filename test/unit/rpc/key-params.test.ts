// Private keys are taken out of requests before these are parsed: exactly those that stand where a method takes keys and look like one.
import fc from 'fast-check';
import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { encodeWif } from '../../../src/address/wif.js';
import { chainParams } from '../../../src/consensus/params/chain-params.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { KEY_PLACES } from '../../../src/rpc/declare/secret-places.js';
import type { NodeContext } from '../../../src/rpc/node/context.js';
import { readDescriptorImport, readScriptImport } from '../../../src/rpc/wallet/import-request.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { keyMethodIn, takeKeys } from '../../../src/rpc/wire/key-params.js';
import type { JsonObject, JsonResult } from '../../../src/rpc/wire/values.js';
import { descriptorContext } from '../../framework/descriptor-context.js';

fc.configureGlobal({ seed: 47, numRuns: 300 });
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const ascii = (value: Uint8Array): string => Buffer.from(value).toString('latin1');
const A = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
const B = '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ';

/** Body and keys after taking: tokens back in place give the request as it was. */
function taken(body: string): { keys: string[]; left: string; back: string } {
  // Bodies may be Buffers, whose slices are views.
  const given = Buffer.from(body);
  const keys = takeKeys(given, KEY_PLACES);
  const left = encodeJson(parseJson(given) as JsonResult);
  let back = left;
  for (const [token, key] of keys) back = back.replaceAll(`"${token}"`, `"${ascii(key)}"`);
  return { keys: [...keys.values()].map(ascii), left, back };
}
const plain = (body: string): string => encodeJson(parseJson(bytes(body)) as JsonResult);

t.test('which methods', async (t) => {
  t.same([...KEY_PLACES.keys()].sort(), [
    'importmulti',
    'importprivkey',
    'sethdseed',
    'signmessagewithprivkey',
    'signrawtransactionwithkey',
  ]);
});

t.test('places', async (t) => {
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
    [`{"method":"importmulti","params":[[{"desc":"pkh(${A})"}]]}`, []],
    [`{"method":"setlabel","params":["${A}","importprivkey"]}`, []],
    ['{"method":"importprivkey","params":["short"]}', []],
    [`{"method":"importprivkey","params":[["${A}"]]}`, []],
    [`{"method":"importprivkey","params":["${A}x1"]}`, []],
    [`{"method":"importprivkey","params":["0${A.slice(1)}"]}`, []],
    [`[{"method":"importprivkey","params":["${A}"]}]`, []],
    ['{"method":"importprivkey"}', []],
  ];
  for (const [body, keys] of cases) {
    const found = taken(body);
    t.same(found.keys, keys, body);
    t.equal(found.back, plain(body), 'all else stays');
    const times = (text: string): number => text.split(A).length + text.split(B).length;
    t.equal(times(found.left), times(body) - keys.length, 'gone from there');
  }
  for (const body of [
    `{"method":"importprivkey","params":["${A}"]`,
    `{"method":"importprivkey","method":"importprivkey","params":["${A}"]}`,
    `{"method":"importprivkey","params":["${A}"],"params":[]}`,
  ]) {
    const given = bytes(body);
    t.equal(takeKeys(given, KEY_PLACES).size, 0);
    t.equal(ascii(given), body, 'what the parser refuses is left to it');
  }
});

t.test('the quick look', async (t) => {
  t.equal(keyMethodIn(bytes('{"method":"importmulti","params":[[{"desc":"x"}]]}'), KEY_PLACES), null, 'no keys in it');
  t.equal(keyMethodIn(bytes('{"method":"importmulti","params":[[{"keys":[]}]]}'), KEY_PLACES), 'importmulti');
  for (const body of ['', '"method"', '{"method"', '{"method":', '{"method":"', '{"method":"importprivkey', '{"method":5}']) {
    t.equal(keyMethodIn(bytes(body), KEY_PLACES), body.endsWith('importprivkey') ? 'importprivkey' : null, body);
    t.equal(takeKeys(bytes(body), KEY_PLACES).size, 0);
  }
  // The same method again and again: the body is searched for members once.
  const body = Buffer.from(`[${'{"method":"importmulti"},'.repeat(1000)}5]`);
  let searches = 0;
  body.includes = (...args) => {
    searches++;
    return Buffer.prototype.includes.apply(body, args);
  };
  t.equal(keyMethodIn(body, KEY_PLACES), null);
  t.ok(searches > 0 && searches < 10, `${searches} searches`);
});

t.test('any request', async () => {
  const value = fc.oneof(fc.constantFrom(A, B), fc.jsonValue(), fc.string());
  const method = fc.constantFrom(...KEY_PLACES.keys(), 'getblock');
  const element = fc.oneof(
    value,
    fc.array(value),
    fc.dictionary(fc.constantFrom('keys', 'label', 'desc'), fc.oneof(value, fc.array(value))),
  );
  fc.assert(
    fc.property(method, fc.array(fc.oneof(element, fc.array(element))), fc.integer({ min: 0, max: 2 }), (name, params, indent) => {
      const body = JSON.stringify({ method: name, params, id: A }, null, indent);
      return taken(body).back === plain(body) && taken(body).left.includes(A);
    }),
  );
});

t.test('private keys that a request of importmulti leaves behind are overwritten', async (t) => {
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
  } as unknown as NodeContext;
  const wif = (fill: number) => encodeWif({ key: new Uint8Array(32).fill(fill), compressed: true }, params, context.hashes);
  const id = context.hashes.hash160(context.keys.publicKey(new Uint8Array(32).fill(7), true)!);
  const script = `76a914${Buffer.from(id).toString('hex')}88ac`;
  const call = { user: '', path: '/' };
  const request = (members: object) => parseJson(bytes(JSON.stringify(members))) as JsonObject;
  const left = () => read.splice(0).filter((key) => key.some((byte) => byte !== 0)).length;

  const good = await readScriptImport(ctx, request({ scriptPubKey: script, keys: [wif(7), wif(7), wif(9)] }), call);
  t.equal(good.secrets.size, 1);
  t.equal(left(), 1, 'the one that is imported; not its double, and not the one that belongs elsewhere');
  await t.rejects(readScriptImport(ctx, request({ scriptPubKey: script, keys: [wif(7), 'nonsense'] }), call), {
    message: 'Invalid private key encoding',
  });
  t.equal(left(), 0, 'nothing of a request that failed');
  const desc = addChecksum(`pkh(${Buffer.from(context.keys.publicKey(new Uint8Array(32).fill(7), true)!).toString('hex')})`);
  const breath = () => undefined;
  await t.rejects(readDescriptorImport(ctx, request({ desc, keys: [wif(7), wif(9), 'nonsense'] }), call, breath));
  t.equal(left(), 0);
  const given = await readDescriptorImport(ctx, request({ desc, keys: [wif(7), wif(9)] }), call, breath);
  t.equal(given.secrets.size, 1);
  t.equal(left(), 1);
});
