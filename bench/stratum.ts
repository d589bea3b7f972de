// Measures a new block with a thousand and ten thousand Stratum V1 miners: from submitblock to the clean job at the last
// miner. Compares with the same bytes from plain sockets, and with ckpool on Bitcoin Core (CKPOOL, COMPARE). Then
// measures long polls while miners are connected, the memory of a miner, and shares.
//
//   node build/bench/stratum.js [--json]     CLIENTS=1000,10000 ROUNDS=n TXS=n POLLS=100 SHARES=20000 SECONDS=n ADDRESSES=1
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeAddress } from '../src/address/address.js';
import { regtestParams } from '../src/consensus/params/regtest.js';
import { createNativeHashes } from '../src/crypto/native/hashes.js';
import { mine } from '../test/framework/miner.js';
import { MiniWallet } from '../test/framework/mini-wallet.js';
import { freePort } from '../test/framework/ports.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { Ckpool } from './harness/ckpool.js';
import { busyThreads, processorSeconds, residentMemory, threadTimes } from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { EMPTY_COMMITMENT, FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { Child, postRequest, startLoad } from './http-load/load.js';

const CLIENTS = (process.env.CLIENTS ?? '1000,10000').split(',').map(Number);
const ROUNDS = Number(process.env.ROUNDS ?? 10);
const TXS = Number(process.env.TXS ?? 4_407);
const POLLS = Number(process.env.POLLS ?? 100);
const SHARES = Number(process.env.SHARES ?? 20_000);
const SECONDS = Number(process.env.SECONDS ?? 10);
const SHARE_MINERS = 1_000;
/** One in this number of replies is a sample. */
const THINNED = 20;
/** Number of payout addresses of the miners. */
const ADDRESSES = Number(process.env.ADDRESSES ?? 1);
/** Size of the first job after a block: no transactions, one payout. */
const JOB_BYTES = 458;
const SETTLE_MS = 500;
const LIMIT = `a bare node:net server that writes ${JOB_BYTES} ready-made bytes to as many plain sockets`;

const now = (): number => performance.timeOrigin + performance.now();

interface Wake {
  readonly median: number;
  readonly p99: number;
  readonly last: number;
}

const wakeOf = (atMs: readonly number[], begun: number): Wake => {
  const times = atMs.map((at) => at - begun);
  return { median: percentile(times, 0.5), p99: percentile(times, 0.99), last: Math.max(...times) };
};

const wallet = new MiniWallet();
const hashes = createNativeHashes();
const names = Array.from(
  { length: ADDRESSES },
  (_, i) => encodeAddress(Buffer.from(`0014${(i + 1).toString(16).padStart(40, '0')}`, 'hex'), regtestParams(), hashes) as string,
);

/** Connects clients. @param withNames user names of miners; empty: the clients are plain sockets */
async function connected(port: number, count: number, withNames: readonly string[]): Promise<Child> {
  const child = new Child('../stratum-load/client-child.js');
  await child.next('up');
  child.send({ kind: 'connect', port, count, names: withNames });
  await child.next('parked');
  return child;
}

/** Runs an action after which every client of the child receives something, and returns when each received it. */
async function wake(child: Child, action: () => unknown): Promise<Wake> {
  child.send({ kind: 'arm' });
  await child.next('parked');
  const begun = now();
  void action();
  return wakeOf((await child.next('woken')).atMs, begun);
}

/** Returns an empty block on the tip of bitcoind. */
async function coreBlock(pool: Ckpool): Promise<string> {
  const template = await pool.core.call('getblocktemplate', { rules: ['segwit'] });
  const empty = { ...template, transactions: [], coinbasevalue: 0, default_witness_commitment: EMPTY_COMMITMENT };
  return mine(empty, 'p2wpkh', wallet.key()).hex;
}

/** Processor milliseconds that threads have spent. */
interface Spent {
  node: number;
  serving: number;
  others: number;
}

const NAMES = ['node', 'serving', 'others'] as const;
const none = (): Spent => ({ node: 0, serving: 0, others: 0 });

/**
 * Processor time of the node's threads since start(). The serving thread is the one that was busiest while miners
 * connected.
 */
class Threads {
  readonly #pid: number;
  #before: Map<number, number>;
  #serving = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#before = threadTimes(pid);
  }

  start(): void {
    this.#before = threadTimes(this.#pid);
  }

  /** Finds the serving thread. Call this after miners have connected. */
  findServing(): void {
    this.#serving = busyThreads(this.#pid, this.#before).find(({ tid }) => tid !== this.#pid)!.tid;
  }

  get spent(): Spent {
    const spent = none();
    for (const { tid, ms } of busyThreads(this.#pid, this.#before)) {
      spent[tid === this.#pid ? 'node' : tid === this.#serving ? 'serving' : 'others'] += ms;
    }
    return spent;
  }
}

const submission = (hex: string): string => JSON.stringify({ method: 'submitblock', params: [hex], id: 1 });

interface Runs {
  readonly adit: Wake[];
  readonly bare: Wake[];
  readonly ckpool: Wake[];
  readonly pollsAlone: Wake[];
  readonly pollsWithMiners: Wake[];
  readonly memoryBytes: number[];
  /** Average per block. */
  readonly spent: Spent;
  readonly ckpoolMs: number;
}

/** Measures the long polls that a block wakes. */
async function pollRound(node: FilledNode, load: Child): Promise<Wake> {
  const block = await node.emptyBlock();
  const { longpollid } = await node.template();
  const poll = TEMPLATE_CALL.replace('["segwit"]', `["segwit"],"longpollid":"${longpollid}"`);
  load.send({ kind: 'park', port: node.daemon.port, request: postRequest(node.daemon.auth, poll), connections: POLLS });
  await load.next('parked');
  await sleep(SETTLE_MS);
  const begun = now();
  void node.post(submission(block.hex));
  return wakeOf((await load.next('woken')).atMs, begun);
}

async function rounds(node: FilledNode, port: number, pool: Ckpool | null, load: Child, count: number): Promise<Runs> {
  const pid = node.daemon.child?.pid as number;
  const pollsAlone: Wake[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const one = await pollRound(node, load);
    if (round >= 0) pollsAlone.push(one);
    await sleep(SETTLE_MS);
  }
  const bare = new Child('../sv2-load/bare-child.js');
  bare.send(JOB_BYTES);
  const sockets = await connected((await bare.next('listening')).port, count, []);
  const before = residentMemory(pid);
  const threads = new Threads(pid);
  const crowd = await connected(port, count, names);
  threads.findServing();
  const atPool = pool === null ? null : await connected(pool.port, count, names);
  const runs: Runs = { adit: [], bare: [], ckpool: [], pollsAlone, pollsWithMiners: [], memoryBytes: [], spent: none(), ckpoolMs: 0 };
  const spent = none();
  let poolSeconds = 0;
  for (let round = -1; round < ROUNDS; round++) {
    const { hex } = await node.emptyBlock();
    await sleep(SETTLE_MS);
    threads.start();
    const adit = await wake(crowd, () => node.post(submission(hex)));
    await sleep(SETTLE_MS);
    if (round >= 0) for (const name of NAMES) spent[name] += threads.spent[name] / ROUNDS;
    const limit = await wake(sockets, () => bare.send('go'));
    await sleep(SETTLE_MS);
    if (round >= 0) {
      runs.adit.push(adit);
      runs.bare.push(limit);
      runs.memoryBytes.push(((residentMemory(pid) - before) * 1e6) / count);
    }
    if (pool === null || atPool === null) continue;
    const theirs = await coreBlock(pool);
    const seconds = processorSeconds(pool.pid);
    const ckpool = await wake(atPool, () => pool.core.post(submission(theirs)));
    await sleep(SETTLE_MS);
    if (round < 0) continue;
    runs.ckpool.push(ckpool);
    poolSeconds += processorSeconds(pool.pid) - seconds;
  }
  for (const child of [sockets, bare, ...(atPool === null ? [] : [atPool])]) child.end();
  for (let round = -1; round < ROUNDS; round++) {
    const one = await pollRound(node, load);
    if (round >= 0) runs.pollsWithMiners.push(one);
    await sleep(SETTLE_MS);
  }
  crowd.end();
  return { ...runs, spent, ckpoolMs: (poolSeconds * 1000) / ROUNDS };
}

function fanOut(count: number, { adit, bare, ckpool, pollsAlone, pollsWithMiners, memoryBytes }: Runs): BenchCase[] {
  const withLimit = (name: string, read: (one: Wake) => number, goal: Partial<BenchCase> = {}): BenchCase => ({
    ...{ name: `${count} miners, ${name}`, unit: 'ms', better: 'lower' as const, samples: adit.map(read) },
    limit: { name: LIMIT, samples: bare.map(read) },
    ...goal,
  });
  const cases = [
    withLimit('median miner', (one) => one.median),
    withLimit('p99 miner', (one) => one.p99),
    withLimit('last miner', (one) => one.last, {
      goal: { text: 'within 3 x', reached: (_p50, ratio) => ratio !== null && ratio <= 3 },
    }),
  ];
  const p99OfAdit = percentile(
    adit.map(({ p99 }) => p99),
    0.5,
  );
  const overCkpool = (name: string, read: (one: Wake) => number): BenchCase => ({
    ...{ name: `ckpool, ${count} miners, ${name}`, unit: 'ms', better: 'lower' as const, samples: ckpool.map(read) },
  });
  if (ckpool.length > 0) {
    cases.push(
      overCkpool('median miner', (one) => one.median),
      {
        ...overCkpool('p99 miner', (one) => one.p99),
        goal: { text: 'at least 10 x of adit', reached: (p50) => p50 >= 10 * p99OfAdit },
      },
      overCkpool('last miner', (one) => one.last),
    );
  }
  return [
    ...cases,
    {
      ...{ name: `${POLLS} long polls with ${count} miners, p99`, unit: 'ms', better: 'lower' as const },
      samples: pollsWithMiners.map(({ p99 }) => p99),
      limit: { name: 'for long polls: the same node before the miners connected', samples: pollsAlone.map(({ p99 }) => p99) },
    },
    // With fewer miners, the garbage of the node thread is larger than their memory.
    ...(count < 10_000
      ? []
      : [
          {
            ...{ name: `${count} miners, resident memory for each`, unit: 'bytes', better: 'lower' as const, samples: memoryBytes },
            goal: { text: '<= 8,000', reached: (p50: number) => p50 <= 8_000 },
          },
        ]),
  ];
}

/** Measures shares at an even rate from a thousand miners. */
async function shareRun(node: FilledNode, port: number): Promise<{ readonly cases: BenchCase[]; readonly note: string }> {
  const threads = new Threads(node.daemon.child?.pid as number);
  const crowd = await connected(port, SHARE_MINERS, names);
  threads.findServing();
  threads.start();
  crowd.send({ kind: 'shares', perSecond: SHARES, seconds: SECONDS });
  const { calls, seconds, times } = await crowd.next('loop');
  const { spent } = threads;
  crowd.end();
  const rate = calls / seconds;
  return {
    cases: [
      {
        ...{ name: `shares checked, ${SHARE_MINERS} miners`, unit: 'shares/s', better: 'higher', samples: [rate] },
        goal: { text: `${SHARES} offered`, reached: (p50) => p50 >= SHARES * 0.95 },
      },
      { name: 'the same: until the reply', unit: 'ms', better: 'lower', samples: times.filter((_, i) => i % THINNED === 0) },
      { name: 'the same: serving thread', unit: 'processor us per share', better: 'lower', samples: [(spent.serving * 1000) / calls] },
    ],
    note: `${calls} shares with 12 merkle branches in ${seconds.toFixed(1)} s; processor ms: ${shown(spent)}`,
  };
}

const shown = ({ node, serving, others }: Spent): string =>
  `node thread ${Math.round(node)}, serving thread ${Math.round(serving)}, others ${Math.round(others)}`;

await runBench({
  name: 'stratum/serve/server',
  protects: 'the last miner that gets work on a new block',
  async run() {
    const port = await freePort();
    const most = Math.max(...CLIENTS, SHARE_MINERS) + 1;
    const node = await FilledNode.start(TXS, '-stratum', `-stratumport=${port}`, `-stratumconnections=${most}`, '-checktemplates=0');
    const pool = await Ckpool.start((core) => core.copy(node.daemon));
    const load = await startLoad();
    const cases: BenchCase[] = [];
    const notes = [`times from submitblock; ${TXS} transactions in the mempool; ${ADDRESSES} payout address(es)`];
    try {
      for (const count of CLIENTS) {
        const runs = await rounds(node, port, pool, load, count);
        cases.push(...fanOut(count, runs));
        notes.push(
          `${count} miners, processor ms per block: ${shown(runs.spent)}${pool === null ? '' : `; ckpool ${Math.round(runs.ckpoolMs)}`}`,
        );
        await sleep(SETTLE_MS);
      }
      const shares = await shareRun(node, port);
      cases.push(...shares.cases);
      notes.push(shares.note);
    } finally {
      load.end();
      await pool?.end();
      await node.end();
    }
    return { cases, notes };
  },
});
