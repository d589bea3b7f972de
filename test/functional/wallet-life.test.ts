// A wallet of a running daemon through what can happen to it: coins come, the process is killed, blocks go away, the
// wallet is encrypted, backed up and restored. Real processes, regtest.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { CallError, Daemon } from '../framework/daemon.js';
import { nightlyTest } from '../framework/depth.js';
import { until } from '../framework/until.js';

/** The bytes of every file below a folder. */
function allBytes(folder: string): Buffer {
  const parts: Buffer[] = [];
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) parts.push(fs.readFileSync(path.join(entry.parentPath, entry.name)));
  }
  return Buffer.concat(parts);
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** The 32 bytes of a compressed private key in WIF. */
function secretOf(wif: string): Buffer {
  let number = 0n;
  for (const char of wif) number = number * 58n + BigInt(base58.indexOf(char));
  return Buffer.from(number.toString(16).padStart(76, '0'), 'hex').subarray(1, 33);
}

/** An address that is no wallet's. */
const OTHER = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';

async function code(promise: Promise<unknown>): Promise<number> {
  try {
    await promise;
    return 0;
  } catch (error) {
    return error instanceof CallError ? error.code : Number.NaN;
  }
}

/** For tests of wallets with names of their own. Each of them finds no wallet loaded. */
const shared = await Daemon.startFor(t, '-keypool=3');
t.beforeEach(async () => {
  for (const name of await shared.call('listwallets')) await shared.call('unloadwallet', name);
});

t.test('keeps coins right through kills and reorganisations', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=5');
  await node.call('createwallet', 'w', false, false, null, false, false, true);
  const address = await node.call('getnewaddress', 'miner');
  await node.call('generatetoaddress', 101, address);
  t.match(await node.call('getbalances'), { mine: { trusted: 50, untrusted_pending: 0, immature: 5000 } });
  const before = await node.call('listunspent');
  t.equal(before.length, 1);

  await node.kill();
  await node.up();
  t.same(await node.call('listwallets'), ['w'], 'loaded again by itself');
  t.match(await node.call('getbalances'), { mine: { trusted: 50, untrusted_pending: 0, immature: 5000 } });
  t.same(await node.call('listunspent'), before);
  t.equal((await node.call('getaddressinfo', address)).labels[0], 'miner');

  const tip = await node.call('getbestblockhash');
  await node.call('invalidateblock', tip);
  t.match(await node.call('getbalances'), { mine: { trusted: 0, untrusted_pending: 0, immature: 5000 } }, 'one block less');
  await node.kill();
  await node.up();
  t.match(await node.call('getbalances'), { mine: { trusted: 0, untrusted_pending: 0, immature: 5000 } });
  await node.call('reconsiderblock', tip);
  t.match(await node.call('getbalances'), { mine: { trusted: 50, untrusted_pending: 0, immature: 5000 } });

  // Blocks that come while no wallet is loaded are caught up with.
  await node.call('unloadwallet', 'w');
  await node.call('generatetoaddress', 3, address);
  await node.call('loadwallet', 'w');
  t.match(await node.call('getbalances'), { mine: { trusted: 200, untrusted_pending: 0, immature: 5000 } });
  const coins = await node.call('listunspent');
  const [fleeting, kept] = coins.map(({ txid, vout }: { txid: string; vout: number }) => ({ txid, vout }));
  await node.call('lockunspent', false, [fleeting]);
  await node.call('lockunspent', false, [kept], true);
  t.equal((await node.call('listunspent')).length, coins.length - 2);
  await node.call('unloadwallet', 'w');
  await node.call('loadwallet', 'w');
  t.same(await node.call('listlockunspent'), [kept], 'a persistent lock outlives the wallet being unloaded');
  await node.call('lockunspent', true, [kept]);
  await node.call('unloadwallet', 'w');
  await node.call('loadwallet', 'w');
  t.same(await node.call('listlockunspent'), []);
});

