// Random and mutated arguments to every wallet call except those that pay (wallet-spend-fuzz). The daemon answers each
// call. A call that failed has changed nothing in memory or on the disk: rows of the database, settings.json, other
// files. From time to time the test compares the wallet in memory with the one that is loaded from the disk. ADIT_SEED
// sets the seed, ADIT_FUZZ the number of calls.
import t from 'tap';
import { METHODS } from '../../src/rpc/declare/methods.js';
import { Daemon } from '../framework/daemon.js';
import { rounds } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { changesOf, WalletState } from '../framework/wallet-state.js';

const seed = Number(process.env.ADIT_SEED ?? 1);
const calls = Number(process.env.ADIT_FUZZ ?? rounds(100, 400));
const KEY = '0339a36013301597daef41fbe593a02cc513d0b55527ec2df1050e2e8ff49c85c2';
const WIF = 'cQ9WSu7ggCSJcwZo4pQvAeNaFDmTrZMbFkN4PGZEupZGzikGbWVb';
const ADDRESS = 'bcrt1qrkdm7junpxckxj8kxkfrdh45p57yxg3wyd3mcw';
const atoms: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  1e30,
  '',
  'x',
  'now',
  '00',
  KEY,
  WIF,
  ADDRESS,
  `pkh(${KEY})`,
  'ff'.repeat(600),
  [],
  {},
];
/** Whole requests that are right or nearly so. */
const requests: Record<string, unknown>[] = [
  { scriptPubKey: { address: ADDRESS }, timestamp: 'now', label: 'a' },
  { scriptPubKey: { address: ADDRESS }, timestamp: 1, keys: [WIF], watchonly: true },
  { scriptPubKey: `0014${'11'.repeat(20)}`, timestamp: 'now', pubkeys: [KEY] },
  { scriptPubKey: `a914${'22'.repeat(20)}87`, timestamp: 5, redeemscript: `21${KEY}ac` },
  { desc: `wpkh(${KEY})`, timestamp: 'now', internal: true },
  { desc: `wsh(multi(1,${KEY}))`, timestamp: 'now', range: [0, 3], label: 'r' },
  { desc: `pkh(${WIF})`, timestamp: 'now', active: true, next_index: 1 },
];
/** Kinds of arguments; most picks are of the expected kind. */
const kinds = {
  key: [WIF, KEY, ADDRESS, `21${KEY}ac`, 'x'],
  label: ['', 'a label', '*', 'x'],
  type: ['legacy', 'bech32', 'p2sh-segwit', 'no'],
  bool: [true, false],
  number: [0, 1, 2, 3, 100],
  none: [null],
  flag: ['avoid_reuse', 'blank', 'nope'],
  hash: ['00'.repeat(32), 'ab', 'x'],
  hex: ['00', 'zz', `0200000001${'11'.repeat(36)}00ffffffff0100000000000000001600141d9bedf7269ab18c77ac6d0ccdad2a1f7c2c4ae400000000`],
  /** Files and names that are never there: what succeeds here would leave something behind. */
  path: ['/nonexistent/folder/file'],
  name: ['no such wallet', '../..', 'legacy\0'],
  /** A name that is there: nothing may be made or loaded under it. */
  taken: ['legacy'],
  psbt: ['cHNidP8BAAoCAAAAAAAAAAAAAA==', 'cHNidP8=', ''],
  phrase: ['right', 'wrong', ''],
} as const;
type Kind = keyof typeof kinds | 'request';
const shapes: [method: string, ...args: (Kind | readonly Kind[])[]][] = [
  ['importmulti', ['request']],
  ['importmulti', ['request'], 'none'],
  ['importmulti', ['request', 'request', 'request']],
  ['importdescriptors', ['request']],
  ['importdescriptors', ['request', 'request']],
  ['importprivkey', 'key', 'label', 'bool'],
  ['importaddress', 'key', 'label', 'bool', 'bool'],
  ['importpubkey', 'key', 'label', 'bool'],
  ['sethdseed', 'bool', 'none'],
  ['sethdseed', 'bool', 'key'],
  ['setlabel', 'key', 'label'],
  ['getnewaddress', 'label', 'type'],
  ['getrawchangeaddress', 'type'],
  ['keypoolrefill', 'number'],
  ['addmultisigaddress', 'number', ['key', 'key'], 'label', 'type'],
  ['setwalletflag', 'flag', 'bool'],
  ['lockunspent', 'bool', 'none'],
  ['rescanblockchain', 'number', 'number'],
  ['walletpassphrase', 'label', 'number'],
  ['getaddressinfo', 'key'],
  ['listunspent', 'number', 'none', 'none', 'bool', 'none'],
  ['getbalance', 'none', 'number', 'bool', 'none'],
  ['getbalances'],
  ['getunconfirmedbalance', 'none'],
  ['getwalletinfo', 'none'],
  ['listlockunspent'],
  ['lockunspent', 'bool', ['hash']],
  ['importprunedfunds', 'hex', 'hex'],
  ['removeprunedfunds', 'hash'],
  ['dumpprivkey', 'key'],
  ['walletdisplayaddress', 'key'],
  ['dumpwallet', 'path'],
  ['importwallet', 'path'],
  ['signmessage', 'key', 'label'],
  ['signmessagewithprivkey', 'key', 'label'],
  ['verifymessage', 'key', 'hex', 'label'],
  ['getaddressesbylabel', 'label'],
  ['listlabels', 'label'],
  ['listdescriptors', 'bool'],
  ['walletpassphrasechange', 'phrase', 'phrase'],
  ['walletlock'],
  ['encryptwallet', 'none'],
  ['upgradewallet', 'number'],
  ['backupwallet', 'path'],
  ['restorewallet', 'name', 'path'],
  ['loadwallet', 'name', 'bool'],
  ['unloadwallet', 'name', 'bool'],
  ['createwallet', 'none', 'bool', 'bool', 'phrase', 'bool', 'bool'],
  ['createwallet', 'taken', 'bool', 'bool', 'phrase', 'bool', 'bool', 'bool'],
  ['restorewallet', 'taken', 'path', 'bool'],
  ['loadwallet', 'taken', 'bool'],
  ['abandontransaction', 'hash'],
  ['listaddressgroupings', 'none'],
  ['getreceivedbyaddress', 'key', 'number'],
  ['getreceivedbylabel', 'label', 'number'],
  ['listreceivedbyaddress', 'number', 'bool', 'bool', 'key'],
  ['listreceivedbylabel', 'number', 'bool', 'bool'],
  ['gettransaction', 'hash', 'bool'],
  ['listtransactions', 'label', 'number', 'number', 'bool'],
  ['listsinceblock', 'hash', 'number', 'bool', 'bool'],
  ['listwalletdir'],
  ['listwallets'],
  ['signrawtransactionwithwallet', 'hex'],
  ['walletprocesspsbt', 'psbt', 'bool'],
  ['abortrescan'],
  ['getdescriptorinfo', 'key'],
  ['deriveaddresses', 'key', 'number'],
  ['createmultisig', 'number', ['key', 'key'], 'type'],
  ['addhdkey', 'key'],
  ['createwalletdescriptor', 'type', 'none'],
  ['derivehdkey', 'label', 'none'],
  ['gethdkeys', 'none'],
  ['exportwatchonlywallet', 'path'],
  ['importcorewallet', 'path', 'name'],
  ['simulaterawtransaction', ['hex', 'hex'], 'none'],
];
/** Arguments that are never anything else: they name files. */
const FIXED: readonly Kind[] = ['path', 'name', 'taken'];
/**
 * Calls without an effect on the disk that atoms could not have: a text in their first place would encrypt or make a
 * wallet.
 */
