// Plays the same random stream to adit and to a bitcoind of the version that -compat names, and prints where they
// differ.
//
//   npm run compare -- --bitcoind=PATH [--version=31|0.21.1] [--steps=1000] [--seed=1] [--restart=1000]
//                      [--kill=0] [--chains=1 --minutes=60 --jobs=1] [--behind]
//
// With --behind both clocks stand days after every block, so that the whole stream happens in initial download. With
// more than one of --chains, comparisons of so many steps follow each other with seeds that count up (chains.ts).
// Transactions come by calls and from a peer, the latter with children before their parents. Every so many steps
// (--restart) both are stopped and started over what they wrote. Every so many (--kill; 0 for never) one of them is
// killed while it works, adit twice as often.
//
// Packages are sent to 0.21.1, which has none, one transaction after the other. Both run on regtest. Blocks, coins and
// signatures are the harness's own. After every action the replies are compared, text for text; every few actions the
// mempools with all figures of their entries, and the fees of the templates, where adit may only be better. After a
// difference blocks empty both mempools, so that it is not counted again. Exit status 1 when there was any difference.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { P2pClient } from '../framework/p2p-client.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { BlockPeer, type Brought, type Delivery, heard } from './block-peer.js';
import { beginChain } from './chains.js';
import { blockBytes, type Made } from './coins.js';
import { canonical, contrast, Differences } from './differences.js';
import { Ledger } from './ledger.js';
import { type Call, isOfChain, type Node, Nodes, type Pair, replies } from './nodes.js';
import { Pool } from './pool.js';
import { type Action, Stream } from './stream.js';
import { Dice, Transactions } from './transactions.js';

const { values } = parseArgs({
  options: {
    bitcoind: { type: 'string' },
    version: { type: 'string', default: '31' },
    steps: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    restart: { type: 'string', default: '1000' },
    kill: { type: 'string', default: '0' },
    chains: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '1' },
    behind: { type: 'boolean', default: false },
  },
});
const steps = Number(values.steps);
const seed = Number(values.seed);
const restartEvery = Number(values.restart);
const killEvery = Number(values.kill);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const options = (['version', 'steps', 'restart', 'kill'] as const).map((name) => `--${name}=${values[name]}`);
const bitcoind = await beginChain(fileURLToPath(import.meta.url), values, [...options, ...(values.behind ? ['--behind'] : [])]);

const FIRST_BLOCKS = 110;
const FIRST_BLOCK_COINS = 40;
const START_TIME = 1_780_000_000;
/** More than -maxtipage, so that the tip always counts as old. */
const SECONDS_BEHIND = values.behind ? 3 * 86_400 : 0;
/** Adit is at most this many steps behind. */
const AHEAD = 50;
/** The whole mempools are compared after this many steps. Their counts and sums are compared at every step. */
const POOL_EVERY = 50;
const TEMPLATE_EVERY = 50;
/**
 * The coins are compared after this many steps and after the last one. Hashing every coin takes adit a thread of its
 * own, which costs as much as 60 steps.
 */
const COINS_EVERY = 1000;
const CLUSTERS_EVERY = 7;
/**
 * With more entries a block empties most of the mempools. Comparisons of larger ones would take longer and find nothing
 * more.
 */
const MOST_ENTRIES = 250;
const MOST_RECENT = 45;
/** A template may be some milliseconds late, so it is requested this often. */
const TEMPLATE_TRIES = 1200;
const TEMPLATE_WAIT_MS = 5;
/** Error code of getblocktemplate if the node has no peer. */
const NOT_CONNECTED = -9;

const old = values.version === '0.21.1';
const nodes = await Nodes.start(bitcoind, values.version, undefined, killEvery === 0);
const { core, adit } = nodes;
const differences = new Differences();
/** The only hash of all coins that 0.21.1 has. */
const coinStatistics: Call = ['gettxoutsetinfo', old ? 'hash_serialized_2' : 'muhash'];

/** The last actions. They are printed once when mempools differ. */
const recent: string[] = [];

/** Connections of peers, by port, made when they are needed. */
const peers = new Map<number, P2pClient>();
let sentByPeer = 0;
let takenFromPeer = 0;

