// Where secrets must not be: in the log, in error replies, in what the process prints, in its heap. A daemon is used as an operator uses
// it, with all log categories on; then every file outside of the wallet's database is searched, and a snapshot of the node thread's heap.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { until } from '../framework/until.js';

t.setTimeout(240_000);

const PHRASE = 'correct horse battery staple 7f3a';
const SECOND = 'Tr0ub4dor and three 91cc';
const WRONG = 'incorrect donkey 55ab';
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The 32 bytes of a compressed private key in WIF. */
function secretOf(wif: string): Buffer {
  let number = 0n;
  for (const char of wif) number = number * 58n + BigInt(base58.indexOf(char));
  return Buffer.from(number.toString(16).padStart(76, '0'), 'hex').subarray(1, 33);
}

function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

t.test('passphrases and keys leave no trace', async (t) => {
  const snapshots = fs.mkdtempSync(path.join(fs.realpathSync('/tmp'), 'adit-heap-'));
  t.teardown(() => fs.rmSync(snapshots, { recursive: true, force: true }));
  const before = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `${before ?? ''} --heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots}`;
  t.teardown(() => {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  });
  const node = await Daemon.start('-keypool=3', '-debug=1');
  t.teardown(() => node.remove());
  const replies: string[] = [];
  const post = async (body: string): Promise<{ result: never; error: { code: number } | null }> => {
    const { body: reply } = await node.post(body);
    replies.push(reply);
    return JSON.parse(reply);
  };
  const call = (method: string, params: unknown): ReturnType<typeof post> => post(JSON.stringify({ id: 1, method, params }));

  const wifs: string[] = [];
  let own = '';
  for (const descriptors of [false, true]) {
    const name = descriptors ? 'd' : 'l';
    await call('createwallet', { wallet_name: name, passphrase: PHRASE, descriptors });
    t.equal((await call('walletpassphrase', [WRONG, 60])).error?.code, -14);
    t.equal((await call('walletpassphrase', [PHRASE])).error?.code, -1, 'one argument too few');
    t.equal((await call('walletpassphrase', [PHRASE, 'x'])).error?.code, -1);
    t.equal((await call('walletpassphrase', { passphrase: PHRASE, timeout: 60 })).error, null);
    if (!descriptors) {
      const { result: address } = await call('getnewaddress', []);
      own = address;
      // The reply holds the key, as it must; it is not kept with the others.
      wifs.push(await node.call('dumpprivkey', address));
    }
    t.equal((await call('encryptwallet', [PHRASE])).error?.code, -15);
    t.equal((await call('walletpassphrasechange', [WRONG, SECOND])).error?.code, -14);
    t.equal((await call('walletpassphrasechange', [PHRASE, SECOND])).error, null);
    t.equal((await call('walletlock', [])).error, null);
    t.equal((await call('walletpassphrase', [SECOND, 60])).error, null, 'the new one opens it');
    t.equal((await call('walletlock', [])).error, null);
    t.equal((await call('importprivkey', [wifs[0], 5])).error?.code, descriptors ? -4 : -13);
    t.equal((await call('unloadwallet', [name])).error, null);
  }
  // A key that a call brings, once in each place that takes one.
  await call('createwallet', { wallet_name: 'k', blank: true });
  t.equal((await call('importprivkey', [wifs[0], 'mine', false])).error, null);
  t.equal((await call('signmessagewithprivkey', [wifs[0], 'text'])).error, null);
  t.equal((await call('signrawtransactionwithkey', ['0200000000000000000000', [wifs[0]]])).error?.code, -22);
  const [{ success }] = (
    await call('importmulti', [[{ scriptPubKey: { address: own }, timestamp: 'now', keys: [wifs[0]] }], { rescan: false }])
  ).result as unknown as { success: boolean }[];
  t.equal(success, false, 'it is there already');
  t.equal((await call('sethdseed', [true, wifs[0]])).error?.code, -5, 'and no seed any more');
  t.equal((await call('unloadwallet', ['k'])).error, null);
  // Encrypted after the fact; then locked by its timer.
  await call('createwallet', ['late']);
  t.equal((await call('encryptwallet', { passphrase: PHRASE })).error, null);
  t.equal((await call('walletpassphrase', [PHRASE, 1])).error, null);
  await until('locked by its timer', async () => (await node.call('getwalletinfo')).unlocked_until === 0);

  const phrases = [PHRASE, SECOND, WRONG];
  for (const reply of replies) for (const phrase of phrases) if (reply.includes(phrase)) t.fail('a reply repeats a passphrase', { reply });
  t.notOk(
    replies.some((reply) => reply.includes(wifs[0])),
    'no reply repeats a key that was sent',
  );

  // The node thread's heap, after whatever was garbage is gone: strings of it are in the snapshot as text.
  process.kill(node.child!.pid!, 'SIGUSR2');
  let snapshot = '';
  await until('a whole snapshot', () => {
    const [file] = fs.readdirSync(snapshots);
    if (file === undefined) return false;
    snapshot = fs.readFileSync(path.join(snapshots, file), 'latin1');
    // The texts come last, and end the file.
    return /"\s*\]\s*\}\s*$/.test(snapshot.slice(-200));
  });
  t.ok(snapshot.includes('walletpassphrase'), 'the snapshot has texts of the node thread');
  for (const phrase of phrases) t.notOk(snapshot.includes(phrase), 'no passphrase in the heap');
  t.notOk(snapshot.includes(wifs[0]), 'no key as text in the heap');

  t.equal((await node.stop()).code, 0);
  for (const file of filesBelow(node.dir)) {
    const bytes = fs.readFileSync(file);
    for (const phrase of phrases) t.notOk(bytes.includes(phrase), `no passphrase in ${path.basename(file)}`);
    t.notOk(bytes.includes(wifs[0]), `no key as text in ${path.basename(file)}`);
    if (file.includes(`${path.sep}wallets${path.sep}l${path.sep}`))
      t.notOk(bytes.includes(secretOf(wifs[0])), `no plain key in ${path.basename(file)}`);
  }
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, /method=walletpassphrase /, 'the log tells of the calls');
});

t.test('a batch works too', async (t) => {
  const node = await Daemon.start('-keypool=2');
  t.teardown(() => node.remove());
  await node.call('createwallet', 'w');
  const calls = [
    { id: 1, method: 'encryptwallet', params: [PHRASE] },
    { id: 2, method: 'walletpassphrase', params: [PHRASE, 60] },
  ];
  const reply = JSON.parse((await node.post(JSON.stringify(calls))).body) as { error: unknown }[];
  t.same(
    reply.map(({ error }) => error),
    [null, null],
  );
  await t.rejects(node.call('walletpassphrase', '', 60), { code: -8 }, 'empty is still empty');
});