const CAREFUL: readonly string[] = ['encryptwallet', 'createwallet'];
/** Calls that wallet-spend-fuzz tests. */
const PAYING = ['bumpfee', 'psbtbumpfee', 'send', 'sendall', 'sendmany', 'sendtoaddress', 'settxfee', 'walletcreatefundedpsbt'];

/** Calls that replace the wallet under test: functional/wallet-migrate has them. */
const REPLACING = ['migratewallet'];

const WALLETS = ['legacy', 'watch', 'descriptors', 'sealed'];
const CALLS_BETWEEN_LOADS = 25;

/**
 * Returns a wallet's replies about itself, without what loading may change (keys made in advance, locks).
 * @returns the replies, and the number of addresses
 */
async function answers(node: Daemon, name: string): Promise<[unknown, number]> {
  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  const ask = (method: string, ...params: unknown[]): Promise<any> => node.callWallet(name, method, ...params);
  const { keypoolsize, keypoolsize_hd_internal, unlocked_until, keypoololdest, ...info } = await ask('getwalletinfo');
  const labels: string[] = await ask('listlabels');
  // Imports take "*" for a label, which no call asks for.
  const byLabel = await Promise.all(labels.filter((label) => label !== '*').map((label) => ask('getaddressesbylabel', label)));
  const addresses = new Set([ADDRESS, ...byLabel.flatMap((found) => Object.keys(found))]);
  const known = await Promise.all([...addresses].sort().map((address) => ask('getaddressinfo', address)));
  const descriptors = info.descriptors ? (await ask('listdescriptors')).descriptors.map(({ desc }: { desc: string }) => desc) : [];
  const rest = [await ask('listunspent', 0), await ask('getbalances'), await ask('listtransactions', '*', 1000, 0, true)];
  return [[info, labels, byLabel, known, descriptors, rest], addresses.size];
}