t.test('finds coins of keys beyond the key pool', async (t) => {
  const node = shared;
  const now = Math.floor(Date.now() / 1000);
  await node.call('generatetoaddress', 3, OTHER);
  // The clock ran ahead by a day when the wallet was made.
  await node.call('setmocktime', now + 86_400);
  await node.call('createwallet', 'ahead');
  const address = await node.callWallet('ahead', 'getnewaddress');
  await node.call('setmocktime', now);
  // Milliseconds, where seconds are asked for.
  await node.call('createwallet', 'watch', true, true);
  const wanted = { scriptPubKey: { address: OTHER }, timestamp: Date.now() };
  t.same(await node.callWallet('watch', 'importmulti', [wanted]), [{ success: true }]);
  // Without any key there is nothing to be found.
  await node.call('createwallet', 'empty', true, true);
  for (const name of ['ahead', 'watch', 'empty']) await node.call('unloadwallet', name);
  await node.call('generatetoaddress', 2, address);
  await node.call('generatetoaddress', 3, OTHER);
  for (const [name, count] of [
    ['ahead', 2],
    // Three of them the import's own scan found.
    ['watch', 6],
    ['empty', 0],
  ] as const) {
    await node.call('loadwallet', name);
    t.equal((await node.callWallet(name, 'getwalletinfo')).txcount, count, name);
  }
  await node.call('setmocktime', 0);
});

t.test('loads a wallet from its image', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=3', '-walletimage=1');
  const database = path.join(node.networkDir, 'wallets', 'w', 'wallet.db');
  const images = (): string[] => fs.readdirSync(database).filter((name) => name.startsWith('tables-'));
  const state = async (): Promise<unknown> => [
    await node.call('getbalances'),
    await node.call('listunspent', 0),
    await node.call('listtransactions', '*', 1000),
    await node.call('listreceivedbyaddress', 0, true, true),
  ];
  await node.call('createwallet', 'w', false, false, null, false, false, true);
  const address = await node.call('getnewaddress', 'miner');
  await node.call('generatetoaddress', 105, address);
  t.same(images(), [], 'none before the first end');
  const first = await state();
  await node.call('unloadwallet', 'w');
  t.equal(images().length, 1, 'written at the end');
  await node.call('loadwallet', 'w');
  t.same(await state(), first);

  // Later changes are in the journal; a new image is not due for a long time.
  await node.call('importaddress', OTHER, 'watched', false);
  await node.call('generatetoaddress', 2, await node.call('getnewaddress', 'other'));
  await node.call('setlabel', address, 'renamed');
  const names = images();
  const second = await state();
  await node.kill();
  await node.up();
  t.same(images(), names);
  t.same(await state(), second, 'image and journal after a sudden end');
  await node.call('invalidateblock', await node.call('getbestblockhash'));
  const third = await state();
  await node.call('unloadwallet', 'w');
  await node.call('loadwallet', 'w');
  t.same(await state(), third);

  await node.call('unloadwallet', 'w');
  const file = path.join(database, names[0]);
  const bytes = fs.readFileSync(file);
  bytes[bytes.length >> 1] ^= 1;
  fs.writeFileSync(file, bytes);
  await node.call('loadwallet', 'w');
  t.same(await state(), third, 'a damaged one is made anew from the rows');
  t.not(images()[0], names[0]);
  t.equal(images().length, 1);

  // Rows written while no images are kept are in no journal.
  await node.stop();
  await node.up('-walletimage=0');
  const between = await node.call('getnewaddress', 'between');
  await node.call('generatetoaddress', 1, between);
  const fourth = await state();
  await node.stop();
  await node.up('-walletimage=1');
  t.equal((await node.call('getaddressinfo', between)).ismine, true);
  t.same(await state(), fourth, 'an image from before is not believed');

  const backup = path.join(node.dir, 'backup');
  await node.call('backupwallet', backup);
  await node.call('unloadwallet', 'w');
  await node.call('restorewallet', 'again', backup);
  t.same(await state(), fourth);
});

