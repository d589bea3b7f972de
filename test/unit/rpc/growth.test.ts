// The work of a call grows linearly with the size of its arguments, so that one small call cannot occupy the node
// thread for seconds. Every method is called with long texts, long lists and objects of many members, and with valid
// input where that reaches further. The work is counted (framework/count-work), not timed.
import t from 'tap';
import type { ArgSpec } from '../../../src/rpc/declare/types.js';
import { openWorkCounter } from '../../framework/count-work.js';
import { rounds } from '../../framework/depth.js';

const counter = openWorkCounter();
const { METHODS } = await import('../../../src/rpc/declare/methods.js');
const { openFixture } = await import('../../framework/chain-fixture.js');
const { createMemoryWallet } = await import('../../framework/memory-wallet.js');
const { contextOf } = await import('../../framework/wallet-calls.js');
const { openExecutor } = await import('./executor-fixture.js');
const { encodeAddress } = await import('../../../src/address/address.js');
const { witnessProgramScript } = await import('../../../src/consensus/script/build-script.js');
const { createNativeCrypto } = await import('../../../src/crypto/native/index.js');
const { chainParams } = await import('../../../src/consensus/params/networks.js');
const { COMPATS } = await import('../../../src/policy/compat.js');

const SIZE = rounds(350, 500);
/**
 * If the size doubles, linear work grows by a factor of 2, sorting by about 2.2, and quadratic work by 4. Small work
 * stays below the slack: pauses between slices of the loop, caches, and lists of fixed length.
 */
const MOST_GROWTH = 2.8;
const SLACK = 100_000;

const hashes = createNativeCrypto();
const params = chainParams('regtest');
const hash = (i: number): string => i.toString(16).padStart(64, '0');
const address = (i: number): string => {
  const program = new Uint8Array(20);
  new DataView(program.buffer).setUint32(0, i);
  return encodeAddress(witnessProgramScript(0, program), params, hashes) as string;
};

/** Makes a JSON text with n elements. */
type Maker = (n: number) => string;

const list = (one: (i: number) => string, n: number): string => `[${Array.from({ length: n }, (_, i) => one(i)).join(',')}]`;
const members = (one: (i: number) => string, n: number): string => `{${Array.from({ length: n }, (_, i) => one(i)).join(',')}}`;
const text = (part: string, n: number): string => JSON.stringify(part.repeat(n));

/** Long texts that could cause much work in readers of amounts, hex, base58, descriptors, paths and key origins. */
const TEXTS: Record<string, Maker> = {
  zeros: (n) => text('00', n),
  fraction: (n) => JSON.stringify(`0.${'0'.repeat(n)}1`),
  letters: (n) => text('a', n),
  spaces: (n) => JSON.stringify(`a${' '.repeat(n)}b`),
  ones: (n) => text('1', n),
  base64: (n) => text('cHNi', n),
  opened: (n) => text('(', n),
  braces: (n) => text('tr({', n),
  steps: (n) => text('/0', n),
  commas: (n) => text('a,', n),
  colons: (n) => text('v:', n),
};
const NUMBERS: Record<string, Maker> = {
  fraction: (n) => `0.${'0'.repeat(n)}1`,
  digits: (n) => `1${'0'.repeat(n)}`,
  exponent: (n) => `1e${'0'.repeat(n)}1`,
};
const LISTS: Record<string, Maker> = {
  hashes: (n) => list((i) => `"${hash(i)}"`, n),
  addresses: (n) => list((i) => `"${address(i)}"`, n),
  outpoints: (n) => list((i) => `{"txid":"${hash(i)}","vout":${i}}`, n),
  numbers: (n) => list(String, n),
  objects: (n) => list((i) => `{"k${i}":1}`, n),
  lists: (n) => list(() => '[1]', n),
};
const OBJECTS: Record<string, Maker> = {
  members: (n) => members((i) => `"k${i}":1`, n),
  amounts: (n) => members((i) => `"${address(i)}":0.001`, n),
};

function makersOf({ type }: ArgSpec): Record<string, Maker> {
  switch (type) {
    case 'str':
    case 'hex':
      return TEXTS;
    case 'num':
    case 'range':
      return NUMBERS;
    case 'amount':
      return { ...NUMBERS, text: TEXTS.fraction };
    case 'arr':
      return LISTS;
    case 'obj':
    case 'obj-user-keys':
      return OBJECTS;
    case 'bool':
      return {};
  }
}