t.test('covers every wallet call', async (t) => {
  const tried = new Set(shapes.map(([method]) => method));
  const left = [...METHODS.values()].filter(({ name, category }) => category === 'wallet' && !tried.has(name));
  t.same(left.map(({ name }) => name).sort(), [...PAYING, ...REPLACING].sort());
});

t.test('changes nothing when a call fails', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=2');
  const random = pseudoRandom(seed);
  const choose = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];
  const checksum = async (desc: string): Promise<string> => (await node.call('getdescriptorinfo', desc)).descriptor;
  for (const request of requests) {
    if (typeof request.desc !== 'string' || request.desc.includes(WIF)) continue;
    request.desc = await checksum(request.desc);
  }
  const mutate = (request: Record<string, unknown>): Record<string, unknown> => {
    const out = { ...request };
    for (let i = 0; i < 2; i++) {
      if (random() < 0.4) delete out[choose(Object.keys(request))];
      if (random() < 0.5) out[choose([...Object.keys(request), 'label', 'internal', 'keypool', 'keys', 'range'])] = choose(atoms);
    }
    return out;
  };
  const pick = (kind: Kind): unknown => {
    if (!FIXED.includes(kind) && random() < 0.12) return choose(atoms);
    if (kind !== 'request') return choose<unknown>(kinds[kind]);
    return random() < 0.5 ? choose(requests) : mutate(choose(requests));
  };
  await node.call('generatetoaddress', 3, ADDRESS);
  let failed = 0;
  let passed = 0;
  for (const name of WALLETS) {
    await node.call('createwallet', name, name === 'watch', false, name === 'sealed' ? 'right' : null, false, name === 'descriptors');
    const state = new WalletState(node, name);
    const rpc = async (method: string, params: unknown[]): Promise<{ status: number; body: string }> =>
      node.post(JSON.stringify({ id: 1, method, params }), { path: `/wallet/${name}` });
    const reload = async (): Promise<void> => {
      const [inMemory, names] = await answers(node, name);
      await node.call('unloadwallet', name);
      await node.call('loadwallet', name);
      t.same((await answers(node, name))[0], inMemory, `${name}: loaded again it says the same`);
      t.comment(`${names} addresses`);
    };
    let before = await state.read();
    for (let i = 0; i < calls / WALLETS.length; i++) {
      if (i % CALLS_BETWEEN_LOADS === 0) {
        await reload();
        // Sealed, but not always locked.
        if (name === 'sealed') await node.callWallet(name, 'walletpassphrase', 'right', 1000);
        before = await state.read();
      }
      const [method, ...args] = choose(shapes);
      const params = args.map((kind) => (typeof kind === 'string' ? pick(kind) : kind.map(pick)));
      if (CAREFUL.includes(method) && typeof params[0] === 'string' && args[0] !== 'taken') params[0] = null;
      const { body } = await rpc(method, params);
      const { error, result } = JSON.parse(body);
      const after = await state.read();
      const imports = method === 'importmulti' || method === 'importdescriptors';
      const refused = error !== null || (imports && result.every(({ success }: { success: boolean }) => !success));
      if (refused) {
        failed++;
        const changed = changesOf(before, after).join(', ');
        if (changed) t.fail(`${name}: ${method} ${JSON.stringify(params).slice(0, 500)} failed and changed ${changed}: ${body}`);
      } else passed++;
      before = after;
    }
    await reload();
    t.equal(JSON.parse((await rpc('getwalletinfo', [])).body).error, null, `${name} loads afterwards`);
    await node.call('unloadwallet', name);
  }
  t.ok(failed > calls / 4 && passed > calls / 20, `${failed} refused, ${passed} done`);
});
