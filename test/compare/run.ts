// Plays the same random stream to adit and to a bitcoind of the version that -compat names, and prints where they
// differ.
//
//   npm run compare -- --bitcoind=PATH [--version=31|0.21.1] [--steps=1000] [--seed=1] [--restart=250]
//                      [--chains=1 --minutes=60 --jobs=1]
//
// With more than one of --chains, comparisons of so many steps follow each other with seeds that count up (chains.ts).
// Transactions come by calls and from a peer, the latter with children before their parents. Every so many steps
// (--restart) both are stopped and started over what they wrote.
//
// Packages are sent to 0.21.1, which has none, one transaction after the other. Both run on regtest. Blocks, coins and
// signatures are the harness's own. After every action the replies are compared, text for text; every few actions the
// mempools with all figures of their entries, and the fees of the templates, where adit may only be better. After a
// difference blocks empty both mempools, so that it is not counted again. Exit status 1 when there was any difference.
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CoreDaemon } from '../../bench/harness/core-daemon.js';
import { Daemon } from '../framework/daemon.js';
import { P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { playChains } from './chains.js';
import type { Made } from './coins.js';
import { canonical, contrast, Differences } from './differences.js';
import { Ledger } from './ledger.js';
import { type Action, inOrder, Stream } from './stream.js';
import { Dice, type Pool, Transactions } from './transactions.js';

const { values } = parseArgs({
  options: {
    bitcoind: { type: 'string' },
    version: { type: 'string', default: '31' },
    steps: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    restart: { type: 'string', default: '250' },
    chains: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '1' },
  },
});
const steps = Number(values.steps);
const seed = Number(values.seed);
const restartEvery = Number(values.restart);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
if (values.bitcoind === undefined || !fs.existsSync(values.bitcoind)) {
  const why = values.bitcoind === undefined ? '--bitcoind=PATH is not given' : `${values.bitcoind} is not there`;
  say(`skipped: nothing is compared, because ${why}`);
  process.exit(0);
}
if (values.chains !== '1') {
  const same = await playChains({
    file: fileURLToPath(import.meta.url),
    options: (['bitcoind', 'version', 'steps', 'restart'] as const).map((name) => `--${name}=${values[name]}`),
    firstSeed: seed,
    count: Number(values.chains),
    minutes: Number(values.minutes),
    jobs: Number(values.jobs),
  });
  process.exit(same ? 0 : 1);
}

const FIRST_BLOCKS = 110;
const FIRST_BLOCK_COINS = 40;
const START_TIME = 1_780_000_000;
const POOL_EVERY = 5;
const TEMPLATE_EVERY = 10;
const CLUSTERS_EVERY = 7;
/** A block empties most of the mempools then: comparisons of larger ones find nothing that these do not. */
const MOST_ENTRIES = 250;
const MOST_RECENT = 25;
/** A template may be some milliseconds behind. */
const TEMPLATE_TRIES = 1200;
const TEMPLATE_WAIT_MS = 5;
/** The code of getblocktemplate's error then. */
const NOT_CONNECTED = -9;

type Node = Pick<CoreDaemon, 'call' | 'post'>;

interface Reply {
  readonly id: number;
  readonly result: unknown;
  readonly error: { readonly code: number; readonly message: string } | null;
}

/** What calls in one batch say, errors included. */
async function replies(node: Node, calls: Action['calls']): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const { body } = await node.post(JSON.stringify(calls.map(([method, ...params], id) => ({ id, method, params }))));
  const list: Reply[] = JSON.parse(body);
  if (!Array.isArray(list) || list.length !== calls.length) throw new Error(`no batch of replies: ${body.slice(0, 200)}`);
  return list
    .sort((a, b) => a.id - b.id)
    .map(({ result, error }) => canonical(error ? { error: `${error.code} ${error.message}` } : result));
}

const ofBoth = (calls: Action['calls']): Promise<unknown[][]> => Promise.all([replies(core, calls), replies(adit, calls)]);

