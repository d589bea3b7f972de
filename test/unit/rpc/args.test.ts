// Tests the readers of arguments with their codes and texts, amounts, hashes, and the arguments of getblocktemplate.
import t, { type Test } from 'tap';
import {
  asAmount,
  asBool,
  asDouble,
  asHash,
  asHashHex,
  asHex,
  asInt,
  asInt64,
  asObject,
  asString,
  checkMembers,
  checkTypes,
  parseFixedPoint,
} from '../../../src/rpc/args.js';
import { RpcError } from '../../../src/rpc/errors.js';
import { parseTemplateRequest } from '../../../src/rpc/front/template-request.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import type { JsonObject, JsonValue } from '../../../src/rpc/wire/values.js';

const json = (text: string): JsonValue => parseJson(Buffer.from(text));
const error = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof RpcError) return `${thrown.code} ${thrown.message}`;
    throw thrown;
  }
  return 'none';
};
const gives = (t: Test, wanted: string, run: () => unknown, why = wanted): unknown => t.equal(error(run), wanted, why);

t.test('parseFixedPoint counts zeros correctly in amounts of millions of digits', async (t) => {
  const zeros = '0'.repeat(5_000_000);
  t.equal(parseFixedPoint(`0.${zeros}1`, 8), null);
  t.equal(parseFixedPoint(`0.00000001${zeros}`, 8), 1n);
  t.equal(parseFixedPoint(`0.1${zeros}1`, 8), null);
  t.equal(parseFixedPoint(`0.${zeros}`, 8), 0n);
  t.equal(parseFixedPoint('1200.0340', 8), 120_003_400_000n);
});

t.test('rejects members named like properties of Object.prototype', async (t) => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    const object = json(`{"${name}":1}`) as JsonObject;
    gives(t, `-3 Unexpected key ${name}`, () => checkMembers(object, { a: 'string' }, { allowNull: true, strict: true }));
  }
});

t.test('getters reject values of another type or range with the messages of Core', async (t) => {
  t.equal(asInt(json('-0')), 0);
  t.equal(asInt(json('2147483647')), 2147483647);
  for (const text of ['2147483648', '-2147483649', '1.0', '1e0', '0.1e1', '99999999999999999999', '1E0', '10e-1']) {
    gives(t, '-1 JSON integer out of range', () => asInt(json(text)), text);
  }
  for (const text of ['"1"', 'null', '[1]', 'true', '{}']) gives(t, '-1 JSON value is not an integer as expected', () => asInt(json(text)));
  t.equal(asInt64(json('-9223372036854775808')), -9223372036854775808n);
  gives(t, '-1 JSON integer out of range', () => asInt64(json('9223372036854775808')));
  t.equal(asDouble(json('1e3')), 1000);
  gives(t, '-1 JSON double out of range', () => asDouble(json('1e999')));
  gives(t, '-1 JSON value is not a number as expected', () => asDouble(json('"1"')));
  gives(t, '-1 JSON value is not a string as expected', () => asString(json('5')));
  gives(t, '-1 JSON value is not a string as expected', () => asString(undefined));
  gives(t, '-1 JSON value is not a boolean as expected', () => asBool(json('0')));
  gives(t, '-1 JSON value is not an object as expected', () => asObject(json('[]')));
});

t.test('type checks accept matching arguments and name the first that does not match', async (t) => {
  const args = json('["a",1]') as JsonValue[];
  gives(t, 'none', () => checkTypes(args, ['string', 'number', 'bool']));
  gives(t, '-3 Expected type array, got string', () => checkTypes(args, ['array']));
  gives(t, '-3 Expected type array, got null', () => checkTypes([null], ['array']));
  gives(t, 'none', () => checkTypes([null], ['array'], true));
  const object = json('{"a":1,"k":"x"}') as JsonObject;
  gives(t, 'none', () => checkMembers(object, { a: 'number', k: 'string' }));
  gives(t, '-3 Expected type string for a, got number', () => checkMembers(object, { a: 'string' }));
  gives(t, '-3 Missing z', () => checkMembers(object, { z: 'string' }));
  gives(t, '-3 Unexpected key k', () => checkMembers(object, { a: null }, { strict: true }));
});

