// Compares JSON with the recorded bytes of a real node: which texts the reader accepts and refuses, the form in which
// the writer writes values, and the conversion of requests to entries and of outcomes to replies.

import t from 'tap';
import { RPC_CODE, RpcError } from '../../../src/rpc/errors.js';
import { BatchReply, ReplyQuota } from '../../../src/rpc/wire/batch-reply.js';
import { JsonBytes } from '../../../src/rpc/wire/json-bytes.js';
import { JsonReader, parseJson } from '../../../src/rpc/wire/json-parse.js';
import { JsonParseError } from '../../../src/rpc/wire/json-tokens.js';
import { encodeJson, encodeString, formatAmount, formatDouble } from '../../../src/rpc/wire/json-write.js';
import { Pieces } from '../../../src/rpc/wire/pieces.js';
import { encodeEnvelope, faultReply, type Outcome, type Reply, singleReply } from '../../../src/rpc/wire/reply.js';
import { RequestBody, type RequestEntry, RequestScan, scanRequest } from '../../../src/rpc/wire/request.js';
import { Amount, Double, type JsonNumber, JsonObject, type JsonValue, RawBytes, RawJson } from '../../../src/rpc/wire/values.js';
import { fc } from '../../framework/fast-check.js';

fc.configureGlobal({ seed: 20261121, numRuns: 400 });

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const echo = (text: string): string => encodeJson(parseJson(bytes(text)));
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

t.test('writes parsed JSON back with the same numbers, strings and order of members', async (t) => {
  const same = ['[1.0,1e3,12345678901234567890,{"b":1,"a":2,"b":3}]', '0', '-0', '-0.0e+00', 'true', 'null', '[]', '{}', '""', '"é€😀"'];
  for (const text of same) t.equal(echo(text), text);
  t.equal(echo(' \t\r\n[ 1 , { "a" : [ ] } ]\n'), '[1,{"a":[]}]');
  t.equal(echo('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u0001/\\u007f"'), '"\\"\\\\/\\b\\f\\n\\r\\tAé\\u0001/\\u007f"');
  t.equal(echo('"\\ud83d\\ude00"'), '"😀"');
  t.equal(echo('"a\\u0000b"'), '"a\\u0000b"');
  t.equal(echo(nested(512)), nested(512));
});

t.test('rejects text that is not JSON', async (t) => {
  const texts = [
    '',
    ' ',
    ...'junk { [ } ] [1,] [,1] {"a":1,} {,} {"a"}'.split(' '),
    '{"a" 1}',
    '{a:1}',
    "{'a':1}",
    ...'[1} {"a":1] 01 -01 00 - +1 .5 1. 1.e1 1e 1e+ 0x1 NaN -Infinity undefined True nul truefalse'.split(' '),
    'true false',
    '[1 2]',
    '1 x',
    '{} x',
    '\ufeff{}',
    '"',
    '"abc',
    '"\\x41"',
    '"\\a"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\',
    '"a\tb"',
    '"a\nb"',
    '"\\ud83d"',
    '"\\ude00"',
    '"\\ude00\\ud83d"',
    '"\\ud83dx"',
    '"\\ud83d\\n"',
    '"\\ud83d\\ud83d\\ude00"',
    '\u00a0{}',
    '{}\u0000',
    '// x\n1',
    nested(513),
    '['.repeat(100_000),
    `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`,
  ];
  for (const text of texts) t.throws(() => parseJson(bytes(text)), JsonParseError, text.slice(0, 40));
  for (const raw of [
    [0x22, 0x80, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
    [0x22, 0xc3, 0x22],
  ]) {
    t.throws(() => parseJson(Uint8Array.from(raw)), JsonParseError);
  }
});

t.test('parses any JSON value like JSON.parse', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      return JSON.stringify(JSON.parse(echo(text))) === JSON.stringify(JSON.parse(text));
    }),
  );
  t.pass();
});

t.test('get returns the first of equal keys, and size counts all of them', async (t) => {
  const object = parseJson(bytes('{"a":1,"b":2,"a":3}')) as JsonObject;
  t.equal((object.get('a') as JsonNumber).text, '1');
  t.equal(object.size, 3);
  t.equal(object.get('c'), undefined);
  t.equal(object.has('b'), true);
});

