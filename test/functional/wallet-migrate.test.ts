// migratewallet: the new descriptor wallets have the addresses, coins, labels and history of the legacy wallet, also when it
// is encrypted. If the migration fails, the legacy wallet is unchanged. Real processes, regtest.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { encodeWif } from '../../src/address/wif.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { Daemon, refusal } from '../framework/daemon.js';

// biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
type Json = Record<string, any>;

const OUTSIDE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const FOREIGN_KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const WATCHED_KEY = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const wif = (byte: number, compressed = true): string =>
  encodeWif({ key: new Uint8Array(32).fill(byte), compressed }, chainParams('regtest'));

type Caller = (method: string, ...params: unknown[]) => Promise<Json>;
const caller =
  (node: Daemon, wallet: string): Caller =>
  (method, ...params) =>
    node.callWallet(wallet, method, ...params) as Promise<Json>;

/** Fills a legacy wallet with every kind of key and script, pays to all of them, and returns the addresses by kind. */
async function fill(
  node: Daemon,
  w: Caller,
): Promise<{ own: string[]; watched: string[]; solvable: string[]; locked: Json; lockedWatched: Json }> {
  const own: string[] = [];
  for (const type of ['legacy', 'p2sh-segwit', 'bech32']) own.push(String(await w('getnewaddress', `label ${type}`, type)));
  // After this call, the keys above belong to a former seed.
  await w('sethdseed');
  const fresh = String(await w('getnewaddress', '', 'bech32'));
  own.push(fresh);
  for (const [byte, compressed] of [
    [1, true],
    [2, false],
  ] as const) {
    await w('importprivkey', wif(byte, compressed), `imported ${byte}`, false);
    const script = await node.call('deriveaddresses', (await node.call('getdescriptorinfo', `pkh(${wif(byte, compressed)})`)).descriptor);
    own.push(script[0]);
  }
  const keys = [own[0], fresh];
  for (const type of ['legacy', 'p2sh-segwit', 'bech32'])
    own.push((await w('addmultisigaddress', 2, keys, `shared ${type}`, type)).address);
  const solvable = [(await w('addmultisigaddress', 1, [own[0], FOREIGN_KEY], 'joint', 'legacy')).address];
  const watched = ['bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk'];
  await w('importaddress', watched[0], 'eyes only', false);
  await w('importpubkey', WATCHED_KEY, 'a key', false);
  for (const form of ['pkh', 'wpkh']) {
    watched.push((await node.call('deriveaddresses', (await node.call('getdescriptorinfo', `${form}(${WATCHED_KEY})`)).descriptor))[0]);
  }
  for (const address of [...own, ...watched]) await node.call('generatetoaddress', 1, address);
  await node.call('generatetoaddress', 100, OUTSIDE);
  await w('sendtoaddress', OUTSIDE, 12.5, 'for what', 'to whom');
  await node.call('generatetoaddress', 1, OUTSIDE);
  await w('sendtoaddress', OUTSIDE, 3);
  const coins = (await w('listunspent', 1)) as unknown as Json[];
  const [locked, lockedWatched] = [true, false].map((spends) => {
    const { txid, vout } = coins.find(({ spendable }) => spendable === spends) as Json;
    return { txid, vout };
  });
  await w('lockunspent', false, [locked, lockedWatched], true);
  return { own, watched, solvable, locked, lockedWatched };
}

const byOutpoint = (coins: readonly Json[]): string[] =>
  coins.map(({ txid, vout, amount, label }) => `${txid}:${vout} ${amount} ${label}`).sort();
const history = (entries: readonly Json[]): string[] =>
  entries
    .map(({ txid, category, amount, vout, comment, time, confirmations }) =>
      JSON.stringify([txid, vout, category, amount, comment, time, confirmations]),
    )
    .sort();

/** Returns what a legacy wallet can spend and what it only watches. */
async function legacyState(w: Caller): Promise<{ mine: Json; watched: Json; spendable: string[]; eyes: string[]; history: string[] }> {
  const { mine, watchonly } = await w('getbalances');
  const coins = (await w('listunspent', 0)) as unknown as Json[];
  return {
    mine,
    watched: watchonly,
    spendable: byOutpoint(coins.filter(({ spendable }) => spendable)),
    eyes: byOutpoint(coins.filter(({ spendable }) => !spendable)),
    history: history((await w('listtransactions', '*', 1000)) as unknown as Json[]),
  };
}