const old = values.version === '0.21.1';
const [corePort, aditPort] = [await freePort(), await freePort()];
const core = await CoreDaemon.start(values.bitcoind, `-port=${corePort}`, '-bind=127.0.0.1', '-connect=0');
const peerOptions = [`-port=${aditPort}`, '-bind=127.0.0.1', '-connect=0', '-listen=1'];
// Threads that nothing here asks cost a third of a start.
const adit = await Daemon.start(`-compat=${values.version}`, '-fronts=1', '-disablewallet', ...peerOptions).catch(
  async (error: unknown) => {
    await core.end();
    throw error;
  },
);
const differences = new Differences();

/** The last actions, which are printed once when mempools differ. */
const recent: string[] = [];

/** By ids: bitcoind tells its entries in another order in every run. */
async function poolOf(node: Node): Promise<Pool> {
  return canonical(await node.call('getrawmempool', true)) as Pool;
}

/** Connections from a peer, made when they are needed. */
const peers = new Map<number, P2pClient>();
let sentByPeer = 0;
let takenFromPeer = 0;

/** Sends both the same transactions, until both have handled them. */
async function sendAsPeer(txs: readonly Made[]): Promise<void> {
  const send = async (port: number): Promise<void> => {
    let peer = peers.get(port);
    if (peer === undefined || peer.closed) peers.set(port, (peer = await P2pClient.connect(port)));
    for (const { hex } of txs) peer.send('tx', Buffer.from(hex, 'hex'));
    // An orphan whose parent came is looked at before the next message of its peer.
    for (let i = 0; i <= txs.length; i++) await peer.sync();
    peer.received.length = 0;
  };
  await Promise.all([corePort, aditPort].map(send));
  const pool = new Set<string>(await core.call('getrawmempool'));
  sentByPeer += txs.length;
  takenFromPeer += txs.filter(({ id }) => pool.has(id)).length;
}

let toldByCaches = 0;

/**
 * A transaction whose inputs are gone is said to be known if its outputs happen to lie in the cache of coins, which
 * another node fills and empties at other times.
 */
const withoutCaches = (reply: unknown): string =>
  JSON.stringify(reply)
    .replace(/"reject-details":"(txn-already-known|bad-txns-inputs-missingorspent)",/g, '')
    .replace(/txn-already-known|bad-txns-inputs-missingorspent|missing-inputs/g, 'known or missing');

/** What a version is told in the place of a call. */
function asKnown([method, ...params]: Action['calls'][number]): Action['calls'] {
  const [txs] = params;
  if (!old || !Array.isArray(txs)) return [[method, ...params]];
  if (method === 'testmempoolaccept') return txs.map((tx) => [method, [tx], 0]);
  return txs.map((tx) => ['sendrawtransaction', tx, 0]);
}

/**
 * Gives both the calls, and tells whether all replies were the same. Both must be on the same tip then; the ledger goes
 * there.
 */
async function play({ name, calls, sent, done }: Action, ledger: Ledger, step: number): Promise<boolean> {
  let same = true;
  const known = calls.flatMap(asKnown);
  recent.push(`step ${step} at height ${ledger.height}: ${name} ${JSON.stringify([...known, ...(sent ?? []).map(({ hex }) => hex)])}`);
  if (recent.length > MOST_RECENT) recent.shift();
  const [ofCore, ofAdit] = await ofBoth([...known, ['getbestblockhash']]);
  const [tip, tipOfAdit] = [ofCore, ofAdit].map((list) => list!.pop());
  known.forEach((call, i) => {
    const [core, adit] = [ofCore![i], ofAdit![i]];
    differences.saw(core);
    const members = contrast(core, adit);
    if (members.length === 0) return;
    if (withoutCaches(core) === withoutCaches(adit)) {
      toldByCaches++;
      return;
    }
    same = false;
    const difference = { step, call: JSON.stringify(call), core: JSON.stringify(core), adit: JSON.stringify(adit) };
    differences.add({ what: `${name} ${call[0]}`, ...difference }, members);
  });
  if (sent !== undefined) await sendAsPeer(sent);
  done?.();
  if (typeof tip !== 'string' || tip !== tipOfAdit) throw new Error(`the tips differ at step ${step}: ${tip}, ${tipOfAdit}`);
  ledger.follow(tip);
  return same;
}