/** Sends the same transactions to both nodes and waits until both have processed them. */
async function sendAsPeer(txs: readonly Made[]): Promise<void> {
  const send = async (port: number): Promise<void> => {
    let peer = peers.get(port);
    if (peer === undefined || !(await heard(peer))) peers.set(port, (peer = await P2pClient.connect(port)));
    for (const { hex } of txs) peer.send('tx', Buffer.from(hex, 'hex'));
    try {
      // The node checks an orphan whose parent has arrived before the next message of its peer.
      for (let i = 0; i <= txs.length; i++) await peer.sync();
    } catch (error) {
      // 0.21.1 measures the time until a ping is answered by the mocked clock, which jumps meanwhile.
      if (!old || !peer.closed || port !== nodes.ports[0]) throw error;
      return send(port);
    }
    peer.received.length = 0;
  };
  await Promise.all(nodes.ports.map(send));
  const pool = new Set<string>(await core.call('getrawmempool'));
  sentByPeer += txs.length;
  takenFromPeer += txs.filter(({ id }) => pool.has(id)).length;
}

/** Closes the connections of both kinds of peers; the next use makes new ones. */
function leavePeers(): void {
  for (const peer of [...peers.values(), ...blockPeers]) 'leave' in peer ? peer.leave() : peer.close();
  peers.clear();
}

const blockPeers = nodes.ports.map((port) => new BlockPeer(port));
let hungUp = 0;
/** True if a difference was found after the last comparison of the complete states of both nodes. */
let differs = false;

/**
 * Number of cases in which one node requested transactions of a compact block and the other the whole block. Then the
 * two blame different peers.
 */
let otherRoute = 0;
/** Number of copies of a stored block. Core checks them, Adit does not. */
let spared = 0;

/** Sends a block to both and compares how they treat the peer. */
async function bring(step: number, name: string, delivery: Delivery): Promise<void> {
  const [ofCore, ofAdit] = (await Promise.all(blockPeers.map((peer) => peer.bring(delivery)))) as [Brought, Brought];
  if (ofCore.hungUp) hungUp++;
  if (ofCore.hungUp === ofAdit.hungUp) return;
  // A node's treatment of a peer depends on what it sent before, so both nodes continue with a new peer.
  for (const peer of blockPeers) peer.leave();
  if (ofCore.asked !== ofAdit.asked) otherRoute++;
  else if (ofCore.hungUp && !name.startsWith('wrong')) spared++;
  else {
    differs = true;
    const call = blockBytes(delivery.header, delivery.body).toString('hex');
    differences.add({ what: name, step, call, core: JSON.stringify(ofCore), adit: JSON.stringify(ofAdit) }, ['the peer']);
  }
}

let differByCaches = 0;

/**
 * A transaction whose inputs are spent is reported as known if its outputs happen to be in the cache of coins. The
 * nodes fill and empty this cache at different times.
 */
const withoutCaches = (reply: unknown): string =>
  JSON.stringify(reply)
    .replace(/,?"reject-details":"(txn-already-known|bad-txns-inputs-missingorspent)"/g, '')
    .replace(/txn-already-known|bad-txns-inputs-missingorspent|missing-inputs/g, 'known or missing');

/** Translates a call into the calls that a version knows. */
function asKnown([method, ...params]: Call): Call[] {
  const [txs] = params;
  if (method === 'setmocktime') return [[method, Number(txs) + SECONDS_BEHIND]];
  if (!old || !Array.isArray(txs)) return [[method, ...params]];
  if (method === 'testmempoolaccept') return txs.map((tx) => [method, [tx], 0]);
  return txs.map((tx) => ['sendrawtransaction', tx, 0]);
}

/** Members about the use of memory or disk, or about the behaviour of peers. */
const OWN_AFFAIR = new Set(['usage', 'maxmempool', 'optimal', 'disk_size']);

/** Tips that differed once. They continue to differ, so they are ignored afterwards. */
const unlike = new Set<string>();

/** Prints the tips that only one list has, and ignores them from now on. */
function tellUnlike(lists: readonly unknown[]): string[] {
  const tips = lists.map((list) => (sorted(canonical(list)) as Tip[]).map((tip) => JSON.stringify(tip)));
  const only = tips.map((list, i) => list.filter((tip) => !tips[1 - i]!.includes(tip)));
  for (const tip of only.flat()) unlike.add((JSON.parse(tip) as Tip).hash);
  return only.map(String);
}

