// Effects of options on a wallet's payments and addresses. One regtest chain and one folder; each part is a start with
// its own options. Expected numbers are computed from sizes (virtual bytes) and rates (satoshis per virtual byte).
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon, refusal } from '../framework/daemon.js';

const OUTSIDE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
/** Amounts are compared in satoshis, because sums of doubles are inexact. */
const sats = (amount: number): number => Math.round(amount * 1e8);
const btc = (satoshis: number): number => satoshis / 1e8;

/** Arguments of sendtoaddress up to the fee rate. */
const AT_RATE = (rate: number) => ['', '', false, null, null, null, null, rate];

t.test('applies options of payments and addresses', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=10', '-fallbackfee=0.0002');
  const restart = async (...options: string[]): Promise<void> => {
    t.equal((await node.stop()).code, 0);
    await node.up(...options);
  };
  const decode = async (txid: string) => node.call('decoderawtransaction', (await node.callWallet('w', 'gettransaction', txid)).hex);
  /** Returns fee and virtual size of an unconfirmed payment. */
  const price = async (txid: string) => {
    const { fees, vsize } = await node.call('getmempoolentry', txid);
    return { fee: sats(fees.base), vsize };
  };
  await node.call('createwallet', 'w', false, false, null, false, false, true);
  await node.call('createwallet', 'together', false, false, null, false, false, true);
  await node.call('generatetoaddress', 3, await node.callWallet('w', 'getnewaddress'));
  await node.call('generatetoaddress', 100, OUTSIDE);
  /** A payment that leaves 100,000 satoshis of its coin, the fee among them. */
  const [coin] = await node.callWallet('w', 'listunspent');
  const nearlyAll = await node.call('createrawtransaction', [{ txid: coin.txid, vout: coin.vout }], [{ [OUTSIDE]: btc(50e8 - 100_000) }]);
  const funded = () => node.callWallet('w', 'fundrawtransaction', nearlyAll);

  await t.test('applies the defaults', async (t) => {
    t.match(await node.callWallet('w', 'getnewaddress'), /^bcrt1q/);
    t.match(await node.callWallet('w', 'getrawchangeaddress'), /^bcrt1q/);
    const { changepos, fee } = await funded();
    t.ok(changepos >= 0, '97,180 satoshis are change');
    t.equal(sats(fee), 20 * 141);
    const address = await node.callWallet('together', 'getnewaddress');
    // Three coins of one address.
    for (let i = 0; i < 3; i++) await node.callWallet('w', 'sendtoaddress', address, 1);
    await node.call('generatetoaddress', 1, OUTSIDE);
    const txid = await node.callWallet('together', 'sendtoaddress', OUTSIDE, 0.1);
    t.equal((await node.call('getrawtransaction', txid, true)).vin.length, 1, 'one coin is enough, and cheaper');
    t.equal((await decode(await node.callWallet('w', 'sendtoaddress', OUTSIDE, 1))).vin[0].sequence, 0xfffffffd);
    await node.call('generatetoaddress', 1, OUTSIDE);
  });

  await t.test('applies -addresstype, -changetype, -discardfee', async (t) => {
    await restart('-addresstype=legacy', '-changetype=p2sh-segwit', '-discardfee=0.009');
    t.match(await node.callWallet('w', 'getnewaddress'), /^[mn]/);
    t.match(await node.callWallet('w', 'getnewaddress', '', 'bech32'), /^bcrt1q/, 'a call may ask for another');
    t.match(await node.callWallet('w', 'getrawchangeaddress'), /^2/);
    const { vout } = await decode(await node.callWallet('w', 'sendtoaddress', OUTSIDE, 1));
    t.same(vout.map(({ scriptPubKey }: { scriptPubKey: { type: string } }) => scriptPubKey.type).sort(), [
      'scripthash',
      'witness_v0_keyhash',
    ]);
    await node.call('generatetoaddress', 1, OUTSIDE);
    t.match(await funded(), { changepos: -1, fee: btc(100_000) }, 'below 900 * (32 + 148) the fee gets it');
  });

  await t.test('applies -addresstype to change as well', async (t) => {
    await restart('-addresstype=legacy');
    t.match(await node.callWallet('w', 'getrawchangeaddress'), /^[mn]/);
  });

  await t.test('applies -spendzeroconfchange=0', async (t) => {
    await restart('-spendzeroconfchange=0');
    const { trusted } = (await node.callWallet('w', 'getbalances')).mine;
    const txid = await node.callWallet('w', 'sendtoaddress', OUTSIDE, 1);
    const { mine } = await node.callWallet('w', 'getbalances');
    t.ok(mine.untrusted_pending > 0, 'change waits for a block');
    t.equal(sats(mine.trusted) + sats(mine.untrusted_pending) + 1e8 + (await price(txid)).fee, sats(trusted));
    const free = await node.callWallet('w', 'listunspent', 0);
    t.equal(free.find((one: { txid: string }) => one.txid === txid)?.safe, false);
    t.equal(await refusal(node.callWallet('w', 'sendtoaddress', OUTSIDE, btc(sats(mine.trusted) + 1e7))), '-6 Insufficient funds');
    await node.call('generatetoaddress', 1, OUTSIDE);
    t.equal(sats((await node.callWallet('w', 'getbalances')).mine.trusted), sats(mine.trusted) + sats(mine.untrusted_pending));

    // For what follows: some blocks with payments that were dear and mined at once, and cheap ones that waited six
    // blocks.
    const own: Record<string, number> = {};
    for (let i = 0; i < 130; i++) own[await node.callWallet('w', 'getnewaddress')] = 0.2;
    await node.callWallet('w', 'sendmany', '', own);
    await node.call('generatetoaddress', 1, OUTSIDE);
    const waiting: string[][] = [];
    const pay = async (rate: number): Promise<string[]> => {
      const txids: string[] = [];
      for (let i = 0; i < 2; i++) txids.push(await node.callWallet('w', 'sendtoaddress', OUTSIDE, 0.1, ...AT_RATE(rate)));
      return txids;
    };
    for (let i = 0; i < 30; i++) {
      const dear = await pay(60);
      waiting.push(await pay(5));
      await node.call('generateblock', OUTSIDE, [...dear, ...(waiting.length > 5 ? waiting.shift()! : [])]);
    }
    await node.call('generatetoaddress', 1, OUTSIDE);
  });

  /** Satoshis per 1,000 virtual bytes within so many blocks. */
  const estimate = async (blocks: number, mode: string): Promise<number> =>
    sats((await node.call('estimatesmartfee', blocks, mode)).feerate);
  /** Returns true if a fee matches a rate. Signatures may be a few bytes shorter than the fee allows for. */
  const paysAt = (rate: number, { fee, vsize }: { fee: number; vsize: number }): boolean => {
    const paid = (size: number): number => Math.ceil((rate * size) / 1000);
    return fee >= paid(vsize) - 2 && fee <= paid(vsize + 10) + 2;
  };

  await t.test('applies -txconfirmtarget, -walletrbf', async (t) => {
    await restart('-txconfirmtarget=20', '-walletrbf=0');
    const [soon, late] = [await estimate(6, 'economical'), await estimate(20, 'economical')];
    t.ok(late > 0 && soon > 2 * late, `the targets differ: ${soon}, ${late}`);
    const txid = await node.callWallet('w', 'sendtoaddress', OUTSIDE, 0.01);
    const cheap = await price(txid);
    t.ok(paysAt(late, cheap), `pays for 20 blocks: ${cheap.fee} for ${cheap.vsize}`);
    t.equal((await decode(txid)).vin[0].sequence, 0xfffffffe, 'does not say that it can be replaced');
    const firm = await node.callWallet('w', 'sendtoaddress', OUTSIDE, 0.01, '', '', false, true, 6, 'economical');
    t.equal((await decode(firm)).vin[0].sequence, 0xfffffffd, 'a call has the last word');
    const dear = await price(firm);
    t.ok(paysAt(soon, dear), `and about the target: ${dear.fee} for ${dear.vsize}`);
    await node.call('generatetoaddress', 1, OUTSIDE);
  });

  await t.test('applies -mintxfee, -maxapsfee', async (t) => {
    await restart('-mintxfee=0.005', '-maxapsfee=0.0006');
    const received = await node.callWallet('w', 'sendtoaddress', OUTSIDE, 0.01, '', '', false, null, null, null, null, null, true);
    t.equal(received.fee_reason, 'Minimum Required Fee');
    const least = await price(received.txid);
    t.ok(paysAt(500_000, least), `${least.fee} for ${least.vsize}`);
    // One more coin of an address costs 68 * 500 satoshis: the change of the first payment has an address of its own,
    // two coins share one.
    await node.callWallet('together', 'sendtoaddress', OUTSIDE, 0.95);
    const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
    t.match(log, /\[together\] .*Fee non-grouped = \d+, grouped = \d+, using grouped/);
    t.equal((await node.callWallet('together', 'listunspent', 0)).length, 2, 'both coins of the address were spent');
    await node.call('generatetoaddress', 1, OUTSIDE);
  });

  await t.test('applies -maxapsfee=-1', async (t) => {
    const lines = () => (fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8').match(/Fee non-grouped/g) ?? []).length;
    const address = await node.callWallet('together', 'getnewaddress');
    for (let i = 0; i < 4; i++) await node.callWallet('w', 'sendtoaddress', address, 0.5);
    await node.call('generatetoaddress', 1, OUTSIDE);
    await restart('-maxapsfee=-1');
    const before = lines();
    await node.callWallet('together', 'sendtoaddress', OUTSIDE, 0.01);
    t.equal(lines(), before, 'not even tried');
    await restart();
    await node.callWallet('together', 'sendtoaddress', OUTSIDE, 0.01);
    t.equal(lines(), before + 1);
  });

  await t.test('answers wallet calls as Core does with -disablewallet', async (t) => {
    await restart('-disablewallet');
    for (const method of ['getnewaddress', 'createwallet', 'listwallets']) {
      t.equal(await refusal(node.call(method, 'x')), '-32601 Method not found', method);
    }
    t.notMatch(await node.call('help'), /getnewaddress/);
    t.equal(await node.call('help', 'getnewaddress'), 'help: unknown command: getnewaddress');
    const { methods } = (await node.call('rpc.discover')) as { methods: { name: string; tags: { name: string }[] }[] };
    t.ok(methods.some(({ name }) => name === 'getblock'));
    t.same(
      methods.filter(({ tags }) => tags.some(({ name }) => name === 'wallet')),
      [],
      'nor does rpc.discover tell of them',
    );
    t.match(await node.call('getblockchaininfo'), { chain: 'regtest' });
    await restart();
    t.same((await node.call('listwallets')).sort(), ['together', 'w'], 'as they were');
  });
  t.equal(node.output(), '', 'nothing on stderr');
  t.equal((await node.stop()).code, 0);
});

