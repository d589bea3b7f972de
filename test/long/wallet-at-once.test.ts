// Hundreds of calls to three wallets at once, from several connections, while blocks connect and disconnect. Wallets
// are encrypted, locked, unloaded and loaded, import and scan. Every call gets a result or a fitting error.
// Acknowledged changes are kept. Balances equal those of copies that scan again, and those of a walk through all
// blocks. The same holds when a thread stalls or dies, and when the process dies.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { Daemon } from '../framework/daemon.js';
import { nightly, rounds } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';

const NAMES = ['legacy', 'reuse', 'descriptors'] as const;
type Name = (typeof NAMES)[number];
const SECRET = 'correct horse';
const OUTSIDE = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';
/** Error codes with which calls may be refused. Internal errors of the node are not among them. */
const FITTING: ReadonlySet<number> = new Set([-1, -3, -4, -5, -6, -8, -12, -13, -14, -15, -16, -17, -18, -35]);
/** Texts that no caller can do anything about. */
const FAULT = /undefined|TypeError|STORE_|is closed|is gone|not a function|Internal error/;
const NOT_LOADED = -18;

// biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
type Result = any;
type Call = readonly [method: string, ...params: unknown[]];

const satoshis = (amount: number): number => Math.round(amount * 1e8);

/** A foreign key: others pay its address, wallets import it. */
interface Foreign {
  readonly address: string;
  readonly wif: string;
  readonly descriptor: string;
}

class Storm {
  /** Addresses by wallet that its calls returned, and that the wallet must know from then on. */
  readonly addresses: Record<Name, string[]> = { legacy: [], reuse: [], descriptors: [] };
  readonly payments: Record<Name, string[]> = { legacy: [], reuse: [], descriptors: [] };
  readonly faults: string[] = [];
  readonly answers = new Map<string, number>();
  /** Faults of connections and threads are expected from here on. */
  ending = false;
  foreign: Foreign[] = [];
  #files = 0;
  #over = false;
  readonly node: Daemon;
  readonly random: () => number;

  constructor(node: Daemon, seed: number) {
    this.node = node;
    this.random = pseudoRandom(seed);
  }

  below(count: number): number {
    return Math.floor(this.random() * count);
  }
  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** Wallets with coins, and keys of nobody's. */
  async begin(): Promise<void> {
    const { node } = this;
    await node.call('createwallet', 'legacy', false, false, '', false, false);
    await node.call('createwallet', 'reuse', false, false, '', true, false);
    await node.call('createwallet', 'descriptors', false, false, '', false, true);
    await node.call('createwallet', 'source', false, false, '', false, false);
    for (let i = 0; i < 12; i++) {
      const address: string = await node.callWallet('source', 'getnewaddress', '', 'bech32');
      const wif: string = await node.callWallet('source', 'dumpprivkey', address);
      const { checksum } = await node.call('getdescriptorinfo', `wpkh(${wif})`);
      this.foreign.push({ address, wif, descriptor: `wpkh(${wif})#${checksum}` });
    }
    await node.call('unloadwallet', 'source');
    for (const name of NAMES) {
      for (let i = 0; i < 4; i++) this.addresses[name].push(await node.callWallet(name, 'getnewaddress', '', 'bech32'));
      await node.call('generatetoaddress', 6, this.addresses[name][0]);
    }
    for (const { address } of this.foreign) await node.call('generatetoaddress', 1, address);
    await node.call('generatetoaddress', 100, OUTSIDE);
  }