/** Returns a short value of the type, for the arguments before the long one. */
function short({ type }: ArgSpec): string {
  switch (type) {
    case 'str':
      return '"a"';
    case 'hex':
      return `"${hash(1)}"`;
    case 'num':
    case 'range':
    case 'amount':
      return '1';
    case 'arr':
      return '[]';
    case 'obj':
    case 'obj-user-keys':
      return '{}';
    case 'bool':
      return 'false';
  }
}

const output = (value: string) => (n: number) => members((i) => `"${address(i)}":${value}`, n);
const inputs = (n: number): string => list((i) => `{"txid":"${hash(i + 1)}","vout":${i}}`, n);
const key = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const leafKey = key.slice(2);
const le32 = (value: number): string => Buffer.from(Uint32Array.of(value).buffer).toString('hex');
/** Encodes a compact size in its shortest form; others are refused. */
const varint = (value: number): string =>
  value < 0xfd ? le32(value).slice(0, 2) : value < 0x1_0000 ? `fd${le32(value).slice(0, 4)}` : `fe${le32(value)}`;
/** Makes an unsigned transaction of n inputs and one output. */
const rawTx = (n: number): string =>
  `02000000${varint(n)}${Array.from({ length: n }, (_, i) => `${hash(i + 1)}${le32(i)}00ffffffff`).join('')}01${'00'.repeat(8)}015100000000`;
const psbt = (n: number): string => {
  const tx = rawTx(n);
  const size = varint(tx.length / 2);
  return Buffer.from(`70736274ff0100${size}${tx}00${'00'.repeat(n + 1)}`, 'hex').toString('base64');
};
const tree = (n: number, leaf: (i: number) => string, from = 0): string =>
  n === 1 ? leaf(from) : `{${tree(n >> 1, leaf, from)},${tree(n - (n >> 1), leaf, from + (n >> 1))}}`;
const prevTxs = (n: number): string =>
  list((i) => `{"txid":"${hash(i + 1)}","vout":${i},"scriptPubKey":"0014${hash(i).slice(24)}","amount":1}`, n);

/** Valid input, which the method reads to its end. */
const VALID: [method: string, name: string, params: (n: number) => string][] = [
  ['createrawtransaction', 'outputs', (n) => `[],${output('0.001')(n)}`],
  ['createrawtransaction', 'listed outputs', (n) => `[],${list((i) => `{"${address(i)}":1}`, n)}`],
  ['createrawtransaction', 'inputs', (n) => `${inputs(n)},{}`],
  ['createrawtransaction', 'an amount of many digits', (n) => `[],{"${address(1)}":0.${'0'.repeat(n)}1}`],
  ['createpsbt', 'inputs', (n) => `${inputs(n)},{}`],
  ['decoderawtransaction', 'inputs', (n) => `"${rawTx(n)}"`],
  ['decodescript', 'pushes', (n) => text('5175', n)],
  ['decodescript', 'keys', (n) => JSON.stringify(`51${`21${key}`.repeat(n)}60ae`)],
  ['decodepsbt', 'inputs', (n) => `"${psbt(n)}"`],
  ['analyzepsbt', 'inputs', (n) => `"${psbt(n)}"`],
  ['finalizepsbt', 'inputs', (n) => `"${psbt(n)}"`],
  ['utxoupdatepsbt', 'inputs', (n) => `"${psbt(n)}"`],
  ['utxoupdatepsbt', 'descriptors', (n) => `"${psbt(1)}",${list(() => `"pkh(${key})"`, n)}`],
  ['combinepsbt', 'copies', (n) => list(() => `"${psbt(1)}"`, n)],
  ['joinpsbts', 'inputs', (n) => `["${psbt(n)}","${psbt(1).replace('AQAA', 'AgAA')}"]`],
  ['converttopsbt', 'inputs', (n) => `"${rawTx(n)}"`],
  ['signrawtransactionwithkey', 'inputs', (n) => `"${rawTx(n)}",[],${prevTxs(n)}`],
  ['signrawtransactionwithwallet', 'inputs', (n) => `"${rawTx(n)}",${prevTxs(n)}`],
  ['walletprocesspsbt', 'inputs', (n) => `"${psbt(n)}"`],
  ['getdescriptorinfo', 'leaves', (n) => `"tr(${leafKey},${tree(n, () => `pk(${leafKey})`)})"`],
  [
    'getdescriptorinfo',
    'a miniscript leaf',
    (n) => `"tr(${leafKey},${'and_v(v:older(1),'.repeat(900)}pk(${leafKey})${')'.repeat(900)})${' '.repeat(n)}"`,
  ],
  ['getdescriptorinfo', 'a thresh of many', (n) => `"tr(${leafKey},thresh(1,pk(${leafKey})${`,a:older(1)`.repeat(n)}))"`],
  ['getdescriptorinfo', 'path', (n) => `"pkh([d34db33f${'/1'.repeat(n)}]${key})"`],
  [
    'getdescriptorinfo',
    'paths times leaves',
    (n) => {
      const xpub = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
      const paths = Array.from({ length: n >> 2 }, (_, i) => i).join(';');
      return `"tr(${leafKey},${tree(n, (i) => (i === 0 ? `pk(${xpub}/<${paths}>)` : `pk(${leafKey})`))})"`;
    },
  ],
  ['scantxoutset', 'objects', (n) => `"start",${list((i) => `"addr(${address(i)})"`, n)}`],
  ['importmulti', 'requests', (n) => list((i) => `{"scriptPubKey":{"address":"${address(i)}"},"timestamp":"now"}`, n)],
  ['importdescriptors', 'requests', (n) => list((i) => `{"desc":"addr(${address(i)})","timestamp":"now"}`, n)],
  ['lockunspent', 'outpoints', (n) => `true,${inputs(n)}`],
  ['sendmany', 'outputs', (n) => `"",${output('0.001')(n)}`],
  ['fundrawtransaction', 'inputs', (n) => `"${rawTx(n)}"`],
  ['walletcreatefundedpsbt', 'outputs', (n) => `[],${output('0.001')(n)}`],
  ['send', 'outputs', (n) => output('0.001')(n)],
  ['gettxoutproof', 'transactions', (n) => list((i) => `"${hash(i)}"`, n)],
  ['getblockstats', 'names', (n) => `0,${list((i) => `"k${i}"`, n)}`],
  ['verifymessage', 'message', (n) => `"${address(1)}","${'A'.repeat(88)}",${text('a', n)}`],
  ['addmultisigaddress', 'keys', (n) => `1,${list(() => `"${key}"`, n)}`],
  ['createmultisig', 'keys', (n) => `1,${list(() => `"${key}"`, n)}`],
];

