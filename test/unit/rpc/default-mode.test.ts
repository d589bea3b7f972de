// Tests that default mode answers as Core 31 does, with additional members of 0.21.1. It covers cases in which the two
// differ; the wallets' calls are in test/functional/wallet-calls.test.ts.
import t from 'tap';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { COMPATS, type CompatName } from '../../../src/policy/compat.js';
import { methodsOf } from '../../../src/rpc/declare/methods.js';
import { crypto, type Fixture, openFixture } from '../../framework/chain-fixture.js';
import { openExecutor, type TestExecutor } from './executor-fixture.js';

const MODES = ['0.21.1', '31', 'default'] as const;
type Each<T> = Readonly<Record<CompatName, T>>;

const executorOf = (fixture: Fixture, name: CompatName): TestExecutor => openExecutor(fixture, new Map(), COMPATS[name]);

t.test('answers as Core 31 by default where it differs from 0.21.1', async (t) => {
  const fixture = await openFixture();
  const INPUTS = [[{ txid: 'ab'.repeat(32), vout: 0 }], [{ data: '00' }]];
  const KEY = '02'.repeat(33);
  const cases: readonly [method: string, params: readonly unknown[], Each<string>][] = [
    [
      'createmultisig',
      [1, [`02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`], 'bech32m'],
      {
        '0.21.1': "-5 Unknown address type 'bech32m'",
        31: '-5 createmultisig cannot create bech32m multisig addresses',
        default: '-5 createmultisig cannot create bech32m multisig addresses',
      },
    ],
    [
      'createmultisig',
      [1, [KEY.slice(2)]],
      {
        '0.21.1': `-5 Invalid public key: ${KEY.slice(2)}\n.`,
        31: `-5 Pubkey "${KEY.slice(2)}" must have a length of either 33 or 65 bytes`,
        default: `-5 Pubkey "${KEY.slice(2)}" must have a length of either 33 or 65 bytes`,
      },
    ],
    ['waitfornewblock', [-1], { '0.21.1': 'none', 31: '-1 Negative timeout', default: '-1 Negative timeout' }],
    [
      'stop',
      ['x'],
      {
        '0.21.1': 'none',
        31: '-3 Wrong type passed:\n{\n    "Position 1 (wait)": "JSON value of type string is not of expected type number"\n}',
        default: '-3 Wrong type passed:\n{\n    "Position 1 (wait)": "JSON value of type string is not of expected type number"\n}',
      },
    ],
    [
      'gettxoutsetinfo',
      ['hash_serialized_2'],
      { '0.21.1': 'none', 31: "-8 'hash_serialized_2' is not a valid hash_type", default: 'none' },
    ],
    ['gettxoutsetinfo', ['hash_serialized_3'], { '0.21.1': '-8 hash_serialized_3 is not a valid hash_type', 31: 'none', default: 'none' }],
    [
      'getmempoolentry',
      ['x'],
      {
        '0.21.1': "-8 parameter 1 must be of length 64 (not 1, for 'x')",
        31: "-8 txid must be of length 64 (not 1, for 'x')",
        default: "-8 txid must be of length 64 (not 1, for 'x')",
      },
    ],
    ['sendrawtransaction', ['00', null, -1], { '0.21.1': '-1', 31: '-3 Amount out of range', default: '-3 Amount out of range' }],
  ];
  for (const [method, params, expected] of cases) {
    for (const name of MODES) {
      const said = await executorOf(fixture, name).fault(method, ...params);
      t.ok(said.startsWith(expected[name]), `${method} ${JSON.stringify(params)} ${name}: ${said}`);
    }
  }
  const sequenceIn = async (name: CompatName): Promise<number> =>
    parseTx(Buffer.from(String(await executorOf(fixture, name).call('createrawtransaction', ...INPUTS)), 'hex'), crypto).sequence(0);
  t.equal(await sequenceIn('0.21.1'), 0xffff_ffff);
  t.equal(await sequenceIn('31'), 0xffff_fffd, 'replaceable unless said otherwise');
  t.equal(await sequenceIn('default'), 0xffff_fffd);
  for (const [name, hash] of [
    ['0.21.1', 'hash_serialized_2'],
    ['31', 'hash_serialized_3'],
    ['default', 'hash_serialized_3'],
  ] as const) {
    const info = (await executorOf(fixture, name).call('gettxoutsetinfo')) as object;
    t.same(
      Object.keys(info).filter((key) => key.startsWith('hash')),
      [hash],
    );
  }
  await fixture.end();
});

t.test('addpeeraddress reports why an address was not added, except as 0.21.1', async (t) => {
  const fixture = await openFixture();
  const { call, fault } = executorOf(fixture, 'default');
  t.same(await call('addpeeraddress', '1.2.3.4', 8333, true), { success: true });
  t.same(await call('addpeeraddress', '1', 8333), { success: false, error: 'failed-adding-to-new' });
  const old = executorOf(fixture, '0.21.1');
  t.same(await old.call('addpeeraddress', '1', 8333), { success: false });
  t.match(await old.fault('addpeeraddress', '1.2.3.4', 8333, true), /^-1 addpeeraddress "address" port\n/);
  t.match(await fault('addpeeraddress', '1.2.3.4'), /^-1 addpeeraddress "address" port \( tried \)\n/);
  await fixture.end();
});

t.test('help lists what Core 31 lists and what 0.21.1 lists', async (t) => {
  const fixture = await openFixture();
  const listed = async (name: CompatName): Promise<string> => String(await executorOf(fixture, name).call('help'));
  const [old, master, both] = [await listed('0.21.1'), await listed('31'), await listed('default')];
  for (const method of ['dumptxoutset', 'waitfornewblock', 'waitforblock', 'waitforblockheight', 'rpc.discover']) {
    const line = new RegExp(`^${method}\\b`, 'm');
    t.same([line.test(old), line.test(master), line.test(both)], [false, true, true], method);
  }
  for (const method of ['generatetoaddress', 'generatetodescriptor', 'generateblock']) {
    const line = new RegExp(`^${method}\\b`, 'm');
    t.same([line.test(old), line.test(master), line.test(both)], [true, false, true], method);
  }
  await fixture.end();
});

t.test('calls that Core 31 removed exist by default and not with -compat=31', async (t) => {
  const gone = [
    ...['addmultisigaddress', 'dumpprivkey', 'dumpwallet', 'getunconfirmedbalance', 'importaddress', 'importmulti', 'importprivkey'],
    ...['importpubkey', 'importwallet', 'sethdseed', 'settxfee', 'upgradewallet'],
  ];
  for (const name of MODES) {
    const methods = methodsOf(true, COMPATS[name]);
    t.same(
      gone.filter((method) => methods.has(method)),
      name === '31' ? [] : gone,
      name,
    );
  }
});
