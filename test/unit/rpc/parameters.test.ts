// Parameters of a call: types and values follow from the declaration.
import t from 'tap';
import { COMPATS } from '../../../src/policy/compat.js';
import { declare, type ParametersOf, parametersOf } from '../../../src/rpc/declare/parameters.js';
import { amount, arr, bool, bytes, hash, hex, num, obj, passphrase, str } from '../../../src/rpc/declare/parts.js';
import { versioned } from '../../../src/rpc/declare/versions.js';
import { RPC_CODE } from '../../../src/rpc/errors.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../../src/rpc/wire/values.js';

const spec = declare({
  name: 'give',
  category: 'util',
  runs: 'front',
  description: '',
  args: [
    hash('block', ''),
    num('verbosity|verbose', '', { default: '1' }),
    bool('later', '', { since: 25, default: 'false' }),
    str('mode', '', { oneOf: ['fast', 'slow'], refusal: { code: RPC_CODE.INVALID_PARAMETER, text: "No mode '%s'" }, default: 'slow' }),
    amount('fee', '', { default: '0.10' }),
    num('big', '', { as: 'int64', default: 'no limit' }),
    arr('list', '', { default: '[]' }, [hex('one', '')]),
    obj('options?', '', []),
    num('seen', '', { seesAbsence: true, default: '7' }),
    bytes('data?', '', { errorName: 'parameter 9' }),
    str('raw', '', { anyType: true, default: '""' }),
    num('early?', '', { checked: true }),
  ],
  results: [],
  examples: [],
});
type Given = ParametersOf<typeof spec>;

const read = (...args: JsonValue[]): Given => parametersOf(spec, args) as Given;
const of = (release: '0.21.1' | '31', ...args: JsonValue[]): Given => parametersOf(versioned(spec, COMPATS[release]), args) as Given;
const BLOCK = `${'00'.repeat(31)}ff`;

t.test('an omitted or null parameter has its default', async (t) => {
  for (const params of [read(BLOCK), read(BLOCK, ...Array<null>(11).fill(null))]) {
    // These annotations are a part of the test: the compiler checks them against the types that are inferred.
    const verbosity: number = params.verbosity;
    const mode: 'fast' | 'slow' = params.mode;
    const fee: number = params.fee;
    const big: bigint | undefined = params.big;
    const list: JsonValue[] = params.list;
    const options: JsonObject | undefined = params.options;
    const seen: number | undefined = params.seen;
    const data: Uint8Array | undefined = params.data;
    const raw: JsonValue = params.raw;
    t.same([params.block[0], params.block.length], [0xff, 32], 'a hash is in internal order');
    t.same([verbosity, params.later, mode, fee, big, list], [1, false, 'slow', 10_000_000, undefined, []]);
    t.same([options, seen, data, raw, params.early], [undefined, undefined, undefined, null, undefined]);
  }
});

t.test('a parameter is converted when it is read, with the error of its declaration', async (t) => {
  const params = read(
    '00',
    'x',
    true,
    'slower',
    'x',
    new JsonNumber('9223372036854775808'),
    true,
    [],
    new JsonNumber('1e3'),
    'zz',
    true,
    'x',
  );
  t.throws(() => params.early, { code: -3, message: 'Expected type number, got string' });
  t.throws(() => params.data, { code: -8, message: "parameter 9 must be hexadecimal string (not 'zz')" });
  t.equal(params.raw, true);
  t.throws(() => params.seen, { code: -1, message: 'JSON integer out of range' });
  t.throws(() => params.options, { code: -1, message: 'JSON value is not an object as expected' });
  t.throws(() => params.list, { code: -1, message: 'JSON value is not an array as expected' });
  t.throws(() => params.big, { code: -1, message: 'JSON integer out of range' });
  t.throws(() => params.fee, { code: -3, message: 'Invalid amount' });
  t.throws(() => params.mode, { code: -8, message: "No mode 'slower'" });
  t.equal(params.later, true);
  t.throws(() => params.verbosity, { code: -1, message: 'JSON value is not an integer as expected' });
  t.throws(() => params.block, { code: -8, message: "block must be of length 64 (not 2, for '00')" });
  const { big, fee } = read(BLOCK, null, null, null, '1.5', new JsonNumber('-9223372036854775808'));
  t.same([big, fee], [-(2n ** 63n), 150_000_000]);
});

t.test('an argument that the release does not have is absent', async (t) => {
  t.same([of('31', BLOCK, null, true, 'fast').later, of('31', BLOCK, null, true, 'fast').mode], [true, 'fast']);
  t.same([of('0.21.1', BLOCK, null, 'fast').later, of('0.21.1', BLOCK, null, 'fast').mode], [false, 'fast']);
});

t.test('a required parameter must not be null', async (t) => {
  t.throws(() => read(null).block, { code: -1, message: 'JSON value is not a string as expected' });
});

t.test('a passphrase is bytes: those taken out of the request, or the text up to a NUL', async (t) => {
  const secret = declare({ ...spec, args: [str('name', ''), passphrase('passphrase?', '')] });
  const text = (args: JsonValue[], taken?: object): string | undefined => {
    const secrets = taken && { taken: taken as never, index: 3 };
    const params = parametersOf(secret, args, secrets) as ParametersOf<typeof secret>;
    const found: Uint8Array | undefined = params.passphrase;
    return found && Buffer.from(found).toString();
  };
  t.equal(text(['w', 'open\0sesame']), 'open');
  t.equal(text(['w', null]), undefined);
  t.equal(text(['w', '*'], { passphrase: (index: number, at: number) => Buffer.from(`of ${index} at ${at}`) }), 'of 3 at 1');
});