t.test('leaves no plain key on disk after encryption', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=3', '-walletimage=1');
  for (const descriptors of [false, true]) {
    const name = descriptors ? 'd' : 'l';
    await node.call('createwallet', name, false, false, null, false, descriptors);
    const folder = path.join(node.networkDir, 'wallets', name);
    const address = await node.call('getnewaddress');
    let secret: Buffer = Buffer.alloc(0);
    if (descriptors) {
      const { descriptors: list } = await node.call('listdescriptors', true);
      // The root key's 32 bytes stand before the checksum of its text.
      const root = /tprv[0-9A-Za-z]+/.exec(list[0].desc)![0];
      let number = 0n;
      for (const char of root) number = number * 58n + BigInt(base58.indexOf(char));
      secret = Buffer.from(number.toString(16).padStart(164, '0'), 'hex').subarray(46, 78);
    } else secret = secretOf(await node.call('dumpprivkey', address));
    t.equal(secret.length, 32);
    t.ok(allBytes(folder).includes(secret), 'plain on disk before');
    await node.call('unloadwallet', name);
    const [image] = fs.readdirSync(path.join(folder, 'wallet.db')).filter((file) => file.startsWith('tables-'));
    t.ok(fs.readFileSync(path.join(folder, 'wallet.db', image)).includes(secret), 'in the image of the tables as well');
    await node.call('loadwallet', name);

    const phrase = `a passphrase of wallet ${name}`;
    t.equal(await code(node.call('walletpassphrase', 'x', 10)), -15, 'not encrypted: whatever was said');
    t.equal(await code(node.call('walletpassphrase', 5, 10)), -3, 'no text');
    t.equal(await code(node.call('upgradewallet', 'x')), -3);
    t.match(await node.call('upgradewallet', null), { result: 'Already at latest version. Wallet version unchanged.' });
    await node.call('encryptwallet', phrase);
    t.notOk(allBytes(folder).includes(secret), 'gone afterwards');
    t.notOk(allBytes(node.networkDir).includes(phrase), 'the passphrase is nowhere');
    t.same(fs.readdirSync(folder), ['wallet.db', 'wallet.lock'], 'nothing is left of the exchange');
    t.equal((await node.call('getwalletinfo')).unlocked_until, 0, 'it ends locked');
    t.equal(await code(node.call('walletpassphrase', 'wrong', 10)), -14);
    t.equal(await code(node.call('keypoolrefill')), -13);
    t.equal(await code(node.call('upgradewallet')), -13);
    t.equal((await node.call('getaddressinfo', address)).ismine, true, 'old addresses stay');

    await node.kill();
    await node.up();
    await node.call('loadwallet', name);
    t.equal((await node.call('getaddressinfo', address)).ismine, true);
    await node.call('walletpassphrase', phrase, 60);
    if (!descriptors) t.same(secretOf(await node.call('dumpprivkey', address)), secret);
    const fresh = await node.call('getnewaddress');
    t.not(
      (await node.call('getaddressinfo', fresh)).hdmasterfingerprint,
      (await node.call('getaddressinfo', address)).hdmasterfingerprint,
      'new addresses are of a new seed',
    );
    if (!descriptors) {
      // Calls that arrive while a wallet is encrypted wait, and then find a locked wallet.
      const [wif, seed] = [await node.call('dumpprivkey', address), await node.call('dumpprivkey', fresh)];
      await node.call('createwallet', 'other');
      const other = async (method: string, ...params: unknown[]): Promise<number | null> => {
        const { body } = await node.post(JSON.stringify({ method, params, id: 1 }), { path: '/wallet/other' });
        return JSON.parse(body).error?.code ?? null;
      };
      const encrypting = other('encryptwallet', 'third');
      await node.call('getblockcount');
      const codes = await Promise.all([
        other('importprivkey', wif, '', false),
        other('importmulti', [{ scriptPubKey: { address: fresh }, keys: [seed], timestamp: 'now' }], { rescan: false }),
        other('sethdseed', true, seed),
      ]);
      t.same([await encrypting, ...codes], [null, -13, -13, -13]);
      await other('walletpassphrase', 'third', 60);
      t.equal(await other('importprivkey', wif, '', false), null, 'and nothing of it is left');
      await node.call('unloadwallet', 'other');
    }
    await node.call('walletpassphrasechange', phrase, 'another');
    await node.call('walletlock');
    t.equal(await code(node.call('walletpassphrase', phrase, 10)), -14);
    await node.call('walletpassphrase', 'another', 10);
    await node.call('unloadwallet', name);
  }
});