for (const passphrase of ['', 'open sesame']) {
  t.test(`a legacy wallet keeps its addresses, coins and labels${passphrase && ', encrypted'}`, async (t) => {
    const node = await Daemon.startFor(t, '-keypool=20', '-fallbackfee=0.0002');
    await node.call('createwallet', 'w');
    const w = caller(node, 'w');
    const { own, watched, solvable, locked, lockedWatched } = await fill(node, w);
    if (passphrase) {
      await w('encryptwallet', passphrase);
      t.equal(
        await refusal(node.call('migratewallet', 'w', 'wrong')),
        '-4 Error: Wallet decryption failed, the wallet passphrase was not provided or was incorrect.',
      );
      t.equal(
        await refusal(node.call('migratewallet', 'w')),
        '-4 Error: Wallet decryption failed, the wallet passphrase was not provided or was incorrect.',
      );
    }
    const before = await legacyState(w);
    t.ok(before.spendable.length > 6 && before.eyes.length >= 2, 'there is something to keep');
    const reply = await node.call('migratewallet', 'w', ...(passphrase ? [passphrase] : []));
    const { backup_path: backup, ...names } = reply;
    t.same(names, { wallet_name: 'w', watchonly_name: 'w_watchonly', solvables_name: 'w_solvables' });
    t.match(path.basename(backup), /^w_\d+\.legacy\.bak$/);
    t.equal(path.dirname(backup), path.join(node.networkDir, 'wallets'));

    const eyes = caller(node, 'w_watchonly');
    const solving = caller(node, 'w_solvables');
    t.match(await w('getwalletinfo'), { descriptors: true, private_keys_enabled: true });
    t.match(await eyes('getwalletinfo'), { descriptors: true, private_keys_enabled: false });
    const { mine } = await w('getbalances');
    for (const name of ['trusted', 'untrusted_pending', 'immature']) {
      t.equal(mine[name], before.mine[name], name);
      t.equal((await eyes('getbalances')).mine[name], before.watched[name], `${name}, watched`);
    }
    t.same(byOutpoint((await w('listunspent', 0)) as unknown as Json[]), before.spendable);
    t.same(byOutpoint((await eyes('listunspent', 0)) as unknown as Json[]), before.eyes);
    t.same(history((await w('listtransactions', '*', 1000)) as unknown as Json[]), before.history);
    for (const address of own) t.match(await w('getaddressinfo', address), { ismine: true, solvable: true }, address);
    for (const address of watched) {
      t.match(await w('getaddressinfo', address), { ismine: false });
      t.match(await eyes('getaddressinfo', address), { ismine: true });
    }
    for (const address of solvable) {
      t.match(await w('getaddressinfo', address), { ismine: false });
      t.match(await solving('getaddressinfo', address), { ismine: true, solvable: true, labels: ['joint'] });
    }
    t.same((await w('getaddressinfo', own[1])).labels, ['label p2sh-segwit']);
    t.same((await eyes('getaddressinfo', watched[0])).labels, ['eyes only']);
    t.same(await w('listlockunspent'), [locked]);
    t.same(await eyes('listlockunspent'), [lockedWatched], 'a lock goes with its coin');

    // Every coin can still be spent without the legacy wallet.
    if (passphrase) {
      t.equal(await refusal(w('sendtoaddress', OUTSIDE, 1)), '-13 Error: Please enter the wallet passphrase with walletpassphrase first.');
      await w('walletpassphrase', passphrase, 600);
    }
    await w('lockunspent', true);
    await node.call('generatetoaddress', 1, OUTSIDE);
    t.match(await w('sendall', [OUTSIDE]), { complete: true });
    await node.call('generatetoaddress', 1, OUTSIDE);
    t.equal(await w('getbalance'), 0);
    const change = String(await w('getnewaddress'));
    await node.call('generatetoaddress', 1, change);
    await node.call('generatetoaddress', 100, OUTSIDE);
    t.equal(await w('getbalance'), 50);

    // The wallets are loaded at the next start, with the same keys.
    t.equal(await refusal(node.call('migratewallet', 'w')), '-4 Error: This wallet is already a descriptor wallet');
    t.same(await node.stop(), { code: 0, signal: null });
    await node.up('-wallet=w');
    t.same((await node.call('listwallets')).sort(), ['w', 'w_solvables', 'w_watchonly']);
    t.equal(await w('getbalance'), 50);
    await node.call('restorewallet', 'old', backup);
    const old = caller(node, 'old');
    t.match(await old('getwalletinfo'), { descriptors: false });
    for (const address of own) t.match(await old('getaddressinfo', address), { ismine: true }, 'the backup has the legacy wallet');
    t.notMatch(fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'), /open sesame/);
  });
}

t.test('migrates wallets without private keys, without content, and without a name', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=5');
  const watched = 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk';
  const names = async (...args: unknown[]): Promise<Json> => {
    const { backup_path: backup, ...rest } = await node.call('migratewallet', ...args);
    return { ...rest, backup: path.basename(backup).replace(/\d+/, 'TIME') };
  };

  await node.call('createwallet', 'public', true);
  await caller(node, 'public')('importaddress', watched, 'there', false);
  t.same(await names('public'), { wallet_name: 'public', backup: 'public_TIME.legacy.bak' }, 'what it watches stays in it');
  t.match(await caller(node, 'public')('getaddressinfo', watched), { ismine: true, labels: ['there'] });
  t.match(await caller(node, 'public')('getwalletinfo'), { descriptors: true, private_keys_enabled: false });

  await node.call('createwallet', 'eyes', false, true);
  await caller(node, 'eyes')('importaddress', watched, 'seen', false);
  t.same(await names('eyes'), { wallet_name: 'eyes_watchonly', watchonly_name: 'eyes_watchonly', backup: 'eyes_TIME.legacy.bak' });
  t.notOk(fs.existsSync(path.join(node.networkDir, 'wallets', 'eyes')), 'nothing is left of a wallet without private keys');
  t.match(await caller(node, 'eyes_watchonly')('getaddressinfo', watched), { ismine: true, labels: ['seen'] });

  await node.call('createwallet', 'blank', false, true);
  await node.call('unloadwallet', 'blank');
  t.same(await names('blank', null, false), { wallet_name: 'blank', backup: 'blank_TIME.legacy.bak' });
  t.notOk((await node.call('listwallets')).includes('blank'), 'load_wallet=false');
  await node.call('loadwallet', 'blank');
  t.match(await caller(node, 'blank')('getwalletinfo'), { descriptors: true, blank: true });

  await node.call('createwallet', '');
  const unnamed = caller(node, '');
  const address = String(await unnamed('getnewaddress'));
  await unnamed('importaddress', watched, '', false);
  t.same(await names(''), { wallet_name: '', watchonly_name: 'default_wallet_watchonly', backup: 'default_wallet_TIME.legacy.bak' });
  t.match(await unnamed('getaddressinfo', address), { ismine: true });

  t.equal(await refusal(node.call('migratewallet', 'nowhere')), '-4 Error: Wallet does not exist');
  t.equal(await refusal(node.call('migratewallet', 'public')), '-4 Error: This wallet is already a descriptor wallet');
});