t.test('gives out taproot change addresses with -changetype', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=1', '-changetype=bech32m');
  await node.call('createwallet', 'w');
  t.equal((await node.callWallet('w', 'listdescriptors')).descriptors.length, 8, 'of descriptors, though the call does not say so');
  t.match(await node.callWallet('w', 'getnewaddress'), /^bcrt1q/);
  t.match(await node.callWallet('w', 'getnewaddress', '', 'bech32m'), /^bcrt1p/);
  t.match(await node.callWallet('w', 'getrawchangeaddress'), /^bcrt1p/);
  await node.call('createwallet', 'old', false, false, null, false, false);
  const refused = '-12 Error: Legacy wallets only support the "legacy", "p2sh-segwit", and "bech32" address types';
  t.equal(await refusal(node.callWallet('old', 'getrawchangeaddress')), refused);
  t.match(await node.callWallet('old', 'getrawchangeaddress', 'bech32'), /^bcrt1q/);
  t.equal((await node.stop()).code, 0);
});

t.test('loads the wallet without a name', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=1');
  await node.call('createwallet', '');
  await node.stop();
  await node.up();
  t.same(await node.call('listwallets'), [''], 'loaded where nothing says which');
  await node.call('createwallet', 'other', false, false, null, false, false, true);
  await node.stop();
  await node.up();
  t.same((await node.call('listwallets')).sort(), ['', 'other'], 'and from then on by the list');
  await node.callWallet('', 'unloadwallet', null, false);
  await node.stop();
  await node.up();
  t.same(await node.call('listwallets'), ['other']);
  await node.stop();
  await node.up('-nowallet');
  t.same(await node.call('listwallets'), []);
  t.equal((await node.stop()).code, 0);
});