t.test('completes an interrupted exchange of databases', async (t) => {
  const node = shared;
  await node.call('createwallet', 'exchanged');
  const address = await node.call('getnewaddress', 'here');
  await node.call('unloadwallet', 'exchanged');
  const folder = path.join(node.networkDir, 'wallets', 'exchanged');
  const part = (name: string): string => path.join(folder, name);
  const loads = async (why: string): Promise<void> => {
    await node.call('loadwallet', 'exchanged');
    t.equal((await node.call('getaddressinfo', address)).labels[0], 'here', why);
    await node.call('unloadwallet', 'exchanged');
    t.same(fs.readdirSync(folder), ['wallet.db', 'wallet.lock'], why);
  };
  fs.mkdirSync(part('wallet.db.new'));
  await loads('a new database that was not finished');
  fs.cpSync(part('wallet.db'), part('wallet.db.old'), { recursive: true });
  fs.renameSync(part('wallet.db'), part('wallet.db.new'));
  await loads('between the two renames');
  fs.cpSync(part('wallet.db'), part('wallet.db.old'), { recursive: true });
  await loads('before the old one was deleted');
});

t.test('continues an interrupted scan', async (t) => {
  const node = shared;
  await node.call('createwallet', 'source');
  const address = await node.call('getnewaddress');
  const wif = await node.call('dumpprivkey', address);
  await node.call('unloadwallet', 'source');
  await node.call('generatetoaddress', 500, address);
  await node.call('createwallet', 'scanned', false, true, null, false, false, true);
  // The reply is not waited for: the process dies when the key is there, before the scan, within it or after it.
  const importing = node.call('importprivkey', wif).catch(() => {});
  await until('the key is there', async () => (await node.call('getaddressinfo', address)).ismine);
  await node.kill();
  await importing;
  await node.up();
  t.equal((await node.call('getaddressinfo', address)).ismine, true, 'the key is there');
  await until('the scan is over', async () => (await node.call('getwalletinfo')).scanning === false);
  t.equal((await node.call('getwalletinfo')).txcount, 500, 'and everything it was paid');
});

