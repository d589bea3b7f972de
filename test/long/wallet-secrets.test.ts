// Tests that no secrets appear in the log, in error replies, in the output of the process, or in its heap. A daemon is
// used as an operator uses it, with all log categories enabled. Then the test searches every file outside the wallet's
// database, and a snapshot of the node thread's heap.
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { encodeExtendedSecret } from '../../src/address/bip32/extended-codec.js';
import { masterFromSeed } from '../../src/address/bip32/extended-key.js';
import { addChecksum } from '../../src/address/descriptor/checksum.js';
import { Daemon } from '../framework/daemon.js';
import { descriptorContext } from '../framework/descriptor-context.js';
import { until } from '../framework/until.js';

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

t.test('leaves no trace of passphrases and keys', async (t) => {
  const snapshots = fs.mkdtempSync(path.join(fs.realpathSync('/tmp'), 'adit-heap-'));
  t.teardown(() => fs.rmSync(snapshots, { recursive: true, force: true }));
  const before = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `${before ?? ''} --heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots}`;
  t.teardown(() => {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  });
  const node = await Daemon.startFor(t, '-keypool=3', '-debug=1');
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
    t.equal((await call('walletpassphrase', [PHRASE, 'x'])).error?.code, -3);
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
    t.equal((await call('importprivkey', [wifs[0], 5])).error?.code, -3, 'a label of the wrong type');
    t.equal((await call('importprivkey', [wifs[0]])).error?.code, descriptors ? -4 : -13);
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
  // Keys within descriptors, valid and invalid ones.
  const [wif] = wifs as [string];
  const context = descriptorContext('0.21', 'regtest');
  const tprv = encodeExtendedSecret(masterFromSeed(new Uint8Array(32).fill(0x5a), context)!, context.params, context);
  const plain = addChecksum(`pkh(${wif})`);
  const ranged = addChecksum(`wpkh(${tprv}/0'/*)`);
  for (const descriptor of [plain, ranged]) {
    const { result } = await call('getdescriptorinfo', [descriptor]);
    t.match(result, { hasprivatekeys: true, checksum: descriptor.slice(-8) });
  }
  t.equal(((await call('deriveaddresses', [ranged, 2])).result as string[]).length, 3);
  t.match((await call('scantxoutset', ['start', [plain, { desc: ranged, range: 5 }]])).result, { success: true });
  t.match((await call('getdescriptorinfo', [wif])).error, { code: -5, message: "'(private key)' is not a valid descriptor function" });
  t.match((await call('getdescriptorinfo', [`pkh(${wif}/0)`])).error, { code: -5, message: "key '(private key)' is not valid" });
  t.match(
    (
      await call('importmulti', [
        [
          { desc: plain, timestamp: 'now' },
          { desc: ranged, timestamp: 'now', range: 2 },
        ],
        { rescan: false },
      ])
    ).result,
    [{ success: false }, { success: true }],
  );
  t.match((await call('importmulti', [[{ scriptPubKey: { address: own }, timestamp: 'now', pubkeys: [wif] }]])).result, [
    { error: { code: -5, message: 'Pubkey "(private key)" must be a hex string' } },
  ]);
  t.equal((await call('unloadwallet', ['k'])).error, null);
  await call('createwallet', { wallet_name: 'e', blank: true, descriptors: true });
  const imported = [plain, ranged].map((desc) => ({ desc, timestamp: 'now', label: desc === plain ? 'one' : undefined }));
  t.match((await call('importdescriptors', [imported])).result, [{ success: true }, { success: true }]);
  // In batches, and in bodies of any size.
  const entry = (method: string, params: unknown, id: number) => ({ id, method, params });
  const batch = [
    entry('signmessagewithprivkey', [wif, 'text'], 0),
    entry('encryptwallet', [PHRASE], 1),
    entry('walletpassphrase', [WRONG, 60], 2),
    entry('walletpassphrase', { timeout: 60, passphrase: PHRASE }, 3),
    entry('importdescriptors', [imported], 4),
    entry('walletpassphrasechange', [PHRASE, SECOND], 5),
    entry('getdescriptorinfo', [`foo(${tprv})`], 6),
    entry('signmessagewithprivkey', [wif, 'text'], 7),
  ];
  for (const size of [0, 100_000, 2_000_000]) {
    if (size > 0) batch[1] = entry('getblockcount', [], 1);
    if (size > 100_000) batch[3] = entry('walletpassphrase', [SECOND, 60], 3);
    const list = (await post(JSON.stringify(batch) + ' '.repeat(size))) as unknown as {
      result: unknown;
      error: { code: number; message: string } | null;
    }[];
    t.same(
      list.map(({ error }) => error?.code ?? 0),
      // Once the second passphrase is set, the first one opens nothing.
      size === 0 ? [0, 0, -14, 0, 0, 0, -5, 0] : size === 100_000 ? [0, 0, -14, -14, 0, -14, -5, 0] : [0, 0, -14, 0, 0, -14, -5, 0],
      `batch of ${size} more bytes`,
    );
    t.equal(list[6].error?.message, "'foo((private key))' is not a valid descriptor function");
    t.equal(list[0].result, list[7].result);
  }
  t.equal((await call('unloadwallet', ['e'])).error, null);
  // Encrypted after the fact; then locked by its timer.
  await call('createwallet', ['late']);
  t.equal((await call('encryptwallet', { passphrase: PHRASE })).error, null);
  t.equal((await call('walletpassphrase', [PHRASE, 1])).error, null);
  await until('locked by its timer', async () => (await node.call('getwalletinfo')).unlocked_until === 0);

  const phrases = [PHRASE, SECOND, WRONG];
  for (const reply of replies) for (const phrase of phrases) if (reply.includes(phrase)) t.fail('a reply repeats a passphrase', { reply });
  for (const key of [wif, tprv]) {
    t.notOk(
      replies.some((reply) => reply.includes(key)),
      'no reply repeats a key that was sent',
    );
  }

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
  for (const key of [wif, tprv]) t.notOk(snapshot.includes(key), 'no key as text in the heap');

  t.equal((await node.stop()).code, 0);
  for (const file of filesBelow(node.dir)) {
    const bytes = fs.readFileSync(file);
    for (const phrase of phrases) t.notOk(bytes.includes(phrase), `no passphrase in ${path.basename(file)}`);
    for (const key of [wif, tprv]) t.notOk(bytes.includes(key), `no key as text in ${path.basename(file)}`);
    if (file.includes(`${path.sep}wallets${path.sep}l${path.sep}`))
      t.notOk(bytes.includes(secretOf(wifs[0])), `no plain key in ${path.basename(file)}`);
  }
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, /method=walletpassphrase /, 'the log tells of the calls');
});

