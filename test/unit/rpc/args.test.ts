// Tests the readers of arguments with their codes and texts, amounts, hashes, and the arguments of getblocktemplate.
import t from 'tap';
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
    t.equal(
      error(() => checkMembers(object, { a: 'string' }, { allowNull: true, strict: true })),
      `-3 Unexpected key ${name}`,
    );
  }
});

t.test('getters reject values of another type or range with the messages of Core', async (t) => {
  t.equal(asInt(json('-0')), 0);
  t.equal(asInt(json('2147483647')), 2147483647);
  for (const text of ['2147483648', '-2147483649', '1.0', '1e0', '0.1e1', '99999999999999999999', '1E0', '10e-1']) {
    t.equal(
      error(() => asInt(json(text))),
      '-1 JSON integer out of range',
      text,
    );
  }
  for (const text of ['"1"', 'null', '[1]', 'true', '{}'])
    t.equal(
      error(() => asInt(json(text))),
      '-1 JSON value is not an integer as expected',
    );
  t.equal(asInt64(json('-9223372036854775808')), -9223372036854775808n);
  t.equal(
    error(() => asInt64(json('9223372036854775808'))),
    '-1 JSON integer out of range',
  );
  t.equal(asDouble(json('1e3')), 1000);
  t.equal(
    error(() => asDouble(json('1e999'))),
    '-1 JSON double out of range',
  );
  t.equal(
    error(() => asDouble(json('"1"'))),
    '-1 JSON value is not a number as expected',
  );
  t.equal(
    error(() => asString(json('5'))),
    '-1 JSON value is not a string as expected',
  );
  t.equal(
    error(() => asString(undefined)),
    '-1 JSON value is not a string as expected',
  );
  t.equal(
    error(() => asBool(json('0'))),
    '-1 JSON value is not a boolean as expected',
  );
  t.equal(
    error(() => asObject(json('[]'))),
    '-1 JSON value is not an object as expected',
  );
});

t.test('type checks accept matching arguments and name the first that does not match', async (t) => {
  const args = json('["a",1]') as JsonValue[];
  t.equal(
    error(() => checkTypes(args, ['string', 'number', 'bool'])),
    'none',
  );
  t.equal(
    error(() => checkTypes(args, ['array'])),
    '-3 Expected type array, got string',
  );
  t.equal(
    error(() => checkTypes([null], ['array'])),
    '-3 Expected type array, got null',
  );
  t.equal(
    error(() => checkTypes([null], ['array'], true)),
    'none',
  );
  const object = json('{"a":1,"k":"x"}') as JsonObject;
  t.equal(
    error(() => checkMembers(object, { a: 'number', k: 'string' })),
    'none',
  );
  t.equal(
    error(() => checkMembers(object, { a: 'string' })),
    '-3 Expected type string for a, got number',
  );
  t.equal(
    error(() => checkMembers(object, { z: 'string' })),
    '-3 Missing z',
  );
  t.equal(
    error(() => checkMembers(object, { a: null }, { strict: true })),
    '-3 Unexpected key k',
  );
});

t.test('parses hashes and hex, and rejects another length or other characters', async (t) => {
  const hash = `${'AB'.repeat(31)}01`;
  t.equal(asHashHex(hash, 'txid'), hash.toLowerCase());
  t.equal(asHash(hash, 'txid')[0], 1);
  t.equal(
    error(() => asHash('zz', 'blockhash')),
    "-8 blockhash must be of length 64 (not 2, for 'zz')",
  );
  t.equal(
    error(() => asHash('g'.repeat(64), 'x')),
    `-8 x must be hexadecimal string (not '${'g'.repeat(64)}')`,
  );
  t.equal(
    error(() => asHash('é'.repeat(33), 'x')),
    `-8 x must be of length 64 (not 66, for '${'é'.repeat(33)}')`,
    'bytes are counted',
  );
  t.equal(
    error(() => asHex('5', 'argument')),
    "-8 argument must be hexadecimal string (not '5')",
  );
  t.equal(
    error(() => asHex('', 'argument')),
    "-8 argument must be hexadecimal string (not '')",
  );
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
  for (const text of ['-1', '-0.00000001', '21000000.00000001'])
    t.equal(
      error(() => asAmount(json(text))),
      '-3 Amount out of range',
      text,
    );
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
  for (const text of bad)
    t.equal(
      error(() => asAmount(json(text))),
      '-3 Invalid amount',
      text,
    );
  for (const text of ['true', 'null', '[]', '{}'])
    t.equal(
      error(() => asAmount(json(text))),
      '-3 Amount is not a number or string',
      text,
    );
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