t.test('formats doubles and amounts as Core prints them', async (t) => {
  const doubles: [number, string][] = [
    [4.656542373906925e-10, '4.656542373906925e-10'],
    [11.428571428571429, '11.42857142857143'],
    [1e20, '1e+20'],
    [1e16, '1e+16'],
    [1e15, '1000000000000000'],
    [1.2345678901234568e17, '1.234567890123457e+17'],
    [4.45302341023208e-7, '4.45302341023208e-07'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [0.1 + 0.2, '0.3'],
    [0.003333333333333334, '0.003333333333333334'],
    [8.249894512530459e-7, '8.249894512530459e-07'],
    [1, '1'],
    [0, '0'],
    [-2.5, '-2.5'],
    [5e-324, '4.940656458412465e-324'],
  ];
  for (const [value, text] of doubles) t.equal(formatDouble(value), text);
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), (value) => {
      const back = Number(formatDouble(value));
      return value === 0 ? back === 0 : Math.abs(back - value) <= Math.abs(value) * 1e-15;
    }),
  );
  const amounts: [number | bigint, string][] = [
    [0, '0.00000000'],
    [1, '0.00000001'],
    [-1, '-0.00000001'],
    [123456789, '1.23456789'],
    [2_100_000_000_000_000, '21000000.00000000'],
    [-9223372036854775808n, '-92233720368.54775808'],
  ];
  for (const [sats, text] of amounts) t.equal(formatAmount(sats), text);
});

t.test('encodes results with exact amounts and without undefined members', async (t) => {
  const result = {
    a: new Amount(5),
    b: undefined,
    c: new Double(2),
    d: new RawJson('[1, 2]'),
    e: [null, true, -3, 7n, 'x"'],
    f: {},
    g: 0.5,
  };
  t.equal(encodeJson(result), '{"a":0.00000005,"c":2,"d":[1, 2],"e":[null,true,-3,7,"x\\""],"f":{},"g":0.5}');
  t.equal(encodeString('\u007f\u001f/\u0080'), '"\\u007f\\u001f/\u0080"');
  t.equal(encodeJson(-0), '0');
});

const OK: Outcome = { result: '281' };
const entriesOf = (body: RequestBody): RequestEntry[] => Array.from({ length: body.length }, (_, i) => body.at(i));
const assembleReply = (scanned: RequestBody | RpcError, outcomes: readonly Outcome[]): Reply => {
  if (scanned instanceof RpcError) return faultReply(scanned);
  if (!scanned.isBatch) return singleReply(scanned.at(0), outcomes[0]!);
  const reply = new BatchReply(new ReplyQuota());
  entriesOf(scanned).forEach((entry, i) => {
    reply.add(entry, outcomes[i]!);
  });
  return reply.finish();
};
const answer = (body: string, options = { version2: true }): Reply => {
  const scanned = scanRequest(bytes(body), options);
  const entries = scanned instanceof RpcError ? [] : entriesOf(scanned);
  return assembleReply(
    scanned,
    entries.map((entry) => (entry.error ? { error: entry.error } : OK)),
  );
};

