// Tests importcorewallet with wallet files that Bitcoin Core made: release 0.21.1 (Berkeley DB, and SQLite for
// descriptors) and the master branch (SQLite). For each of the two, a node with the same blocks must answer calls about
// the wallets as Core did, and the wallets must be usable. The files are made by
// build/test/compare/make-core-wallets.js.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import t, { type Test } from 'tap';
import { Daemon, refusal } from '../framework/daemon.js';

const folder = path.resolve(import.meta.dirname, '../../../test/functional/core-wallets');
// biome-ignore lint/suspicious/noExplicitAny: replies of any form
type Reply = any;
interface Recorded {
  readonly time: number;
  readonly blocks: string[];
  readonly unconfirmed: string[];
  readonly wallets: { name: string; passphrase: string | null; replies: Record<string, Reply>; addresses: Record<string, Reply> }[];
  readonly files: Record<string, string>;
}
const recorded = (release: string): Recorded =>
  JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(folder, `${release}.json.gz`))).toString());

/** Starts a node with the recorded blocks and transactions, and copies the files into its folder. */
async function nodeFor(
  t: Test,
  { time, blocks, unconfirmed, files }: Recorded,
  ...options: string[]
): Promise<{ node: Daemon; fileOf(name: string): string }> {
  const node = await Daemon.startFor(t, '-keypool=3', '-fallbackfee=0.0001', ...options);
  await node.call('setmocktime', time);
  for (const block of blocks) await node.call('submitblock', block);
  for (const tx of unconfirmed) await node.call('sendrawtransaction', tx, 0);
  const fileOf = (name: string): string => path.join(node.dir, 'from-core', name, 'wallet.dat');
  for (const [name, bytes] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(fileOf(name)), { recursive: true });
    fs.writeFileSync(fileOf(name), Buffer.from(bytes, 'base64'));
  }
  return { node, fileOf };
}

/** Returns a function that calls methods of one wallet. */
const walletOf =
  (node: Daemon, name: string) =>
  (method: string, ...params: unknown[]): Promise<Reply> =>
    node.callWallet(name, method, ...params);

/** Sorts lists that Core returns in the order of a hash table. */
const sorted = (reply: Reply): Reply =>
  Array.isArray(reply) ? [...reply].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : reply;
/** Removes members that differ on purpose, at every depth. */
function without(reply: Reply, names: readonly string[]): Reply {
  if (Array.isArray(reply)) return reply.map((item) => without(item, names));
  if (reply === null || typeof reply !== 'object') return reply;
  return Object.fromEntries(
    Object.entries(reply)
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => [name, without(value, names)]),
  );
}

const WALLETS = ['plain', 'secret', 'later', 'descriptors', 'watching'];
const FRIEND = '2NBFNJTktNa7GZusGbDbGKRZTxdK9VVez3n';