  #anyAddress(): string {
    return this.random() < 0.2 ? this.one(this.foreign).address : this.one(this.addresses[this.one(NAMES)]);
  }
  #file(): string {
    return path.join(this.node.dir, `file${++this.#files}`);
  }
  #amount(): number {
    return (1 + this.below(2_000_000)) / 1e8 + 0.001;
  }
  #import(name: Name): Call {
    const { address, wif, descriptor } = this.one(this.foreign);
    const rescan = this.random() < 0.5;
    const timestamp = rescan ? 0 : 'now';
    if (name === 'descriptors') return ['importdescriptors', [{ desc: descriptor, timestamp }]];
    switch (this.below(3)) {
      case 0:
        return ['importaddress', address, 'watched', rescan];
      case 1:
        return ['importprivkey', wif, 'taken', rescan];
      default:
        return ['importmulti', [{ scriptPubKey: { address }, keys: [wif], timestamp }], { rescan }];
    }
  }
  /** Some call to a wallet; those that many clients make are frequent. */
  #some(name: Name): Call {
    const sent = this.one(this.payments[name]) ?? '00'.repeat(32);
    const types = name === 'descriptors' ? ['bech32', 'legacy', 'p2sh-segwit'] : ['bech32', 'legacy'];
    const kinds: readonly (readonly [weight: number, () => Call])[] = [
      [16, () => ['getnewaddress', '', this.one(types)]],
      [4, () => ['getrawchangeaddress']],
      [10, () => this.one<Call>([['getbalance'], ['getbalances'], ['getwalletinfo'], ['getunconfirmedbalance']])],
      [6, () => ['getbalance', '*', 1 + this.below(6)]],
      [6, () => this.one<Call>([['listunspent', 0], ['listreceivedbyaddress', 0, true], ['listaddressgroupings'], ['listsinceblock']])],
      [4, () => ['listtransactions', '*', 50]],
      [14, () => ['sendtoaddress', this.#anyAddress(), this.#amount()]],
      [4, () => ['sendmany', '', { [this.#anyAddress()]: this.#amount(), [OUTSIDE]: 0.001 }]],
      [4, () => ['bumpfee', sent]],
      [3, () => ['abandontransaction', sent]],
      [3, () => ['walletcreatefundedpsbt', [], [{ [this.#anyAddress()]: this.#amount() }]]],
      [3, () => ['gettransaction', sent]],
      [3, () => ['keypoolrefill', 10 + this.below(40)]],
      [8, () => ['walletpassphrase', SECRET, this.below(4)]],
      [4, () => ['walletlock']],
      [1, () => ['encryptwallet', SECRET]],
      [1, () => ['walletpassphrasechange', SECRET, SECRET]],
      [4, () => this.#import(name)],
      [2, () => ['rescanblockchain', this.below(100)]],
      [2, () => ['abortrescan']],
      [2, () => [this.random() < 0.5 ? 'dumpwallet' : 'backupwallet', this.#file()]],
      [2, () => ['unloadwallet']],
      [2, () => ['setlabel', this.one(this.addresses[name]), `label ${this.below(5)}`]],
      [1, () => ['lockunspent', true]],
    ];
    let at = this.below(kinds.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, make] of kinds) {
      if (at < weight) return make();
      at -= weight;
    }
    return ['getbalance'];
  }

  /**
   * Makes one call, or several in a batch, and notes what became of them.
   * @returns the last error's code, 0 for success, null when the node is gone
   */
  async #ask(agent: http.Agent, name: Name, calls: readonly Call[]): Promise<number | null> {
    const requests = calls.map(([method, ...params], id) => ({ id, method, params }));
    const body = requests.length === 1 ? JSON.stringify(requests[0]) : JSON.stringify(requests) + ' '.repeat(this.below(200_000));
    let replies: readonly { result: Result; error: { code: number; message: string } | null }[];
    try {
      const reply = await this.node.post(body, { path: `/wallet/${name}`, agent });
      replies = [JSON.parse(reply.body)].flat();
    } catch (error) {
      if (!this.ending) this.faults.push(`${name} ${calls.map(([method]) => method)}: ${String(error)}`);
      return null;
    }
    if (replies.length !== calls.length) this.faults.push(`${replies.length} answers to ${calls.length} calls`);
    let last = 0;
    for (const [i, { result, error }] of replies.entries()) {
      this.#note(name, calls[i], result, error);
      if (error) last = error.code;
    }
    return last;
  }
  #note(name: Name, [method, ...params]: Call, result: Result, error: { code: number; message: string } | null): void {
    const kind = `${method} ${error?.code ?? 'done'}`;
    this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1);
    if (error !== null) {
      // A block that is made while another caller turns the chain may come to nothing.
      const isFault = method !== 'generatetoaddress' && (!FITTING.has(error.code) || FAULT.test(error.message));
      if (isFault && !this.ending) this.faults.push(`${name} ${method} ${JSON.stringify(params)}: ${error.code} ${error.message}`);
    } else if (method === 'getnewaddress') this.addresses[name].push(result);
    else if (method === 'sendtoaddress' || method === 'sendmany') this.payments[name].push(result);
    else if (method === 'bumpfee') this.payments[name].push(result.txid);
  }

  /** @param calls of each of the workers; it ends earlier with stop(), or with the node */
  async run(workers: number, calls: number): Promise<void> {
    this.#over = false;
    const work = async (): Promise<void> => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1, timeout: 5_000 });
      for (let i = 0; i < calls && !this.#over; i++) {
        const name = this.one(NAMES);
        const calls = Array.from({ length: this.random() < 0.1 ? 6 : 1 }, () => this.#some(name));
        if (calls.length > 1)
          calls.splice(3, 0, ['getblockcount'], ['generatetoaddress', 1, OUTSIDE], ['unloadwallet'], ['loadwallet', name]);
        const code = await this.#ask(agent, name, calls);
        if (code === null && this.ending) break;
        if (code === NOT_LOADED) await this.#ask(agent, name, [['loadwallet', name]]);
      }
      agent.destroy();
    };
    let working = true;
    const mine = async (): Promise<void> => {
      const { node } = this;
      while (working && !this.#over) {
        try {
          if (this.random() < 0.3) {
            const left = await node.call('getblockhash', (await node.call('getblockcount')) - this.below(3));
            await node.call('invalidateblock', left);
            await node.call('generatetoaddress', 4, this.#anyAddress());
          } else await node.call('generatetoaddress', 1, this.#anyAddress());
        } catch (error) {
          if (this.ending) break;
          // One that is made while another caller's call turns the chain may come to nothing.
          if (!String(error).includes('block not accepted')) this.faults.push(`a block: ${String(error)}`);
        }
        await sleep(this.below(40));
      }
    };
    const mining = mine();
    await Promise.all(Array.from({ length: workers }, work));
    working = false;
    await mining;
  }
  stop(): void {
    this.#over = true;
  }

  /** Everything at rest, all wallets loaded, unlocked and at the tip, the mempool empty. */
  async settle(): Promise<void> {
    const { node } = this;
    for (const name of NAMES) {
      await node.call('loadwallet', name).catch(() => {});
      while ((await node.callWallet(name, 'getwalletinfo')).scanning !== false) await sleep(20);
      await unlockIfEncrypted(node, name);
    }
    for (let i = 0; i < 20 && (await node.call('getrawmempool')).length > 0; i++) await node.call('generatetoaddress', 1, OUTSIDE);
    for (const name of NAMES) {
      const all: Result[] = await node.callWallet(name, 'listtransactions', '*', 100_000, 0, true);
      const waiting = new Set(all.filter(({ confirmations, abandoned }) => confirmations === 0 && !abandoned).map(({ txid }) => txid));
      for (const txid of waiting) await node.callWallet(name, 'abandontransaction', txid).catch(() => {});
    }
  }

  /** Finds all unspent outputs by reading the whole chain, by outpoint. */
  async unspent(): Promise<Map<string, { readonly address: string; readonly value: number }>> {
    const { node } = this;
    const outputs = new Map<string, { address: string; value: number }>();
    const tip: number = await node.call('getblockcount');
    for (let height = 1; height <= tip; height++) {
      const block = await node.call('getblock', await node.call('getblockhash', height), 2);
      for (const { txid, vin, vout } of block.tx as Result[]) {
        for (const input of vin) outputs.delete(`${input.txid}:${input.vout}`);
        for (const { n, value, scriptPubKey } of vout) {
          const address = scriptPubKey.address ?? scriptPubKey.addresses?.[0];
          if (address !== undefined) outputs.set(`${txid}:${n}`, { address, value: satoshis(value) });
        }
      }
    }
    return outputs;
  }
}

type Money = { readonly mine: number; readonly watched: number };

/** Unlocks an encrypted wallet for longer than the test runs: a locked one refuses rescanblockchain. */
async function unlockIfEncrypted(node: Daemon, name: string): Promise<void> {
  const { unlocked_until } = (await node.callWallet(name, 'getwalletinfo')) as Result;
  if (unlocked_until !== undefined) await node.callWallet(name, 'walletpassphrase', SECRET, 100_000);
}

/** @param avoidsReuse the wallet counts coins of reused addresses separately, and never counts watched ones there (as Core does) */
async function moneyOf(node: Daemon, name: string, avoidsReuse: boolean): Promise<Money> {
  const sum = (part: Record<string, number> | undefined): number =>
    ['trusted', 'untrusted_pending', 'immature', 'used'].reduce((all, kind) => all + satoshis(part?.[kind] ?? 0), 0);
  const { mine, watchonly } = await node.callWallet(name, 'getbalances');
  if (!avoidsReuse) return { mine: sum(mine), watched: sum(watchonly) };
  await node.callWallet(name, 'setwalletflag', 'avoid_reuse', false);
  const { watchonly: all } = await node.callWallet(name, 'getbalances');
  await node.callWallet(name, 'setwalletflag', 'avoid_reuse', true);
  return { mine: sum(mine), watched: sum(all) };
}

async function verify(t: Test, storm: Storm): Promise<void> {
  const { node } = storm;
  t.same(storm.faults, [], 'every call was answered with something that fits');
  await storm.settle();
  const unspent = await storm.unspent();
  const given = NAMES.flatMap((name) => storm.addresses[name]);
  t.equal(new Set(given).size, given.length, 'no address was given out twice');
  for (const name of NAMES) {
    const ask = (method: string, ...params: unknown[]): Promise<Result> => node.callWallet(name, method, ...params);
    const lost: string[] = [];
    for (const address of storm.addresses[name]) if (!(await ask('getaddressinfo', address)).ismine) lost.push(address);
    for (const txid of storm.payments[name]) await ask('gettransaction', txid).catch(() => lost.push(txid));
    t.same(lost, [], `${name}: what was acknowledged is kept`);
    const whose = new Map<string, Result>();
    for (const { address } of unspent.values()) if (!whose.has(address)) whose.set(address, await ask('getaddressinfo', address));
    const naive = { mine: 0, watched: 0 };
    for (const { address, value } of unspent.values()) {
      if (whose.get(address).ismine) naive.mine += value;
      else if (whose.get(address).iswatchonly) naive.watched += value;
    }
    // A wallet knows the payments to imported keys only as far as a scan has shown them.
    const foreign = new Set(storm.foreign.map(({ address }) => address));
    const held = ((await ask('listunspent', 0, 9_999_999, [], true, { include_immature_coinbase: true })) as Result[])
      .filter(({ address }) => !foreign.has(address))
      .map(({ txid, vout }) => `${txid}:${vout}`);
    const due = [...unspent].filter(([, { address }]) => whose.get(address).ismine && !foreign.has(address)).map(([outpoint]) => outpoint);
    t.same(held.sort(), due.sort(), `${name}: coin by coin as the chain has it`);
    await ask('rescanblockchain');
    const money = await moneyOf(node, name, name === 'reuse');
    t.same(money, naive, `${name}: as the chain has it`);
    // The same rows with all blocks scanned again.
    const file = path.join(node.dir, `${name}.copy`);
    fs.rmSync(file, { force: true });
    await ask('backupwallet', file);
    const copy = `${name} ${path.basename(node.dir)} ${storm.answers.size} ${given.length}`;
    await node.call('restorewallet', copy, file);
    await unlockIfEncrypted(node, copy);
    await node.callWallet(copy, 'rescanblockchain');
    t.same(await moneyOf(node, copy, name === 'reuse'), money, `${name}: as a restored copy has it`);
    const coins = async (of: string): Promise<string[]> =>
      ((await node.callWallet(of, 'listunspent', 0)) as Result[]).map(({ txid, vout }) => `${txid}:${vout}`).sort();
    t.same(await coins(copy), await coins(name), `${name}: coin by coin`);
    await node.call('unloadwallet', copy);
    // The same keys, nothing else.
    const anew = `${copy} anew`;
    await node.call('createwallet', anew, false, true, '', false, name === 'descriptors');
    if (name === 'descriptors') {
      const { descriptors } = (await ask('listdescriptors', true)) as { descriptors: Result[] };
      const wanted = descriptors.map(({ desc, range, next, internal, active }) => ({
        desc,
        range,
        next_index: next,
        internal,
        active,
        timestamp: 0,
      }));
      const done = (await node.callWallet(anew, 'importdescriptors', wanted)) as { success: boolean }[];
      t.ok(
        done.every(({ success }) => success),
        JSON.stringify(done.filter(({ success }) => !success)),
      );
    } else {
      const dump = `${file}.dump`;
      fs.rmSync(dump, { force: true });
      await ask('dumpwallet', dump);
      await node.callWallet(anew, 'importwallet', dump);
      await node.callWallet(anew, 'rescanblockchain');
    }
    t.equal((await moneyOf(node, anew, false)).mine, money.mine, `${name}: as a wallet of the same keys has it`);
    await node.call('unloadwallet', anew);
  }
}

const received = (storm: Storm): string => {
  const all = [...storm.answers].sort();
  return `${all.reduce((sum, [, count]) => sum + count, 0)} answers: ${all.map(([kind, count]) => `${kind} ${count}`).join(', ')}`;
};
const seedOf = (): number => Number(process.env.ADIT_STORM_SEED ?? 1);

t.test('keeps wallets right through a storm of concurrent calls', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=10', '-fallbackfee=0.0002');
  const storm = new Storm(node, seedOf());
  await storm.begin();
  await storm.run(8, rounds(25, 1500));
  t.comment(received(storm));
  await verify(t, storm);
  await node.stop();
});

/** Loaded by every thread: tells which thread it is, and does what a file with its number says. */
const orders = (dir: string): string => `
import fs from 'node:fs';
import { isMainThread, threadId, workerData } from 'node:worker_threads';
const dir = ${JSON.stringify(dir)};
if (!isMainThread) {
  fs.writeFileSync(dir + '/' + threadId, workerData?.client ? 'wallets' : (workerData ?? null) === null ? 'storage' : 'other');
  const next = dir + '/next';
  if ((workerData ?? null) === null && fs.existsSync(next)) fs.renameSync(next, dir + '/order' + threadId);
  const look = () => {
    const order = dir + '/order' + threadId;
    if (!fs.existsSync(order)) return;
    const what = fs.readFileSync(order, 'utf8');
    if (what === '') return;
    fs.rmSync(order);
    if (what === 'die') process.exit(9);
    if (what === 'stall') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
  };
  look();
  setInterval(look, 10).unref();
}`;

/** Disturbances in the middle of the test, and the thread that they hit. The first storage thread is the chain's. */
const ENDS: readonly (readonly [what: 'die' | 'stall' | 'kill' | 'stop', kind: 'wallets' | 'storage' | ''])[] = [
  ['die', 'storage'],
  ['kill', ''],
  ['die', 'wallets'],
  ['stop', ''],
  ['stall', 'wallets'],
  ['stall', 'storage'],
];

const ROUNDS = 3;
if (nightly)
  t.test('keeps wallets right when the node ends during a storm of calls', async (t) => {
    const node = await Daemon.startFor(t, '-keypool=10', '-fallbackfee=0.0002');
    const dir = path.join(node.dir, 'threads');
    const script = path.join(node.dir, 'preload.mjs');
    fs.writeFileSync(script, orders(dir));
    const storm = new Storm(node, seedOf() + 1);
    await storm.begin();
    await node.stop();
    node.env = { NODE_OPTIONS: `--import=${pathToFileURL(script).href}` };
    for (let round = 0; round < ROUNDS; round++) {
      for (const [what, kind] of ENDS) {
        fs.rmSync(dir, { recursive: true, force: true });
        fs.mkdirSync(dir);
        await node.up();
        for (const name of NAMES) await node.call('loadwallet', name).catch(() => {});
        storm.ending = false;
        const running = storm.run(8, 1_000_000);
        await sleep(300 + storm.below(1200));
        storm.ending = what !== 'stall';
        const threads = fs
          .readdirSync(dir)
          .filter((id) => fs.readFileSync(path.join(dir, id), 'utf8') === kind)
          .map(Number);
        const order = path.join(dir, `order${Math.min(...threads)}`);
        if (what === 'kill') await node.kill();
        else if (what === 'stop') await node.call('stop');
        else fs.writeFileSync(order, what);
        if (what === 'stall') {
          while (fs.existsSync(order)) await sleep(10);
          await sleep(2500);
          storm.stop();
          await running;
          await node.stop();
        } else {
          const { code } = await node.ended();
          await running;
          if (what !== 'kill') t.equal(code, what === 'stop' ? 0 : 1, `${what} ${kind}: ${node.output().slice(-300)}`);
          if (what === 'die')
            t.match(node.output(), kind === 'wallets' ? /thread of the wallets has ended/ : /thread that writes the database has ended/);
        }
        storm.ending = false;
        await node.up();
        t.comment(`${what} ${kind}: ${received(storm)}`);
        await verify(t, storm);
        await node.stop();
        storm.answers.clear();
      }
    }
  });

if (nightly)
  t.test('keeps the wallet whole when its thread dies during a large import', async (t) => {
    const node = await Daemon.startFor(t, '-keypool=10');
    const dir = path.join(node.dir, 'threads');
    const script = path.join(node.dir, 'preload.mjs');
    fs.writeFileSync(script, orders(dir));
    await node.call('createwallet', 'w', true, true, '', false, true);
    await node.stop();
    node.env = { NODE_OPTIONS: `--import=${pathToFileURL(script).href}` };
    const wanted = async () => {
      const text =
        'wpkh(tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B/*)';
      return [{ desc: (await node.call('getdescriptorinfo', text)).descriptor, range: [0, 29_999], timestamp: 'now' }];
    };
    for (const what of ['die', 'stall']) {
      fs.rmSync(dir, { recursive: true, force: true });
      fs.mkdirSync(dir);
      await node.up();
      await node.call('loadwallet', 'w');
      const descriptors = await wanted();
      fs.writeFileSync(path.join(dir, 'next'), what);
      const importing = node.call('importdescriptors', descriptors).then(
        ([{ success }]: { success: boolean }[]) => success,
        () => false,
      );
      const others = Promise.all(Array.from({ length: 5 }, () => node.call('getbalance').catch(() => null)));
      if (what === 'die') {
        const { code } = await node.ended();
        t.equal(code, 1);
        t.match(node.output(), /The thread that writes the database has ended.*start again/);
        t.equal(await importing, false, 'the call says so');
        await others;
        await node.up();
        await node.call('loadwallet', 'w');
        t.same((await node.call('listdescriptors')).descriptors, [], 'all or nothing');
      } else {
        t.equal(await importing, true);
        await others;
        t.equal((await node.call('listdescriptors')).descriptors.length, 1);
      }
      await node.stop();
    }
  });