/** Stops both and starts them again, at the time at which they were. */
async function restart(time: number): Promise<void> {
  await Promise.all([core.restart(`-mocktime=${time}`), adit.stop().then(() => adit.up(`-mocktime=${time}`))]);
  for (const node of [core, adit])
    for (let loaded = false; !loaded; ) {
      ({ loaded } = await node.call('getmempoolinfo'));
      if (!loaded) await sleep(10);
    }
}

/** Members of mempool replies that say how much memory is used, or what peers did. */
const OWN_AFFAIR = new Set(['usage', 'maxmempool', 'optimal']);

/** What only one has, and why the other would refuse it now. @param pools bitcoind's and adit's */
async function sayWhatIsLacking(pools: readonly Pool[], ledger: Ledger): Promise<void> {
  for (const [i, node] of [core, adit].entries()) {
    for (const id of Object.keys(pools[1 - i]!).filter((id) => !(id in pools[i]!))) {
      const hex = ledger.made.get(id)?.hex;
      const verdict = JSON.stringify(await replies(node, [['testmempoolaccept', [hex], 0]]));
      say(`${node === core ? 'bitcoind' : 'adit'} lacks ${hex} at height ${ledger.height}: ${verdict}`);
    }
  }
}

/** One line for each kind of member that differs. */
async function comparePools(ledger: Ledger, step: number): Promise<boolean> {
  let same = true;
  const calls: Action['calls'] = [['getmempoolinfo'], ['getrawmempool', true]];
  let lacking: readonly Pool[] = [];
  const [ofCore, ofAdit] = (await ofBoth(calls)).map((list) => list.map(sorted));
  calls.forEach(([method], i) => {
    const members = contrast(ofCore![i], ofAdit![i]).filter((member) => !OWN_AFFAIR.has(member.slice(1).split(':')[0]!));
    if (members.length === 0) return;
    same = false;
    for (const line of recent.splice(0)) say(line);
    if (method === 'getrawmempool') lacking = [ofCore![i], ofAdit![i]] as Pool[];
    const kinds = new Map(members.map((member) => [member.replace(/^\/[0-9a-f]{64}/, '').split(':')[0]!, member]));
    for (const [kind, member] of kinds) {
      const [a, b] = member.slice(member.indexOf(': ') + 2).split(' <> ');
      differences.add({ what: method, step, call: method, core: `${member.slice(0, 90)} ${a}`, adit: b ?? '' }, [kind]);
    }
  });
  if (lacking.length > 0) await sayWhatIsLacking(lacking, ledger);
  return same;
}

/** Sizes of clusters: their chunks may be cut otherwise where fee rates are equal. */
async function compareClusters(pool: Pool, step: number): Promise<boolean> {
  let same = true;
  const ids = Object.keys(pool).filter((_, i) => i % CLUSTERS_EVERY === 0);
  const calls = ids.map((id): Action['calls'][number] => ['getmempoolcluster', id]);
  const [ofCore, ofAdit] = (await ofBoth(calls)) as Record<string, unknown>[][];
  calls.forEach((call, i) => {
    const [core, adit] = [ofCore![i]!, ofAdit![i]!];
    const members = ['clusterweight', 'txcount', 'error'].filter((name) => core[name] !== adit[name]);
    if (members.length === 0) return;
    same = false;
    differences.add(
      { what: 'getmempoolcluster', step, call: JSON.stringify(call), core: JSON.stringify(core), adit: JSON.stringify(adit) },
      members,
    );
  });
  return same;
}