t.test('restores a wallet from a backup', async (t) => {
  const node = shared;
  await node.call('createwallet', 'w');
  const address = await node.call('getnewaddress', 'mine');
  await node.call('generatetoaddress', 101, address);
  const balance = await node.call('getbalance');
  t.ok(balance > 0);
  const file = path.join(node.dir, 'backup');
  await node.call('backupwallet', file);
  await node.call('unloadwallet', 'w');
  t.same(await node.call('restorewallet', 'again', file), { name: 'again' });
  t.equal(await node.call('getbalance'), balance);
  t.equal((await node.call('getaddressinfo', address)).labels[0], 'mine');
  await node.call('unloadwallet', 'again');
  t.equal(await code(node.call('restorewallet', 'again', file)), -36, 'it is there already');
  const bytes = fs.readFileSync(file);
  bytes[bytes.length >> 1] ^= 1;
  fs.writeFileSync(file, bytes);
  t.equal(await code(node.call('restorewallet', 'bad', file)), -4, 'one bit is wrong');
  t.notOk(fs.existsSync(path.join(node.networkDir, 'wallets', 'bad', 'wallet.db')));
  t.equal(await code(node.call('restorewallet', 'none', '/nonexistent/file')), -8);

  // Files of a process that died while it created or restored a wallet.
  const wallets = path.join(node.networkDir, 'wallets');
  const half = (name: string): void => {
    fs.cpSync(path.join(wallets, 'again', 'wallet.db'), path.join(wallets, name, 'wallet.db.new'), { recursive: true });
    fs.rmSync(path.join(wallets, name, 'wallet.db.new', 'CURRENT'));
  };
  half('first');
  half('second');
  const names = (await node.call('listwalletdir')).wallets.map(({ name }: { name: string }) => name);
  t.notOk(names.includes('first'), 'is no wallet');
  t.equal(await code(node.call('loadwallet', 'first')), -18);
  await node.call('createwallet', 'first', false, false, 'secret');
  t.equal((await node.call('getwalletinfo')).unlocked_until, 0, 'made encrypted and locked');
  t.match(await node.call('getnewaddress'), /^bcrt1/, 'with keys');
  await node.call('unloadwallet', 'first');
  bytes[bytes.length >> 1] ^= 1;
  fs.writeFileSync(file, bytes);
  await node.call('restorewallet', 'second', file);
  t.equal(await node.call('getbalance'), balance);
  for (const name of ['first', 'second']) t.same(fs.readdirSync(path.join(wallets, name)), ['wallet.db', 'wallet.lock']);
  await node.call('unloadwallet', 'second');

  await node.call('createwallet', 'shelf/inner');
  await node.call('backupwallet', node.dir);
  t.ok(fs.existsSync(path.join(node.dir, 'shelf_inner.backup')), 'into a folder, by the name');
  // A call for a wallet that is being unloaded fails with an error, or runs after the unloading.
  const [left, came] = await Promise.allSettled([node.call('unloadwallet', 'shelf/inner'), node.call('loadwallet', 'shelf/inner')]);
  t.equal(left.status, 'fulfilled');
  if (came.status === 'rejected') t.match(came.reason.message, /Wallet is being unloaded\.|is already loaded/);
});

t.test('refuses names and files that would harm a wallet', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=3');
  const wallets = path.join(node.networkDir, 'wallets');
  for (const name of [
    'wallet.dat',
    'wallet.db',
    'x/wallet.db',
    'wallet.db/x',
    'x/Wallet.DB.new',
    'wallet.db.old',
    path.join(wallets, 'wallet.db'),
  ]) {
    t.equal(await code(node.call('createwallet', name, false, false, '', false, false, true)), -4, name);
  }
  await node.call('createwallet', 'w', false, false, '', false, false, true);
  await node.call('createwallet', 'wallet.db2');
  t.same(
    (await node.call('listwalletdir')).wallets.map(({ name }: { name: string }) => name).sort(),
    ['w', 'wallet.db2'],
    'names that only begin alike are fine',
  );
  await node.call('unloadwallet', 'wallet.db2');
  const address = await node.call('getnewaddress', 'mine');

  const database = path.join(wallets, 'w', 'wallet.db');
  const before = fs.readdirSync(path.dirname(database));
  const link = path.join(node.dir, 'link');
  fs.symlinkSync(database, link);
  const places = [
    path.join(database, 'CURRENT'),
    path.join(database, 'new'),
    database,
    path.join(link, 'CURRENT'),
    link,
    `${database}.new`,
    `${database}.old`,
    path.join(wallets, 'wallet.db'),
    path.join(wallets, 'wallet.db2', 'wallet.db', 'CURRENT'),
  ];
  for (const place of places) t.equal(await code(node.call('backupwallet', place)), -4, place);
  t.same(fs.readdirSync(path.dirname(database)), before);
  t.notOk(fs.readdirSync(database).includes('w.backup'));
  t.notOk(fs.existsSync(path.join(wallets, 'wallet.db')));

  const file = path.join(node.dir, 'wallet.db');
  await Promise.all([node.call('backupwallet', file), node.call('backupwallet', file)]);
  await node.stop();
  await node.up();
  t.same(await node.call('listwallets'), ['w']);
  t.same((await node.call('getaddressinfo', address)).labels, ['mine'], 'the wallet is whole');
  await node.call('unloadwallet', 'w');
  await node.call('restorewallet', 'back', file);
  t.same((await node.call('getaddressinfo', address)).labels, ['mine'], 'so is the backup, asked for twice at once');
  t.notOk(
    fs.readdirSync(node.dir).some((name) => name.endsWith('.incomplete')),
    'and nothing else is left',
  );
});