for (const { release, ignored } of [
  // Ignored, because a node fills the key pools when it loads a wallet.
  { release: '0.21.1', ignored: ['keypoolsize', 'keypoolsize_hd_internal', 'unlocked_until'] },
  // Ignored in addition, because Core's master shows the descriptors of a payment in another form.
  {
    release: 'master',
    ignored: [
      'keypoolsize',
      'keypoolsize_hd_internal',
      'unlocked_until',
      'parent_descs',
      'nonmempool',
      'ancestorcount',
      'ancestorsize',
      'ancestorfees',
    ],
  },
]) {
  t.test(`wallets of ${release}`, async (t) => {
    const facts = recorded(release);
    const { node, fileOf } = await nodeFor(t, facts, release === 'master' ? '-compat=31' : '-compat=0.21.1');
    t.same(
      facts.wallets.map(({ name }) => name),
      WALLETS,
    );
    for (const { name, passphrase, replies, addresses } of facts.wallets) {
      const taken = await node.call('importcorewallet', fileOf(name), name, passphrase);
      t.equal(taken.name, name);
      t.equal(taken.transactions, replies.getwalletinfo.txcount, `${name}: all transactions`);
      t.notOk(taken.warnings, `${name}: nothing was left out`);
      const wallet = walletOf(node, name);
      for (const [method, reply] of Object.entries(replies)) {
        const params =
          method === 'listtransactions'
            ? ['*', 1000, 0, true]
            : method === 'listunspent'
              ? [0]
              : method === 'listreceivedbyaddress'
                ? [0, true, true]
                : [];
        const got = await wallet(method, ...params);
        const order = method === 'listtransactions' ? (list: Reply): Reply => list : sorted;
        if (method === 'getwalletinfo' && release === 'master') t.equal(got.txcount, reply.txcount);
        // Core's master does not list addresses that received only payments of other wallets.
        else if (method === 'listreceivedbyaddress' && release === 'master') t.ok(got.length >= reply.length);
        else t.same(order(without(got, ignored)), order(without(reply, ignored)), `${name}: ${method}`);
      }
      for (const [address, info] of Object.entries(addresses)) {
        if (release === '0.21.1') t.same(await wallet('getaddressinfo', address), info, `${name}: ${address}`);
        else t.equal((await wallet('getaddressinfo', address)).desc, info.desc);
      }
    }
    t.same(sorted(await node.call('listwallets')), sorted(WALLETS));
    if (release === 'master') {
      const exported = await node.call('importcorewallet', fileOf('exported'), 'exported');
      t.same(exported, { name: 'exported', keys: 0, descriptors: 8, transactions: exported.transactions, addresses: exported.addresses });
      const watched = await walletOf(node, 'exported')('listdescriptors');
      t.same(watched.descriptors, facts.wallets[0].replies.listdescriptors.descriptors, 'hardened steps come from the cache');
    }
    // The imported wallets are usable: they sign payments and see incoming ones.
    for (const [name, passphrase] of [
      ['plain', null],
      ['secret', 'pass'],
      ['later', 'pw 2'],
      ['descriptors', null],
    ] as const) {
      const wallet = walletOf(node, name);
      if (passphrase !== null) {
        t.match(await refusal(wallet('sendtoaddress', FRIEND, 0.1)), '-13', `${name} is locked`);
        await wallet('walletpassphrase', passphrase, 600);
      }
      t.match(await wallet('sendtoaddress', FRIEND, 0.1), /^[0-9a-f]{64}$/, `${name} pays`);
    }
    const paid = await walletOf(node, 'plain')('getnewaddress', 'later on');
    t.notOk(facts.wallets[0].addresses[paid], 'no address is given out again');
    await node.call('generatetoaddress', 1, paid);
    const before = await walletOf(node, 'plain')('getbalances');
    await node.stop();
    await node.up();
    await node.call('loadwallet', 'plain');
    t.same(await walletOf(node, 'plain')('getbalances'), before, 'and are what they were after a start');
  });
}

t.test('creates no wallet when a wallet file of Core cannot be imported', async (t) => {
  const facts = recorded('0.21.1');
  const { node, fileOf } = await nodeFor(t, { ...facts, blocks: [], unconfirmed: [] }, '-compat=0.21.1');
  const wallets = path.join(node.networkDir, 'wallets');
  const left = (): string[] => fs.readdirSync(wallets);
  const before = left();
  const mutated = path.join(node.dir, 'spoilt.dat');
  const refuse = async (text: RegExp | string, ...params: unknown[]): Promise<void> => {
    t.match(await refusal(node.call('importcorewallet', ...params)), text);
    t.same(left(), before, 'nothing is left');
    t.same(await node.call('listwallets'), []);
  };
  await refuse('-13 The wallet is encrypted', fileOf('secret'), 'w');
  await refuse('-14 Error: The wallet passphrase entered was incorrect.', fileOf('secret'), 'w', 'passs');
  await refuse('-15 The wallet is not encrypted', fileOf('plain'), 'w', 'pass');
  await refuse('-4 The wallet file was not imported. The file cannot be opened', path.join(node.dir, 'nothing'), 'w');
  await refuse('-4 The wallet file was not imported. The file is neither', path.join(node.networkDir, '.cookie'), 'w');
  const bytes = fs.readFileSync(fileOf('plain'));
  fs.writeFileSync(mutated, bytes.subarray(0, bytes.length - 4096));
  await refuse(/^-4 .* damaged/, mutated, 'w');
  fs.writeFileSync(mutated, fs.readFileSync(fileOf('descriptors')));
  fs.writeFileSync(`${mutated}-journal`, 'x');
  await refuse('-4 The wallet file was not imported. The file was not closed', mutated, 'w');
  t.match(await refusal(node.call('loadwallet', path.dirname(fileOf('plain')))), 'importcorewallet takes it over');
  await node.call('createwallet', 'there');
  t.match(await refusal(node.call('importcorewallet', fileOf('plain'), 'there')), "-36 There is a wallet in '");
  // The node has none of the blocks yet. Once they arrive, the wallet has the balances recorded from Core.
  t.equal((await node.call('importcorewallet', fileOf('descriptors'))).name, 'descriptors');
  const wallet = walletOf(node, 'descriptors');
  t.equal((await wallet('getbalances')).mine.trusted, 0);
  await node.call('setmocktime', facts.time);
  for (const block of facts.blocks) await node.call('submitblock', block);
  const { replies } = facts.wallets.find(({ name }) => name === 'descriptors')!;
  t.same(await wallet('getbalances'), replies.getbalances);
});