/**
 * Yields calls of every method in which one argument is long, for each kind of long value that fits the argument's
 * type.
 */
function* declaredCalls(): Generator<[method: string, name: string, params: (n: number) => string[]]> {
  for (const { name, args } of METHODS.values()) {
    for (const [at, arg] of args.entries()) {
      const before = args.slice(0, at).map(short);
      const makers = Object.values(makersOf(arg));
      if (makers.length > 0) yield [name, arg.name, (n) => makers.map((make) => [...before, make(n)].join(','))];
    }
  }
}

/** These are not called: they would end the test, or wait for an event that does not occur. */
const LEFT_OUT = new Set(['stop', 'waitfornewblock', 'waitforblock', 'waitforblockheight']);

t.test('the work of every call grows linearly with the size of its arguments', async (t) => {
  const fixture = await openFixture({ network: 'regtest' });
  const { executor, context, events } = openExecutor(fixture, new Map(), COMPATS.default);
  const { wallet, tools } = await createMemoryWallet({ descriptors: false });
  Object.assign(context, { wallets: contextOf(wallet).wallets, spend: tools, descriptors: contextOf(wallet).descriptors });
  t.after(() => fixture.end());
  let replies = 0;
  const work = async (method: string, params: readonly string[]): Promise<number> =>
    counter.count(async () => {
      for (const one of params) {
        await executor.executeBody(Buffer.from(`{"method":"${method}","params":[${one}],"id":1}`), { user: '', uri: '/' });
        replies++;
      }
    });
  const valid = VALID.map(([method, name, params]) => [method, name, (n: number) => [params(n)]] as const);
  for (const [method, name, params] of [...valid, ...declaredCalls()]) {
    if (LEFT_OUT.has(method)) continue;
    const one = await work(method, params(SIZE));
    const four = await work(method, params(4 * SIZE));
    // More than linear work shows only above this line.
    if (four <= 4.2 * one + SLACK) continue;
    const two = await work(method, params(2 * SIZE));
    const grown = four - two;
    if (grown > MOST_GROWTH * Math.max(0, two - one) + SLACK) t.fail(`${method}, ${name}: ${one}, ${two}, ${four}`);
  }
  // A stack overflow would be reported as an error of the call.
  t.same(
    events.filter((event) => event.includes('RangeError')),
    [],
  );
  t.ok(replies > 2_000, `${replies} calls`);
});

t.test('the work counter detects quadratic growth', async (t) => {
  const emptied = (n: number) => {
    const queue = Array.from({ length: n }, (_, i) => i);
    while (queue.length > 0) queue.shift();
  };
  t.ok((await counter.count(() => emptied(4_000))) > 12 * (await counter.count(() => emptied(1_000))));
});
t.teardown(() => counter.close());