nightlyTest('what lies in the place of a database stays', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=3');
  const wallets = path.join(node.networkDir, 'wallets');
  await node.call('createwallet', 'w', false, false, '', false, false, true);
  const backup = path.join(node.dir, 'w.backup');
  await node.call('backupwallet', backup);
  const bytes = fs.readFileSync(backup);

  const folder = path.join(wallets, 'foo');
  fs.mkdirSync(folder);
  const refusesBoth = async (what: string, from: string): Promise<void> => {
    await t.rejects(
      node.call('createwallet', 'foo'),
      { code: -4, message: `Wallet file verification failed. Failed to create database path '${folder}'. Database already exists.` },
      `createwallet beside ${what}`,
    );
    await t.rejects(
      node.call('restorewallet', 'foo', from),
      { code: -36, message: `Failed to restore wallet. Database file exists in '${path.join(folder, 'wallet.db')}'.` },
      `restorewallet beside ${what}`,
    );
  };
  for (const name of ['wallet.db', 'wallet.db.new', 'wallet.db.old', 'wallet.dat']) {
    const file = path.join(folder, name);
    fs.copyFileSync(backup, file);
    await refusesBoth(`a file ${name}`, file);
    t.same(fs.readdirSync(folder), [name], 'nothing came and nothing went');
    t.ok(fs.readFileSync(file).equals(bytes), 'byte for byte');
    fs.unlinkSync(file);

    fs.symlinkSync(path.join(node.dir, 'nowhere'), file);
    await refusesBoth(`a link ${name} to nothing`, backup);
    t.same(fs.readdirSync(folder), [name]);
    fs.unlinkSync(file);
  }
  fs.mkdirSync(path.join(folder, 'wallet.db.old'));
  fs.copyFileSync(backup, path.join(folder, 'wallet.db.old', 'kept'));
  await refusesBoth('a folder wallet.db.old', backup);
  t.ok(fs.readFileSync(path.join(folder, 'wallet.db.old', 'kept')).equals(bytes));
  fs.rmSync(path.join(folder, 'wallet.db.old'), { recursive: true });

  // The remains of an interrupted creation do not block later calls, and a failed restoration keeps the earlier files.
  fs.mkdirSync(path.join(folder, 'wallet.db.new'));
  fs.writeFileSync(path.join(folder, 'note'), 'mine');
  const damaged = path.join(node.dir, 'damaged');
  fs.writeFileSync(damaged, bytes.subarray(0, bytes.length - 40));
  t.equal(await code(node.call('restorewallet', 'foo', damaged)), -4);
  t.equal(fs.readFileSync(path.join(folder, 'note'), 'utf8'), 'mine');
  await node.call('restorewallet', 'foo', backup);
  t.same(fs.readdirSync(folder).sort(), ['note', 'wallet.db', 'wallet.lock']);
  t.same((await node.call('listwallets')).sort(), ['foo', 'w']);

  // A file that comes while a wallet is made: the creation fails and takes away its own only.
  const late = path.join(wallets, 'bar', 'wallet.db');
  const making = code(node.call('createwallet', 'bar', false, false, 'stretching it takes a while'));
  while (!fs.existsSync(`${late}.new`)) await new Promise(setImmediate);
  fs.copyFileSync(backup, late);
  t.not(await making, 0);
  t.same(fs.readdirSync(path.dirname(late)), ['wallet.db']);
  t.ok(fs.readFileSync(late).equals(bytes));
  fs.unlinkSync(late);
  await node.call('createwallet', 'bar');
});