t.test('answers each form of request with the envelope and HTTP status of Core', async (t) => {
  const parse = '{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}\n';
  const top = '{"result":null,"error":{"code":-32700,"message":"Top-level object parse error"},"id":null}\n';
  const invalid = (message: string, id = 'null') => `{"result":null,"error":{"code":-32600,"message":"${message}"},"id":${id}}`;
  const cases: [string, number, string][] = [
    ['junk', 500, parse],
    ['', 500, parse],
    ['"str"', 500, top],
    ['5', 500, top],
    ['[]', 200, '[]\n'],
    ['{"id":7}', 400, `${invalid('Missing method', '7')}\n`],
    ['{"id":7,"method":null}', 400, `${invalid('Missing method', '7')}\n`],
    ['{"method":5,"id":[1]}', 400, `${invalid('Method must be a string', '[1]')}\n`],
    ['{"method":"x","params":5,"id":null}', 400, `${invalid('Params must be an array or object')}\n`],
    ['{"method":"uptime","params":[],"id":null}', 200, '{"result":281,"error":null,"id":null}\n'],
    ['{"method":"uptime","params":null,"id":[]}', 200, '{"result":281,"error":null,"id":[]}\n'],
    ['{"method":"uptime","id":1.50}', 200, '{"result":281,"error":null,"id":1.50}\n'],
    ['{"method":"uptime","id":"x","id":"y"}', 200, '{"result":281,"error":null,"id":"x"}\n'],
    ['{"method":"uptime","id":{"b":1,"a":1.10,"b":[]}}', 200, '{"result":281,"error":null,"id":{"b":1,"a":1.10,"b":[]}}\n'],
    ['{"version":"1.1","method":"uptime"}', 200, '{"result":281,"error":null}\n'],
    ['{"jsonrpc":"1.1","method":"uptime"}', 200, '{"result":281,"error":null}\n'],
    ['{"jsonrpc":2,"method":"uptime","id":1}', 400, `${invalid('jsonrpc field must be a string', '1')}\n`],
    ['{"jsonrpc":"3.0","method":"uptime","id":1}', 400, `${invalid('JSON-RPC version not supported', '1')}\n`],
    [
      '[1,{"method":5,"id":3},{"method":"uptime","id":null,"params":"x"}]',
      200,
      `[${invalid('Invalid Request object')},${invalid('Method must be a string', '3')},${invalid('Params must be an array or object')}]\n`,
    ],
    ['[[]]', 200, `[${invalid('Invalid Request object')}]\n`],
    ['{"jsonrpc":"2.0","method":"uptime","id":9}', 200, '{"jsonrpc":"2.0","result":281,"id":9}\n'],
    ['{"jsonrpc":"2.0","method":"uptime","id":null}', 200, '{"jsonrpc":"2.0","result":281,"id":null}\n'],
    ['{"jsonrpc":"2.0","method":"uptime"}', 204, ''],
    ['[{"jsonrpc":"2.0","method":"uptime"}]', 204, ''],
    [
      '[{"jsonrpc":"2.0","method":"uptime","id":9},5,{"method":"uptime"},{"jsonrpc":"2.0","method":"uptime"}]',
      200,
      `[{"jsonrpc":"2.0","result":281,"id":9},${invalid('Invalid Request object')},{"result":281,"error":null}]\n`,
    ],
    ['{"jsonrpc":"2.0","method":5}', 400, '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Method must be a string"}}\n'],
  ];
  for (const [body, status, text] of cases) t.same(answer(body), { status, body: text }, body);
});

t.test('maps error codes to HTTP statuses by JSON-RPC version', async (t) => {
  const reply = (body: string, code: number) => {
    const parsed = scanRequest(bytes(body), { version2: true });
    return assembleReply(parsed, [{ error: new RpcError(code, 'x') }]).status;
  };
  t.equal(reply('{"method":"a"}', RPC_CODE.METHOD_NOT_FOUND), 404);
  t.equal(reply('{"method":"a"}', RPC_CODE.INVALID_REQUEST), 400);
  t.equal(reply('{"method":"a"}', RPC_CODE.MISC_ERROR), 500);
  t.equal(reply('{"jsonrpc":"2.0","id":1,"method":"a"}', RPC_CODE.METHOD_NOT_FOUND), 200);
  t.equal(reply('[{"method":"a"}]', RPC_CODE.METHOD_NOT_FOUND), 200);
  t.equal(
    encodeEnvelope({ idText: '1', hasId: true, version: 1 }, { error: new RpcError(-1, 'a\n"') }),
    '{"result":null,"error":{"code":-1,"message":"a\\n\\""},"id":1}',
  );
});

t.test('ignores the jsonrpc member without -jsonrpc2', async (t) => {
  const old = { version2: false };
  const reply = { status: 200, body: '{"result":281,"error":null,"id":null}\n' };
  t.same(answer('{"jsonrpc":"2.0","method":"uptime"}', old), reply);
  t.same(answer('[{"jsonrpc":"2.0","method":"uptime"}]', old), { status: 200, body: '[{"result":281,"error":null,"id":null}]\n' });
  const parsed = scanRequest(bytes('{"jsonrpc":"2.0","method":"uptime"}'));
  t.same(assembleReply(parsed, [OK]), reply, 'the default');
  t.equal(assembleReply(parsed, [{ error: new RpcError(RPC_CODE.METHOD_NOT_FOUND, 'x') }]).status, 404);
});