t.test('leaves no trace of secrets in a batch', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=2');
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

/** Places in a process's memory where some bytes are, as text around them; null where memory cannot be read. */
function inMemory(pid: number, wanted: string): string[] | null {
  const found: string[] = [];
  let read = 0;
  try {
    const memory = fs.openSync(`/proc/${pid}/mem`, 'r');
    for (const line of fs.readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from = '0', to = '0'] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      const size = Math.min(Number.parseInt(to, 16) - Number.parseInt(from, 16), 1 << 30);
      if (size === 0) continue;
      const bytes = Buffer.alloc(size);
      try {
        read += fs.readSync(memory, bytes, 0, size, Number.parseInt(from, 16));
      } catch {
        // Reserved, or gone by now.
      }
      for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
        found.push(bytes.toString('latin1', Math.max(0, at - 40), at + wanted.length + 20));
      }
    }
    fs.closeSync(memory);
  } catch {
    return null;
  }
  return read > 0 ? found : null;
}

t.test('holds no secret of a request in memory after the reply', async (t) => {
  const hash = createHmac('sha256', 'salt').update('pw').digest('hex');
  const node = await Daemon.startFor(
    t,
    `-rpcauth=all:salt$${hash}`,
    '-rpcwhitelist=all:getdescriptorinfo,encryptwallet,getblockcount',
    '-rpcwhitelistdefault=0',
  );
  const { pid } = node.child!;
  const mark = 'a text that nobody takes out of a request';
  await node.post(JSON.stringify({ method: 'getblockcount', params: [mark] }));
  if (inMemory(pid!, mark) === null) {
    t.comment('memory of other processes cannot be read here');
    return;
  }
  const wif = 'cT3Cg7B3xi4vWN9f7z2VgeU9xubmkSzJ2yG6aEreGFddDT5ZQpKo';
  await node.call('createwallet', 'w');
  for (const [who, options] of [
    ['the user of the cookie', {}],
    ['somebody with a list of methods', { auth: 'all:pw' }],
  ] as const) {
    for (const size of [0, 100_000, 3_000_000]) {
      const body = JSON.stringify([
        { method: 'getdescriptorinfo', params: [`pkh(${wif})`] },
        { method: 'getdescriptorinfo', params: [`foo(${wif})`] },
        { method: 'encryptwallet', params: [PHRASE, 'one too many'] },
      ]);
      const { status, body: reply } = await node.post(body + ' '.repeat(size), options);
      t.equal(status, 200);
      t.match(JSON.parse(reply), [{ result: { hasprivatekeys: true } }, { error: { code: -5 } }, { error: { code: -1 } }]);
      for (const secret of [wif, PHRASE]) t.same(inMemory(pid!, secret), [], `${who}, ${size} more bytes`);
    }
  }
  t.equal((await node.stop()).code, 0);
});