/** Lists of relatives are in no order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value.sort() : value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(member)]));
}

async function compareTemplates(ledger: Ledger, step: number): Promise<void> {
  // Both may hand out an older one for some seconds.
  const time = ledger.wait();
  await ofBoth([['setmocktime', time]]);
  const fees = async (node: Node): Promise<number> => {
    const { transactions } = await node.call('getblocktemplate', { rules: ['segwit'] }).catch(async (error: unknown) => {
      // 0.21.1 wants a peer.
      if (!(error instanceof Error && 'code' in error && error.code === NOT_CONNECTED)) throw error;
      await P2pClient.connect(corePort);
      return node.call('getblocktemplate', { rules: ['segwit'] });
    });
    return transactions.reduce((sum: number, { fee }: { fee: number }) => sum + fee, 0);
  };
  const wanted = await fees(core);
  let got = 0;
  for (let i = 0; i < TEMPLATE_TRIES && (got = await fees(adit)) < wanted; i++) await sleep(TEMPLATE_WAIT_MS);
  if (got < wanted) differences.add({ what: 'getblocktemplate', step, call: 'fees', core: `${wanted}`, adit: `${got}` }, ['fees']);
}

/** Confirms all that either has, so that both are the same again. */
async function empty(stream: Stream, ledger: Ledger, step: number): Promise<void> {
  for (const node of [core, adit]) {
    for (;;) {
      const pool = await poolOf(node);
      const txs = stream.fitting(inOrder(pool));
      if (txs.length === 0) break;
      const before = differences.count;
      const { height } = ledger;
      await play(stream.block(txs), ledger, step);
      if (differences.count > before) throw new Error(`the chains differ at step ${step}`);
      if (ledger.height > height) continue;
      throw new Error(`${node === core ? 'bitcoind' : 'adit'} keeps what no block may have at step ${step}`);
    }
  }
  // Priorities of what never came in stay behind.
  const sizes = await Promise.all([core, adit].map(async (node) => (await node.call('getmempoolinfo')).size));
  if (sizes.some((size) => size !== 0)) throw new Error(`the mempools do not get empty at step ${step}: ${sizes}`);
}

let step = 0;
try {
  const genesis = await core.call('getblockhash', 0);
  const ledger = new Ledger(genesis, START_TIME);
  const dice = new Dice(pseudoRandom(seed));
  const transactions = new Transactions(dice, ledger);
  const stream = new Stream(dice, ledger, transactions);
  for (const node of [core, adit]) await node.call('setmocktime', START_TIME + 60);
  const calls: Action['calls'] = [];
  for (let i = 0; i < FIRST_BLOCKS; i++) {
    const block = ledger.next([], FIRST_BLOCK_COINS);
    calls.push(['setmocktime', block.time], ['submitblock', block.hex]);
    ledger.connect(block);
  }
  if (!(await play({ name: 'block', calls }, ledger, 0))) throw new Error('the first blocks differ');
  for (step = 1; step <= steps; step++) {
    const pool = await poolOf(core);
    const full = Object.keys(pool).length > MOST_ENTRIES;
    const action = full ? stream.block(stream.fitting(inOrder(pool))) : stream.next(pool);
    let same = await play(action, ledger, step);
    if (same && step % TEMPLATE_EVERY === 0) await compareTemplates(ledger, step);
    if (same && !old && step % CLUSTERS_EVERY === 0) same = await compareClusters(pool, step);
    const restarts = step % restartEvery === 0;
    if (restarts) await restart(ledger.wait());
    if (!same || restarts || action.sent !== undefined || step % POOL_EVERY === 0) same = (await comparePools(ledger, step)) && same;
    if (!same) await empty(stream, ledger, step);
    if (step % 500 === 0) process.stderr.write(`step ${step}: ${differences.count} differences\n`);
  }
} catch (error) {
  say(`ended at step ${step}: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
} finally {
  await Promise.all([core.end(), adit.remove()]);
}
say('what bitcoind refused, and how often:');
for (const line of differences.refusals()) say(`  ${line}`);
say(`it took ${takenFromPeer} of ${sentByPeer} transactions of a peer`);
say(`${toldByCaches} times one knew a confirmed transaction by its cache, the other missed its inputs`);
for (const line of differences.lines(seed)) say(line);
say(`${Math.min(step, steps)} steps of seed ${seed}: ${differences.count} differences`);
if (differences.count > 0) process.exitCode = 1;