/** Sorts lists of relatives and of tips, which have no order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    // If a block is refused because of a changed copy, some versions store its header and others do not.
    const list = value.map(sorted).filter((one) => !isTip(one) || (one.status !== 'headers-only' && !unlike.has(one.hash)));
    return list.every((one) => typeof one === 'string') || list.every(isTip)
      ? list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : list;
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(member)]));
}

interface Tip {
  readonly hash: string;
  readonly status: string;
}

const isTip = (value: unknown): value is Tip => typeof value === 'object' && value !== null && 'branchlen' in value;

/** Returns the differences of two replies, except those that each node may decide itself. */
const contrastOf = (core: unknown, adit: unknown): string[] =>
  JSON.stringify(core) === JSON.stringify(adit)
    ? []
    : contrast(sorted(canonical(core)), sorted(canonical(adit))).filter((member) => !OWN_AFFAIR.has(member.slice(1).split(':')[0]!));

/** Calls that changed bitcoind's chain since it last wrote everything to disk. A kill loses data that was not written. */
const told: (Call | Delivery)[] = [];

/** Performs an action on bitcoind, and updates the ledger and the copy of the mempool. */
async function play({ name, calls, sent, brought, done }: Action, { ledger, pool }: Model, step: number): Promise<void> {
  const known = calls.flatMap(asKnown);
  recent.push(`step ${step} at height ${ledger.height}: ${name} ${JSON.stringify([...known, ...(sent ?? []).map(({ hex }) => hex)])}`);
  if (recent.length > MOST_RECENT) recent.shift();
  told.push(...known.filter(isOfChain), ...(brought === undefined ? [] : [brought]));
  const after: Call[] = [['getbestblockhash'], ['getmempoolinfo']];
  const ofCore: Call[] = [['getbestblockhash'], ['getrawmempool']];
  const byPeer = sent !== undefined || brought !== undefined;
  // Core disconnects peers that were silent for 20 minutes by the mocked clock. No call shows when it does.
  if (name === 'clock') leavePeers();
  let [tip, ids] = await nodes.ask(step, name, [...known, ...after], byPeer ? [] : ofCore);
  if (byPeer) {
    if (!(await settle())) differs = true;
    if (sent !== undefined) await sendAsPeer(sent);
    if (brought !== undefined) await bring(step, name, brought);
    [tip, ids] = await nodes.ask(step, name, brought === undefined ? after : [...after, ['getchaintips']], ofCore);
  }
  done?.();
  ledger.follow(tip as string);
  pool.follow(ids as string[]);
}

/** Sends Adit all calls it has not received. @returns true if all its replies were those of bitcoind */
const settle = async (): Promise<boolean> => areSame(await nodes.caughtUp());

/** After a step with a difference, later steps are not compared. */
function areSame(pairs: readonly Pair[]): boolean {
  let differing: number | undefined;
  for (const { step, name, call, core, adit } of pairs) {
    if (differing !== undefined && differing !== step) break;
    differences.saw(core);
    const members = contrastOf(core, adit);
    if (members.length === 0) continue;
    if (withoutCaches(core) === withoutCaches(adit)) {
      differByCaches++;
      continue;
    }
    differing = step;
    const texts = call[0] === 'getchaintips' ? tellUnlike([core, adit]) : [core, adit].map((reply) => JSON.stringify(reply));
    const difference = { step, call: JSON.stringify(call), core: texts[0]!, adit: texts[1]! };
    differences.add({ what: `${name} ${call[0]}`, ...difference }, members);
    if (call[0] === 'getbestblockhash') throw new Error(`the tips differ at step ${step}: ${core}, ${adit}`);
  }
  return differing === undefined;
}

interface Model {
  readonly ledger: Ledger;
  readonly pool: Pool;
}

async function tell(node: Node, list: readonly (Call | Delivery)[]): Promise<void> {
  for (const one of list) await ('way' in one ? blockPeers[node === core ? 0 : 1]!.bring(one) : replies(node, [one]));
}

/**
 * Kills one of the nodes while it changes its chain, starts it again and sends it the calls that it may have lost. Both
 * have the same chain then. One more block is added, because Core may choose any of two branches with equal work after
 * a start. Both continue with the mempool of the node that was not killed.
 * @returns true if nothing differs
 */
