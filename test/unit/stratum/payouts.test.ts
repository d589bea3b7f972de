// Tests user names, addresses of every type and network, and the outputs of a coinbase.
import t from 'tap';
import { type ParsedName, Payouts, printable } from '../../../src/stratum/work/payouts.js';
import { hashes, MAIN, OTHERS, stratumWorld } from '../../framework/stratum-world.js';

const ADDRESSES = {
  // The examples of BIP-0173 and BIP-0350, and well-known older addresses.
  bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
  bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3: '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
  bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0: '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2': '76a91477bff20c60e522dfaa3350c39b030a5d004e839a88ac',
  '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy': 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87',
};
const TESTNET = {
  tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
  tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7: '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
  mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn: '76a914243f1394f44554f4ce3fd68649c19adc483ce92488ac',
  '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc': 'a9144e9f39ca4688ff102128ea4ccda34105324305b087',
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const good = (payouts: Payouts, name: string): ParsedName => {
  const parsed = payouts.parseName(name);
  if ('error' in parsed) throw new Error(`${name}: ${parsed.error}`);
  return parsed;
};
const bad = (payouts: Payouts, name: string): string => {
  const parsed = payouts.parseName(name);
  return 'error' in parsed ? parsed.error : `${name} is accepted`;
};

t.test('pays to addresses of every type', async (t) => {
  const { payouts } = stratumWorld();
  for (const [address, script] of Object.entries(ADDRESSES)) {
    const parsed = good(payouts, `${address}.rig`);
    t.equal(hex(parsed.payout.script), script);
    t.same([parsed.address, parsed.worker], [address, 'rig']);
  }
  const other = new Payouts({ network: OTHERS[0] as typeof MAIN, otherNetworks: [MAIN], payoutAddress: null, fee: null, hashes });
  for (const [address, script] of Object.entries(TESTNET)) t.equal(hex(good(other, address).payout.script), script);
  const regtest = new Payouts({ network: OTHERS[1] as typeof MAIN, otherNetworks: [MAIN], payoutAddress: null, fee: null, hashes });
  t.equal(hex(good(regtest, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080').payout.script), '0014751e76e8199196d454941c45d1b3a323f1433bd6');
});

t.test('splits a name at the first dot or underscore', async (t) => {
  const { payouts } = stratumWorld();
  const address = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
  const worker = (name: string) => good(payouts, name).worker;
  t.equal(worker(address), 'worker');
  t.equal(worker(`${address}.`), 'worker');
  t.equal(worker(`${address}.a.b_c`), 'a.b_c');
  t.equal(worker(`${address}_rig`), 'rig');
  t.equal(worker(`${address}.${'w'.repeat(80)}`), 'w'.repeat(64));
  t.equal(worker(`${address}.\x1b[31m\xe4`), '?[31m?', 'control characters do not reach a log');
  t.equal(printable('a\nb', 2), 'a?');
});

t.test('pays one object for an address in capitals and in small letters', async (t) => {
  const { payouts } = stratumWorld();
  const small = good(payouts, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4.a');
  const large = good(payouts, 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4.b');
  t.equal(small.payout, large.payout);
  t.equal(large.address, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4');
});

t.test('says what is wrong with a name', async (t) => {
  const { payouts } = stratumWorld();
  t.match(bad(payouts, ''), 'User name is empty: use ADDRESS.WORKER');
  t.match(bad(payouts, 'x'.repeat(129)), 'User name is longer than 128 characters');
  t.match(bad(payouts, 'satoshi.rig'), /^User name must begin with a mainnet address: /);
  t.match(bad(payouts, '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3'), /^User name must begin with a mainnet address: Invalid checksum/);
  t.match(
    bad(payouts, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'),
    /^User name must begin with a mainnet address: Invalid Bech32 checksum/,
  );
  t.match(bad(payouts, 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx.a'), /belongs to testnet, but this node mines on mainnet/);
  t.match(bad(payouts, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'), /belongs to regtest, but this node mines on mainnet/);
  // An output of witness version 16, and pay-to-anchor. Anyone can spend both.
  t.match(bad(payouts, 'bc1sw50qgdz25j'), /cannot receive a block: its type is not supported/);
  t.match(bad(payouts, 'bc1pfeessrawgf'), /cannot receive a block: its type is not supported/);
});

t.test('pays one address for every name', async (t) => {
  const { payouts } = stratumWorld({ payoutAddress: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy' });
  const parsed = good(payouts, 'garage.S21');
  t.equal(hex(parsed.payout.script), ADDRESSES['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy']);
  t.same([parsed.address, parsed.worker], ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'garage.S21']);
  t.match(bad(payouts, ''), /empty/);
});

t.test('splits a fee off, the payout first', async (t) => {
  const fee = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
  const outputs = (percent: string, value: number) => {
    const { payouts } = stratumWorld({ fee: `${fee}:${percent}` });
    const { payout } = good(payouts, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4');
    return payouts.outputs(payout, value).map(({ value, script }) => [value, hex(script)]);
  };
  const script = ADDRESSES[fee];
  const miner = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
  t.same(outputs('1.5', 312_500_000), [
    [307_812_500, miner],
    [4_687_500, script],
  ]);
  t.same(outputs('0.01', 10_001), [
    [10_000, miner],
    [1, script],
  ]);
  t.same(outputs('0.01', 9_999), [[9_999, miner]], 'a fee of nothing has no output');
  t.same(
    outputs('99.99', 2_100_000_000_000_000).map(([value]) => value),
    [210_000_000_000, 2_099_790_000_000_000],
    'exact for the largest amount',
  );
});

t.test('refuses wrong options with their names', async (t) => {
  for (const fee of [
    'x',
    'x:1',
    'x:',
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2:0',
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2:100',
    ':5',
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2:1.555',
  ])
    t.throws(() => stratumWorld({ fee }), { message: /^-stratumfee: / }, fee);
  t.throws(() => stratumWorld({ payoutAddress: 'nobody' }), { message: /^-stratumaddress: / });
});