/** Describes the requests of a body by a naive reading of its value; null if it is not JSON. */
function naively(body: string): unknown {
  let value: JsonValue;
  try {
    value = parseJson(bytes(body));
  } catch {
    return null;
  }
  if (!(value instanceof JsonObject) && !Array.isArray(value)) return null;
  return (Array.isArray(value) ? value : [value]).map((one) => {
    if (!(one instanceof JsonObject)) return ['', 'null', 'Invalid Request object'];
    const [id, method, params] = ['id', 'method', 'params'].map((name) => one.get(name));
    const right = params === undefined || params === null || Array.isArray(params) || params instanceof JsonObject;
    const idText = id === undefined ? 'null' : encodeJson(id);
    if (typeof method === 'string' && right) return [method, idText, encodeJson(params ?? [])];
    return [
      '',
      idText,
      typeof method === 'string'
        ? 'Params must be an array or object'
        : (method ?? null) === null
          ? 'Missing method'
          : 'Method must be a string',
    ];
  });
}

/** Describes the requests of a body that was scanned in slices. */
function scanned(body: string, ms: number): unknown {
  const scan = new RequestScan().start(bytes(body));
  while (!scan.goOn(ms));
  if (scan.fault !== null) return null;
  return entriesOf(new RequestBody(bytes(body), scan.index)).map(({ method, idText, error, params }) => [
    method,
    idText,
    error?.message ?? encodeJson(params as JsonValue),
  ]);
}

t.test('a scan finds the same requests as a parser that creates all values', async (t) => {
  const bodies = [
    '[]',
    '[ ]',
    '[{}]',
    '[1,[],{"method":"x","id":[1,{"a":"]"}]} , "a,b" ,null,-0.5e3]',
    '[{"method":"x","params":{"a":[[],[1]]}},{"jsonrpc":"2.0","method":"y"}]',
    '{"method":"x","id":1,"params":[ ],"id":2,"params":[1],"method":"y"}',
    '{"m\\u0065thod":"\\u0078","\\u0069d":"\\u0041","params":{"method":"z","id":7}}',
    '{"method":"é","id":"é"}',
    '{"id":1,"method":0}',
    '{"method":"x","params":"[]"}',
    '[,]',
    '[1,]',
    '[1 2]',
    '[1',
    '[1,',
    '[1]]',
    '[1]x',
    '[{"a":1]',
    `[${'['.repeat(510)}${']'.repeat(510)}]`,
    `[${'['.repeat(511)}${']'.repeat(511)}]`,
    `[1,${'['.repeat(512)}${']'.repeat(512)}]`,
    `[${'{},'.repeat(5000)}"\u00e9é"]`,
  ];
  for (const body of bodies) t.same(scanned(body, 0), naively(body), body.slice(0, 40));
  const members = fc.constantFrom('id', 'method', 'params', 'jsonrpc', 'm\\u0065thod');
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('getblock', '2.0', '1.0')).map((one) => JSON.stringify(one));
  const request = fc
    .array(fc.tuple(members, value), { maxLength: 6 })
    .map((all) => `{${all.map(([name, one]) => `"${name}":${one}`).join(',')}}`);
  const body = fc.oneof(
    request,
    value,
    fc.array(fc.oneof(request, value)).map((all) => `[${all.join(' , ')}]`),
  );
  fc.assert(
    fc.property(body, fc.nat(), fc.constantFrom('', '"', ']', '\\', '\u0001'), (text, at, put) => {
      const changed = put === '' ? text : `${text.slice(0, at % text.length)}${put}${text.slice(at % text.length)}`;
      return JSON.stringify(scanned(changed, 0)) === JSON.stringify(naively(changed));
    }),
  );
});