t.test('parses hashes and hex, and rejects another length or other characters', async (t) => {
  const hash = `${'AB'.repeat(31)}01`;
  t.equal(asHashHex(hash, 'txid'), hash.toLowerCase());
  t.equal(asHash(hash, 'txid')[0], 1);
  gives(t, "-8 blockhash must be of length 64 (not 2, for 'zz')", () => asHash('zz', 'blockhash'));
  gives(t, `-8 x must be hexadecimal string (not '${'g'.repeat(64)}')`, () => asHash('g'.repeat(64), 'x'));
  gives(t, `-8 x must be of length 64 (not 66, for '${'é'.repeat(33)}')`, () => asHash('é'.repeat(33), 'x'), 'bytes are counted');
  gives(t, "-8 argument must be hexadecimal string (not '5')", () => asHex('5', 'argument'));
  gives(t, "-8 argument must be hexadecimal string (not '')", () => asHex('', 'argument'));
  t.match(
    error(() => asHex('\u0130\u0130', 'x')),
    /must be hexadecimal string/,
  );
  t.same(asHex('00ff', 'x'), Uint8Array.of(0, 255));
});

t.test('parses amounts exactly and rejects those that are malformed or out of range', async (t) => {
  const good: [string, number][] = [
    ['0', 0],
    ['-0', 0],
    ['0.00000001', 1],
    ['1e-8', 1],
    ['1E1', 1_000_000_000],
    ['0.1e1', 100_000_000],
    ['21000000', 2_100_000_000_000_000],
    ['1.000000000', 100_000_000],
    ['0.123456780', 12345678],
    ['2.1e+7', 2_100_000_000_000_000],
    ['1e01', 1_000_000_000],
    ['1000000000e-16', 10],
    ['"1.5"', 150_000_000],
    ['"-0.0"', 0],
  ];
  for (const [text, sats] of good) t.equal(asAmount(json(text)), sats, text);
  for (const text of ['-1', '-0.00000001', '21000000.00000001']) gives(t, '-3 Amount out of range', () => asAmount(json(text)), text);
  const bad = [
    '1e-9',
    '0.000000001',
    '1e19',
    '0e400',
    '"00"',
    '"1e+"',
    '"1,5"',
    '"Infinity"',
    '"abc"',
    '""',
    '" 1"',
    '"1 "',
    '"+1"',
    '".5"',
    '"1."',
    '"0x1"',
    '"92233720368.54775808"',
    '"12345678901234567890"',
    '"１"',
  ];
  for (const text of bad) gives(t, '-3 Invalid amount', () => asAmount(json(text)), text);
  for (const text of ['true', 'null', '[]', '{}']) gives(t, '-3 Amount is not a number or string', () => asAmount(json(text)), text);
  t.equal(parseFixedPoint('-92233720368.54775807', 8), null);
  t.equal(parseFixedPoint('-1.5', 1), -15n);
  t.equal(parseFixedPoint('9999999999.99999999', 8), 999999999999999999n);
  t.equal(parseFixedPoint('10000000000', 8), null);
});

t.test('getblocktemplate checks its request before the state of the node', async (t) => {
  const request = (text: string) => () => parseTemplateRequest((json(text) as JsonValue[])[0] ?? null);
  for (const text of ['[1]', '["template"]', '[[]]', '[true]']) t.equal(error(request(text)), '-1 JSON value is not an object as expected');
  for (const text of ['[{"mode":1}]', '[{"mode":{}}]', '[{"mode":"disable"}]', '[{"mode":"Template","rules":["segwit"]}]']) {
    t.equal(error(request(text)), '-8 Invalid mode', text);
  }
  t.equal(
    error(request('[{"rules":["segwit",null],"mode":"nope"}]')),
    '-1 JSON value is not a string as expected',
    'rules come before the mode',
  );
  for (const text of ['[{"mode":"proposal"}]', '[{"mode":"proposal","data":1}]'])
    t.equal(error(request(text)), '-3 Missing data String key for proposal');
  t.same(request('[{"mode":"proposal","data":"00","rules":[1]}]')(), {
    mode: 'proposal',
    data: '00',
    rules: [],
    longPollId: null,
    light: false,
    limits: null,
  });
  t.same(request('[]')(), request('[null]')());
  t.same(request('[{"rules":"segwit","mode":null,"longpollid":true}]')(), {
    mode: 'template',
    data: '',
    rules: [],
    longPollId: true,
    light: false,
    limits: null,
  });
  t.equal(request('[{"longpollid":{}}]')().longPollId, true, 'a value that is not a string');
  t.equal(request('[{"longpollid":"00"}]')().longPollId, '00');
  t.equal(request('[{"capabilities":["coinbasevalue","light"]}]')().light, true);
});