async function kill({ ledger, pool, stream, dice }: Model & { stream: Stream; dice: Dice }, step: number): Promise<boolean> {
  const action = stream.moving();
  const victim = dice.chance(2 / 3) ? adit : core;
  let same: boolean;
  if (victim === adit && action.brought === undefined) {
    await play(action, { ledger, pool }, step);
    same = areSame(await nodes.killAdit(dice));
  } else {
    same = await settle();
    const begun = [...action.calls.flatMap(asKnown), ...(action.brought === undefined ? [] : [action.brought])];
    await tell(victim === adit ? core : adit, begun);
    await nodes.kill(victim, tell(victim, begun), dice);
    if (victim === core) await tell(core, told);
    told.push(...begun);
    await tell(victim, begun);
    ledger.follow(await core.call('getbestblockhash'));
  }
  const top = stream.block([]);
  const after: Call[] = [['getbestblockhash'], coinStatistics];
  const name = `${victim === adit ? 'adit' : 'bitcoind'} killed: ${action.name}`;
  await nodes.ask(step, name, [...top.calls.flatMap(asKnown), ...after], []);
  top.done?.();
  same = (await settle()) && same;
  await restart(ledger, victim === adit ? core : adit);
  // At a start, headers after an invalid block are marked invalid. 0.21.1 does this only then.
  await nodes.ask(step, name, [['getchaintips']], []);
  return (await settle()) && same;
}

/** @param poolOf node whose mempool both continue with */
async function restart(ledger: Ledger, poolOf?: Node): Promise<void> {
  await nodes.restart(ledger.wait() + SECONDS_BEHIND, poolOf);
  told.length = 0;
}

type Verbose = Readonly<Record<string, unknown>>;

/**
 * Prints the transactions that only one mempool has, and the reason why the other would refuse them now.
 * @param pools bitcoind's and Adit's
 */
async function sayWhatIsLacking(pools: readonly Verbose[], ledger: Ledger): Promise<void> {
  for (const [i, node] of [core, adit].entries()) {
    for (const id of Object.keys(pools[1 - i]!).filter((id) => !(id in pools[i]!))) {
      const hex = ledger.made.get(id)?.hex;
      const verdict = JSON.stringify(await replies(node, [['testmempoolaccept', [hex], 0]]));
      const held = JSON.stringify(pools[1 - i]![id]);
      say(`${node === core ? 'bitcoind' : 'adit'} lacks ${hex} at height ${ledger.height}: ${verdict}, the other has ${held}`);
    }
  }
}

/** Prints one line for each kind of member that differs. */
async function comparePools(ledger: Ledger, step: number): Promise<boolean> {
  const [[ofCore], [ofAdit]] = (await nodes.both([['getrawmempool', true]])).map((list) => list.map(sorted)) as [Verbose[], Verbose[]];
  const members = contrast(ofCore, ofAdit).filter((member) => !OWN_AFFAIR.has(member.slice(66).split(':')[0]!));
  if (members.length === 0) return true;
  for (const line of recent.splice(0)) say(line);
  const kinds = new Map(members.map((member) => [member.replace(/^\/[0-9a-f]{64}/, '').split(':')[0]!, member]));
  for (const [kind, member] of kinds) {
    const [a, b] = member.slice(member.indexOf(': ') + 2).split(' <> ');
    differences.add({ what: 'getrawmempool', step, call: '', core: `${member.slice(0, 90)} ${a}`, adit: b ?? '' }, [kind]);
  }
  await sayWhatIsLacking([ofCore!, ofAdit!], ledger);
  return false;
}