t.test('stops a batch whose reply exceeds its own or the common limit', async (t) => {
  const [one, silent] = ['{"method":"a","id":null}', '{"jsonrpc":"2.0","method":"b"}'].map((text) =>
    (scanRequest(bytes(text), { version2: true }) as RequestBody).at(0),
  );
  const text = '{"result":281,"error":null,"id":null}';
  const room = new ReplyQuota({ each: 100, all: 120 });
  const first = new BatchReply(room);
  first.add(one, OK);
  first.add(silent, OK);
  first.add(one, OK);
  t.equal(first.full, false);
  first.add(one, OK);
  t.equal(first.full, true, 'more than one batch may take');
  const second = new BatchReply(room);
  second.add(one, OK);
  second.add(one, OK);
  t.equal(second.full, true, 'more than all of them may take');
  t.same(second.finish(), {
    status: 500,
    body: '{"result":null,"error":{"code":-7,"message":"The reply of this batch is too large; entries after number 2 were not executed"},"id":null}\n',
  });
  const third = new BatchReply(room);
  third.add(one, OK);
  t.same(third.finish(), { status: 200, body: `[${text}]\n` }, 'a finished reply releases its share of the limit');
  t.match(first.finish().body, /after number 4 were not executed/);
  // Large replies are arrays of bytes, which can be transferred to another thread.
  const large = new BatchReply(new ReplyQuota());
  const half = JSON.stringify('é'.repeat(600_000));
  for (let i = 0; i < 5; i++) large.add(one, { result: half });
  const { body } = large.finish();
  t.ok(body instanceof Uint8Array && body.buffer.byteLength === body.length);
  t.equal(Buffer.from(body as Uint8Array).toString(), `[${Array(5).fill(`{"result":${half},"error":null,"id":null}`).join(',')}]\n`);
});

t.test('reads large JSON in time slices with the same outcome as at once', async (t) => {
  const long = 'x'.repeat(200_000);
  const wide = `${'é'.repeat(50_000)}${long}`;
  const rows = Array.from({ length: 3000 }, (_, i) => `{"a":[${i},{"b":[]},{}],"${i}":"\\u00e9${i}","a":null}`).join(' , ');
  const texts = [
    `{"method":"m","params":[${rows}]}`,
    `{"${long}":"${wide}","${wide}":[["${long}\\n${long}","\\ud83d\\ude00${wide}"],true]}`,
    `"${'\\"'.repeat(100_000)}"`,
    ...['', 'x', 'xx', 'xxx'].map((lead) => `["${lead}${'\u{1f600}'.repeat(70_000)}${'é'.repeat(70_000)}${'€'.repeat(70_000)}"]`),
    `[${'[1,2],'.repeat(20_000)}{"a":-0.5e3}]`,
  ];
  const mutated = texts.flatMap((text) => [text.slice(0, -1), `${text}]`, text.replace(/.(.{40})$/, '\u0001$1')]);
  const inTurns = (text: string): { value?: unknown; turns: number } => {
    const reader = new JsonReader(bytes(text));
    for (let turns = 1; ; turns++) {
      const value = reader.read(0);
      if (value !== undefined) return { value, turns };
    }
  };
  for (const text of texts) {
    const { value, turns } = inTurns(text);
    t.ok(encodeJson(value as JsonValue) === echo(text), text.slice(0, 20));
    t.ok(turns > 3, `${turns} turns`);
  }
  const stray = bytes(`["${'é'.repeat(300_000)}"]`);
  stray[400_001] = 0x78;
  t.throws(() => parseJson(stray), JsonParseError, 'half a character');
  t.throws(() => parseJson(bytes(`["${'é'.repeat(300_000)}"]`).fill(0xa9, 70_000, 70_010)), JsonParseError, 'too many halves');
  for (const text of mutated) {
    t.throws(() => inTurns(text), JsonParseError);
    t.throws(() => parseJson(bytes(text)), JsonParseError);
  }
  // A batch may consist of one entry that is as long as the batch.
  const steps = (body: string): { steps: number; requests: RequestBody } => {
    const given = bytes(body);
    const scan = new RequestScan().start(given);
    let count = 1;
    while (!scan.goOn(-1)) count++;
    return { steps: count, requests: new RequestBody(given, scan.index) };
  };
  const batch = steps(`[1,{"method":"x","params":[${texts[0]}]},${texts[1]}]`);
  t.ok(batch.steps > 20, `${batch.steps} steps`);
  t.ok(encodeJson(batch.requests.at(1).params as JsonValue) === echo(`[${texts[0]!}]`));
  t.equal(batch.requests.length, 3);
  // Values that are almost long enough for a pause within them.
  const rest = Array(100)
    .fill(`"${'x'.repeat(63_000)}"`)
    .join(',');
  t.ok(inTurns(`{"params":[${rest}]}`).turns > 40);
  t.ok(steps(`[${rest}]`).steps > 40);
});