t.test('keeps the legacy wallet when a migration fails, and replaces leftovers of a crash', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=5');
  const wallets = path.join(node.networkDir, 'wallets');
  await node.call('createwallet', 'w');
  const w = caller(node, 'w');
  const address = String(await w('getnewaddress', 'mine'));
  const watched = 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk';
  await w('importaddress', watched, 'theirs', false);
  await w('addmultisigaddress', 1, [address, FOREIGN_KEY], 'joint', 'legacy');
  await node.call('createwallet', 'w_solvables');
  t.match(await refusal(node.call('migratewallet', 'w')), /^-4 Wallet file creation failed: .*w_solvables'\. Database already exists\.$/);
  t.match(await w('getwalletinfo'), { descriptors: false }, 'it is loaded again');
  t.match(await w('getaddressinfo', address), { ismine: true, labels: ['mine'] });
  t.same(
    fs.readdirSync(path.join(wallets, 'w')).filter((name) => name.startsWith('wallet.db')),
    ['wallet.db'],
  );
  t.notOk(fs.existsSync(path.join(wallets, 'w_watchonly')), 'nothing of the other wallet is left');

  // State after a crash that comes once the additional wallets have their names.
  await node.call('unloadwallet', 'w_solvables');
  fs.writeFileSync(path.join(wallets, 'w_solvables', 'migration.unfinished'), '');
  const both = await Promise.all(
    [0, 1].map(() =>
      node.call('migratewallet', 'w').then(
        () => 'done',
        (error: Error) => error.message,
      ),
    ),
  );
  t.ok(both.includes('done'), 'of two calls at once one migrates');
  t.notSame(both, ['done', 'done']);
  t.match(await w('getwalletinfo'), { descriptors: true });
  t.match(await caller(node, 'w_watchonly')('getaddressinfo', watched), { ismine: true, labels: ['theirs'] });
  t.notOk(fs.existsSync(path.join(wallets, 'w_solvables', 'migration.unfinished')));
  t.match(await caller(node, 'w_solvables')('getwalletinfo'), { private_keys_enabled: false });
});