/** Compares sizes of clusters. Their chunks may be divided differently where fee rates are equal. */
async function compareClusters(pool: Pool, step: number): Promise<boolean> {
  let same = true;
  const ids = pool.ids.filter((_, i) => i % CLUSTERS_EVERY === 0);
  const calls = ids.map((id): Call => ['getmempoolcluster', id]);
  const [ofCore, ofAdit] = (await nodes.both(calls)) as Record<string, unknown>[][];
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

async function compareTemplates(ledger: Ledger, step: number): Promise<void> {
  // Both may return an older template for some seconds.
  const time = ledger.wait() + SECONDS_BEHIND;
  await nodes.both([['setmocktime', time]]);
  const fees = async (node: Node): Promise<number> => {
    const { transactions } = await node.call('getblocktemplate', { rules: ['segwit'] }).catch(async (error: unknown) => {
      // 0.21.1 requires a peer.
      if (!(error instanceof Error && 'code' in error && error.code === NOT_CONNECTED)) throw error;
      await P2pClient.connect(nodes.ports[0]);
      return node.call('getblocktemplate', { rules: ['segwit'] });
    });
    return transactions.reduce((sum: number, { fee }: { fee: number }) => sum + fee, 0);
  };
  const wanted = await fees(core);
  let got = 0;
  for (let i = 0; i < TEMPLATE_TRIES && (got = await fees(adit)) < wanted; i++) await sleep(TEMPLATE_WAIT_MS);
  if (got < wanted) differences.add({ what: 'getblocktemplate', step, call: 'fees', core: `${wanted}`, adit: `${got}` }, ['fees']);
}

/** Confirms everything that either mempool has, so that both are the same again. */
async function empty({ stream, ledger, pool }: Model & { stream: Stream }, step: number): Promise<void> {
  for (const node of [core, adit]) {
    for (;;) {
      pool.follow(await node.call('getrawmempool'));
      const txs = stream.fitting(pool.inOrder());
      if (txs.length === 0) break;
      const { height } = ledger;
      await play(stream.block(txs), { ledger, pool }, step);
      const tip = await adit.call('getbestblockhash');
      await nodes.caughtUp();
      if ((await adit.call('getbestblockhash')) !== ledger.tip) throw new Error(`the chains differ at step ${step}: ${ledger.tip}, ${tip}`);
      if (ledger.height > height) continue;
      throw new Error(`${node === core ? 'bitcoind' : 'adit'} keeps what no block may have at step ${step}`);
    }
  }
  // Priorities of transactions that never entered the mempool remain.
  const sizes = await Promise.all([core, adit].map(async (node) => (await node.call('getmempoolinfo')).size));
  if (sizes.some((size) => size !== 0)) throw new Error(`the mempools do not get empty at step ${step}: ${sizes}`);
}

let step = 0;
try {
  const genesis = await core.call('getblockhash', 0);
  const ledger = new Ledger(genesis, START_TIME);
  const dice = new Dice(pseudoRandom(seed));
  const pool = new Pool(ledger);
  const stream = new Stream(dice, ledger, pool, new Transactions(dice, ledger, pool));
  const model = { ledger, pool, stream, dice };
  await nodes.both([['setmocktime', START_TIME + 60 + SECONDS_BEHIND]]);
  const calls: Call[] = [];
  for (let i = 0; i < FIRST_BLOCKS; i++) {
    const block = ledger.next([], FIRST_BLOCK_COINS);
    calls.push(['setmocktime', block.time], ['submitblock', block.hex]);
    ledger.connect(block);
  }
  await play({ name: 'block', calls }, model, 0);
  if (!(await settle())) throw new Error('the first blocks differ');
  for (step = 1; step <= steps; step++) {
    const full = pool.ids.length > MOST_ENTRIES;
    await play(full ? stream.block(stream.fitting(pool.inOrder())) : stream.next(), model, step);
    if (step % COINS_EVERY === 0 || step === steps) {
      await nodes.ask(step, 'coins', [coinStatistics], []);
      // bitcoind writes all changes to disk before it counts coins.
      told.length = 0;
    }
    const killing = killEvery > 0 && step % killEvery === 0;
    const restarting = !killing && step % restartEvery === 0;
    if (step % AHEAD !== 0 && !killing && !restarting && step !== steps) continue;
    await nodes.ask(step, 'tips', [['getchaintips']], []);
    let same = (killing ? await kill(model, step) : await settle()) && !differs;
    differs = false;
    if (same && step % TEMPLATE_EVERY === 0) await compareTemplates(ledger, step);
    if (same && !old && step % CLUSTERS_EVERY === 0) same = await compareClusters(pool, step);
    if (same && restarting) {
      // After a start Core may choose either of two branches with equal work.
      await play(stream.block([]), model, step);
      same = await settle();
      await restart(ledger);
    }
    if (!same || killing || restarting || step % POOL_EVERY === 0) same = (await comparePools(ledger, step)) && same;
    if (same) pool.follow(await core.call('getrawmempool'));
    else await empty(model, step);
    if (step % 500 === 0) process.stderr.write(`step ${step}: ${differences.count} differences\n`);
  }
} catch (error) {
  say(`ended at step ${step}: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
} finally {
  await nodes.end();
}
say('what bitcoind refused, and how often:');
for (const line of differences.refusals()) say(`  ${line}`);
say(`it took ${takenFromPeer} of ${sentByPeer} transactions of a peer, and hung up on ${hungUp} that brought blocks`);
say(
  `${otherRoute} times one hung up after another request than the other, ${spared} times bitcoind alone looked at a copy of what is here`,
);
say(`${differByCaches} times one knew a confirmed transaction by its cache, the other missed its inputs`);
say(`one was killed ${nodes.kills} times, ${nodes.unanswered} of them before it had done what it was told`);
for (const line of differences.lines(seed)) say(line);
say(`${Math.min(step, steps)} steps of seed ${seed}: ${differences.count} differences`);
if (differences.count > 0) process.exitCode = 1;