t.test('rejects a request of more than 2,000,000 values, but not a longer batch', async (t) => {
  const many = `[${'1,'.repeat(2_000_000)}1]`;
  const text = 'Parse error: more than 2000000 values in one request';
  t.throws(() => parseJson(bytes(many)), { message: text });
  t.match(scanRequest(bytes(`{"params":${many}}`)), { code: -32700, message: text });
  t.equal((scanRequest(bytes(many)) as RequestBody).length, 2_000_001);
  t.match(scanRequest(bytes(`[${many}]`)), { message: text });
});

t.test('Pieces joins any number of pieces', async (t) => {
  for (const count of [0, 1, 2, 63, 64, 65, 128, 200]) {
    const all = Array.from({ length: count }, (_, i) => String(i));
    const pieces = new Pieces(', ');
    for (const one of all) pieces.add(one);
    t.equal(pieces.text(), all.join(', '), String(count));
    t.equal(pieces.text(), all.join(', '), 'asked again');
  }
});

t.test('JsonBytes writes amounts of any size', async (t) => {
  for (const sats of [0, -1, 2 ** 32, 2 ** 53 - 1, 2 ** 32 * 1e8, 2 ** 59, -(2 ** 59)]) {
    const out = new JsonBytes();
    out.amount(sats);
    t.equal(out.toString(), encodeJson(new Amount(sats)));
  }
});

t.test('JsonBytes reserves little more memory than it writes', async (t) => {
  for (const size of [100, 5_000, 700_000, 1_100_000, 12_000_000]) {
    const out = new JsonBytes();
    while (out.size < size) {
      out.beginEntry();
      out.text('x'.repeat(1000));
    }
    const parts = out.parts();
    const reserved = parts.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    t.ok(reserved <= 1.2 * out.size + 8_192, `${out.size} bytes in ${reserved}`);
  }
});

t.test('JsonBytes writes the same bytes as encodeJson, over several parts', async (t) => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 300 }),
          fc.maxSafeInteger(),
          fc.integer({ min: -5, max: 105 }),
          fc.uint8Array({ minLength: 32, maxLength: 32 }),
        ),
        { maxLength: 60 },
      ),
      (items) => {
        const out = new JsonBytes();
        let expected = '';
        for (const item of items) {
          out.beginEntry();
          if (typeof item === 'string') {
            out.string(item);
            expected += encodeString(item);
          } else if (typeof item === 'number') {
            out.int(item);
            out.text(' ');
            out.amount(item);
            expected += `${encodeJson(item)} ${formatAmount(item)}`;
          } else {
            out.hash(item);
            expected += `"${Buffer.from(item).reverse().toString('hex')}"`;
          }
        }
        return out.toString() === Buffer.from(expected).toString() && out.size === Buffer.byteLength(expected);
      },
    ),
  );
  // The text has several parts, and entries are taken back at any position.
  const out = new JsonBytes();
  const expected: string[] = [];
  for (let i = 0; i < 12_000; i++) {
    out.beginEntry();
    const start = out.at;
    out.text(`entry ${i} ${'ä'.repeat(i % 300)}`);
    out.repeatText(start, start + 5);
    if (i % 3 === 0) {
      out.drop(start);
      continue;
    }
    const text = `entry ${i} ${'ä'.repeat(i % 300)}entry`;
    if (i % 3 === 1) t.equal(out.takeText(start), text);
    else {
      out.text(',');
      expected.push(text);
    }
  }
  while (out.at < 900_000) out.text('-'.repeat(1000));
  out.text('-'.repeat(200_000));
  const tail = '-'.repeat(out.size - Buffer.byteLength(`${expected.join(',')},`));
  out.beginEntry();
  out.dropLast();
  t.ok(out.parts().length > 1);
  t.ok(out.toString() === `${expected.join(',')},${tail.slice(1)}`);

  const entry = (scanRequest(Buffer.from('{"id":"7","method":"m"}')) as RequestBody).at(0);
  const reply = singleReply(entry, { result: [Buffer.from('["ä'), Buffer.from('"]')] });
  t.same(reply.status, 200);
  t.equal(Buffer.from(reply.body as Uint8Array).toString(), singleReply(entry, { result: '["ä"]' }).body);
  t.equal(encodeEnvelope(entry, { result: [Buffer.from('[1'), Buffer.from(']')] }), encodeEnvelope(entry, { result: '[1]' }));
  t.equal(encodeJson([new RawBytes([Buffer.from('{'), Buffer.from('}')])]), '[{}]');
});
