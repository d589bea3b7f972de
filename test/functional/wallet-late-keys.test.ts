// Tests keys that a wallet gets after the transactions that pay them were confirmed: from its key pool, from a seed,
// and in wallets of an earlier version of Adit that had not found those coins. Real processes, regtest.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';

const OTHER = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';
const MAGIC = 'adit wallet backup 1\n';

/**
 * Converts a backup to what the first version of Adit wrote: rows that only later versions have are removed. The rows
 * of coins are removed too.
 */
function ofFirstVersion(file: string): Buffer {
  const bytes = fs.readFileSync(file);
  const kept = [bytes.subarray(0, MAGIC.length)];
  for (let at = MAGIC.length; at < bytes.length - 32; ) {
    const end = at + 8 + bytes.readUInt32BE(at) + bytes.readUInt32BE(at + 4);
    const prefix = String.fromCharCode(bytes[at + 8]);
    if (prefix === 's') bytes[end - 1] = 1;
    if (!'ofq'.includes(prefix)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  const all = Buffer.concat(kept);
  return Buffer.concat([all, createHash('sha256').update(all).digest()]);
}

for (const descriptors of [false, true]) {
  t.test(descriptors ? 'descriptors' : 'legacy keys', async (t) => {
    const node = await Daemon.startFor(t, '-keypool=2', '-fallbackfee=0.0002');
    const backup = path.join(node.dir, 'backup');
    const coinsOf = async (wallet: string): Promise<number> => (await node.callWallet(wallet, 'listunspent', 0)).length;
    const addresses = async (wallet: string, count: number): Promise<string[]> => {
      const made: string[] = [];
      for (let i = 0; i < count; i++) made.push(await node.callWallet(wallet, 'getnewaddress', '', 'bech32'));
      return made;
    };
    await node.call('createwallet', 'src', false, false, '', false, descriptors);
    await node.callWallet('src', 'backupwallet', backup);
    await node.call('createwallet', 'fund');
    await node.call('generatetoaddress', 101, await node.callWallet('fund', 'getnewaddress'));
    const given = await addresses('src', 13);
    await node.callWallet('fund', 'sendmany', '', { [given[0]]: 1, [given[6]]: 1, [given[12]]: 1 });
    await node.call('generatetoaddress', 1, OTHER);
    t.equal(await coinsOf('src'), 3);

    await node.call('restorewallet', 'filled', backup);
    t.equal(await coinsOf('filled'), 1, 'the pool does not reach so far');
    await node.callWallet('filled', 'keypoolrefill', 9);
    t.equal(await coinsOf('filled'), 2, 'a pool that is filled');
    await node.callWallet('filled', 'keypoolrefill', 20);
    t.equal(await coinsOf('filled'), 3, 'and once more, with what is read already');
    await node.call('unloadwallet', 'filled');

    await node.call('restorewallet', 'loaded', backup);
    await node.call('unloadwallet', 'loaded');
    await node.call('loadwallet', 'loaded');
    t.equal(await coinsOf('loaded'), 1);
    await node.callWallet('loaded', 'keypoolrefill', 20);
    t.equal(await coinsOf('loaded'), 3, 'a wallet that was loaded since');
    const damaged = path.join(node.dir, 'damaged');
    await node.callWallet('loaded', 'backupwallet', damaged);
    await node.call('unloadwallet', 'loaded');

    await node.call('restorewallet', 'asked', backup);
    for (let i = 0; i < 6; i++) await node.callWallet('asked', 'getnewaddress');
    await node.callWallet('asked', 'keypoolrefill', 2);
    t.equal(await coinsOf('asked'), 2, 'addresses that are asked for');
    await node.call('unloadwallet', 'asked');

    // A wallet without its coins and without the row that says that they were searched for, as earlier versions wrote
    // it.
    fs.writeFileSync(damaged, ofFirstVersion(damaged));
    await node.call('restorewallet', 'earlier', damaged);
    t.equal(await coinsOf('earlier'), 3, 'a wallet of an earlier version');
    t.equal((await node.callWallet('earlier', 'getbalances')).mine.trusted, 3);
    t.equal(await node.stop().then(({ code }) => code), 0);
    t.equal(node.output(), '', 'nothing on stderr');
  });
}

t.test('counts unconfirmed payments to keys that are imported later', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=2', '-fallbackfee=0.0002', '-mempoolexpiry=1');
  for (const name of ['first', 'second', 'descriptors'])
    await node.call('createwallet', name, false, false, '', false, name === 'descriptors');
  const address = (name: string): Promise<string> => node.callWallet(name, 'getnewaddress');
  await node.call('generatetoaddress', 1, await address('first'));
  await node.call('generatetoaddress', 1, await address('descriptors'));
  await node.call('generatetoaddress', 110, await address('second'));
  let now = Math.floor(Date.now() / 1000);
  const secret = `pkh(${await node.callWallet('first', 'dumpprivkey', await address('first'))})`;
  const { checksum } = await node.call('getdescriptorinfo', secret);
  const pubkey = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
  const imports: [wallet: string, method: string, ...params: unknown[]][] = [
    ['first', 'importaddress', OTHER],
    ['first', 'importpubkey', pubkey],
    ['first', 'importmulti', [{ scriptPubKey: { address: OTHER }, timestamp: 'now', watchonly: true }]],
    ['descriptors', 'importdescriptors', [{ desc: `${secret}#${checksum}`, timestamp: 'now' }]],
  ];
  const txids = new Map<string, string>();
  for (const [wallet, method, ...params] of imports) {
    await node.call('setmocktime', now);
    if (!txids.has(wallet)) txids.set(wallet, await node.callWallet(wallet, 'sendtoaddress', OTHER, 1));
    const txid = txids.get(wallet);
    // A transaction that waited for two hours leaves the mempool when the next one arrives.
    now += 7200;
    await node.call('setmocktime', now);
    await node.callWallet('second', 'sendtoaddress', OTHER, 1);
    t.notOk((await node.call('getrawmempool')).includes(txid), 'gone from the mempool');
    await node.callWallet(wallet, method, ...params);
    t.ok((await node.call('getrawmempool')).includes(txid), method);
  }
});

t.test('spends watched coins after sethdseed brings their keys', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=8', '-fallbackfee=0.0002');
  await node.call('createwallet', 'src');
  const dump = path.join(node.dir, 'dump');
  await node.callWallet('src', 'dumpwallet', dump);
  const seed = fs.readFileSync(dump, 'utf8').match(/^(\S+) .*hdseed=1/m)?.[1];
  const [watched, silent]: string[] = [
    await node.callWallet('src', 'getnewaddress', '', 'bech32'),
    await node.callWallet('src', 'getnewaddress', '', 'bech32'),
  ];
  await node.call('createwallet', 'fund');
  await node.call('generatetoaddress', 101, await node.callWallet('fund', 'getnewaddress'));
  await node.callWallet('fund', 'sendmany', '', { [watched]: 1, [silent]: 2 });
  await node.call('generatetoaddress', 1, OTHER);
  await node.call('createwallet', 'watch', false, true);
  await node.callWallet('watch', 'importaddress', watched);
  await node.call('unloadwallet', 'watch');
  await node.call('loadwallet', 'watch');
  t.match(await node.callWallet('watch', 'getbalances'), {
    mine: { trusted: 0, untrusted_pending: 0, immature: 0 },
    watchonly: { trusted: 1, untrusted_pending: 0, immature: 0 },
  });
  await node.callWallet('watch', 'sethdseed', true, seed);
  const after = await node.callWallet('watch', 'getbalances');
  t.equal(after.mine.trusted, 3, 'what was watched is spendable, and the other output is known');
  await node.call('unloadwallet', 'watch');
  await node.call('loadwallet', 'watch');
  t.same(await node.callWallet('watch', 'getbalances'), after);
});
