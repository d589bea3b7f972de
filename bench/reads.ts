// Measures calls that explorers, indexers, wallets and monitoring make all day: blocks, transactions, the mempool, scans
// and a wallet's lists, over 8 connections. Figures: the rate of each call, and its processor time, on all threads and on
// the node thread. Clients ask for four blocks and a hundred transactions in turn, so that a reply is seldom the previous
// one again.
//
//   node build/bench/reads.js [--json]
//   PAYMENTS=n in the mempool and in each block, ROUNDS=n, SECONDS=n, FRONTS=n, ONLY=case,...
//   COMPARE=/path/to/bitcoind sends the same calls to it in the same rounds
import { type BenchCase, runBench } from './harness/bench.js';
import { bitcoindToCompare, CoreDaemon } from './harness/core-daemon.js';
import { nodeThreadMilliseconds, processorSeconds } from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { FilledNode } from './http-load/filled-node.js';
import { type Child, postRequest, runLoop, startLoad } from './http-load/load.js';

const CONNECTIONS = 8;
const BLOCKS = 4;
/** Addresses that scans search for, and that the wallet watches. */
const WATCHED = 50;
const TXS = 100;
/** Calls of a batch. */
const BATCH = 10;
const SECONDS = Number(process.env.SECONDS ?? 2);
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const PAYMENTS = Number(process.env.PAYMENTS ?? 2_100);
const fronts = Number(process.env.FRONTS ?? 1);
const program = bitcoindToCompare();
/** Ratio to Core's rate that every call should reach. */
const GOAL = 1.5;

/** Requests of a case, which clients send in turn. The credentials differ between the nodes. */
type Calls = readonly ((auth: string) => string)[];

/** Cases of calls that Core refuses while the same call runs. */
const ONE_AT_A_TIME = /^scan/;

const get = (path: string) => (): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

/** Returns one request for each list of arguments. */
const one = (method: string, lists: readonly (readonly unknown[])[]): Calls =>
  lists.map((params) => (auth) => postRequest(auth, JSON.stringify({ method, params, id: 1 })));

/** Returns batches of BATCH calls. */
function batches(method: string, lists: readonly (readonly unknown[])[]): Calls {
  const calls = lists.map((params, id) => ({ method, params, id }));
  const list = Array.from({ length: calls.length / BATCH }, (_, i) => JSON.stringify(calls.slice(i * BATCH, (i + 1) * BATCH)));
  return list.map((body) => (auth) => postRequest(auth, body));
}

/** Returns the requests by the name of the case. */
async function calls(node: FilledNode, blocks: readonly string[]): Promise<Record<string, Calls>> {
  const { daemon } = node;
  const txids: string[] = [];
  for (const hash of blocks) txids.push(...(await daemon.call('getblock', hash)).tx.slice(1, 1 + TXS / BLOCKS));
  const raw: string[] = [];
  for (const txid of txids) raw.push(await daemon.call('getrawtransaction', txid));
  const inputs = raw.map((_, i) => [[{ txid: txids[i], vout: 0 }], [{ data: '00' }]]);
  const psbts: string[] = [];
  for (const args of inputs) psbts.push(await daemon.call('utxoupdatepsbt', await daemon.call('createpsbt', ...args)));
  const scripts = txids.map((txid) => `0014${txid.slice(0, 40)}`);
  const watched = await watchedAddresses(node, blocks);
  const objects = watched.map((address) => `addr(${address})`);
  const headers = txids.map((_, i) => blocks[i % BLOCKS]);
  const pool = ((await daemon.call('getrawmempool')) as string[]).slice(0, TXS);
  const each = (list: readonly unknown[], ...more: unknown[]): unknown[][] => list.map((first) => [first, ...more]);
  const all: Record<string, Calls> = {
    'getblock 0': one('getblock', each(blocks, 0)),
    'getblock 1': one('getblock', each(blocks, 1)),
    'getblock 2': one('getblock', each(blocks, 2)),
    'getblock 3': one('getblock', each(blocks, 3)),
    getblockstats: one('getblockstats', each(blocks)),
    getblockheader: one('getblockheader', each(blocks)),
    getblockhash: one(
      'getblockhash',
      blocks.map((_, i) => [i + 1]),
    ),
    getrawtransaction: one('getrawtransaction', each(txids)),
    'getrawtransaction 2': one('getrawtransaction', each(txids, 2)),
    'getrawtransaction 1': one('getrawtransaction', each(txids, 1)),
    gettxoutproof: one(
      'gettxoutproof',
      txids.map((txid, i) => [[txid], blocks[Math.floor((i * BLOCKS) / TXS)]]),
    ),
    gettxout: one('gettxout', each(txids, 0)),
    decoderawtransaction: one('decoderawtransaction', each(raw)),
    decodescript: one('decodescript', each(scripts)),
    decodepsbt: one('decodepsbt', each(psbts)),
    analyzepsbt: one('analyzepsbt', each(psbts)),
    testmempoolaccept: one(
      'testmempoolaccept',
      node.unsent(TXS).map((hex) => [[hex]]),
    ),
    getrawmempool: one('getrawmempool', [[]]),
    'getrawmempool true': one('getrawmempool', [[true]]),
    getmempoolentry: one('getmempoolentry', each(pool)),
    getmempoolancestors: one('getmempoolancestors', each(pool, true)),
    getmempooldescendants: one('getmempooldescendants', each(pool, true)),
    getmempoolfeeratediagram: one('getmempoolfeeratediagram', [[]]),
    getblockfilter: one('getblockfilter', each(blocks)),
    getchaintxstats: one(
      'getchaintxstats',
      blocks.map((hash) => [100, hash]),
    ),
    gettxoutsetinfo: one('gettxoutsetinfo', [['none']]),
    'gettxoutsetinfo muhash': one('gettxoutsetinfo', [['muhash']]),
    scantxoutset: one('scantxoutset', [['start', objects]]),
    scanblocks: one('scanblocks', [['start', objects]]),
    getdescriptoractivity: one('getdescriptoractivity', [[blocks, objects.slice(0, 5), true]]),
    listunspent: one('listunspent', [[0]]),
    listtransactions: one('listtransactions', [['*', 100]]),
    listsinceblock: one('listsinceblock', each(blocks)),
    'batch getrawtransaction 1': batches('getrawtransaction', each(txids, 1)),
    'batch getblockheader': batches('getblockheader', each(headers)),
    'batch getmempoolentry': batches('getmempoolentry', each(pool)),
    'batch decoderawtransaction': batches('decoderawtransaction', each(raw)),
    'rest block': blocks.map((hash) => get(`/rest/block/${hash}.json`)),
    'rest block bin': blocks.map((hash) => get(`/rest/block/${hash}.bin`)),
    'rest headers': blocks.map((hash) => get(`/rest/headers/${hash}.json?count=5`)),
    'rest tx bin': txids.map((txid) => get(`/rest/tx/${txid}.bin`)),
    'rest mempool info': [get('/rest/mempool/info.json')],
    'rest tx': txids.map((txid) => get(`/rest/tx/${txid}.json`)),
    'rest mempool contents': [get('/rest/mempool/contents.json')],
  };
  const only = process.env.ONLY?.split(',');
  return Object.fromEntries(Object.entries(all).filter(([name]) => only === undefined || only.includes(name)));
}

/** Returns addresses that received payments in the blocks. */
async function watchedAddresses({ daemon }: FilledNode, blocks: readonly string[]): Promise<string[]> {
  const { tx } = await daemon.call('getblock', blocks[0], 2);
  return (tx as { vout: { scriptPubKey: { address: string } }[] }[]).slice(1, 1 + WATCHED).map(({ vout }) => vout[0]!.scriptPubKey.address);
}

/** Gives a node a wallet that watches addresses. */
async function watchAddresses(
  call: (method: string, ...params: unknown[]) => Promise<unknown>,
  addresses: readonly string[],
): Promise<void> {
  await call('createwallet', 'watched', true, true, '', false, true);
  const requests: unknown[] = [];
  for (const address of addresses) {
    const { descriptor } = (await call('getdescriptorinfo', `addr(${address})`)) as { descriptor: string };
    requests.push({ desc: descriptor, timestamp: 0 });
  }
  const results = (await call('importdescriptors', requests)) as { success: boolean }[];
  if (!results.every(({ success }) => success)) throw new Error(`an address was refused: ${JSON.stringify(results)}`);
}

/** A node with a function that returns its processor milliseconds so far: of its first thread, and of the others. */
interface Asked {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly auth: string;
}

interface Figures {
  readonly rate: number;
  readonly main: number;
  readonly all: number;
}

async function round(load: Child, asked: Asked, list: Calls, connections: number): Promise<Figures> {
  const request = list.map((make) => make(asked.auth));
  // The seconds of the process contain those of threads that have ended.
  const all = (): number => processorSeconds(asked.pid) * 1000;
  const [before, allBefore] = [nodeThreadMilliseconds(asked.pid), all()];
  const made = await runLoop(load, { port: asked.port, request, connections, seconds: SECONDS });
  const [after, allAfter] = [nodeThreadMilliseconds(asked.pid), all()];
  const each = (ms: number): number => (ms * 1000) / made.calls;
  return { rate: made.calls / made.seconds, main: each(after.main - before.main), all: each(allAfter - allBefore) };
}

async function cases(load: Child, name: string, list: Calls, adit: Asked, core: Asked | null): Promise<BenchCase[]> {
  const ours: Figures[] = [];
  const theirs: Figures[] = [];
  const connections = ONE_AT_A_TIME.test(name) ? 1 : CONNECTIONS;
  for (let i = -1; i < ROUNDS; i++) {
    const own = await round(load, adit, list, connections);
    const other = core && (await round(load, core, list, connections));
    if (i < 0) continue;
    ours.push(own);
    if (other !== null) theirs.push(other);
  }
  const goalOf = (times: number, key: 'rate' | 'all') =>
    times *
    percentile(
      theirs.map((one) => one[key]),
      0.5,
    );
  const made: BenchCase[] = [
    { name, unit: 'calls/s', better: 'higher', samples: ours.map(({ rate }) => rate) },
    { name: `${name}: all threads`, unit: 'us of processor', better: 'lower', samples: ours.map(({ all }) => all) },
    { name: `${name}: node thread`, unit: 'us of processor', better: 'lower', samples: ours.map(({ main }) => main) },
  ];
  if (core === null) return made;
  const [rate, all] = [goalOf(GOAL, 'rate'), goalOf(1, 'all')];
  made[0] = { ...made[0]!, goal: { text: `${GOAL} times Core's`, reached: (p50) => p50 >= rate } };
  made[1] = { ...made[1]!, goal: { text: "at most Core's", reached: (p50) => p50 <= all } };
  return [
    ...made,
    { name: `${name}: bitcoind`, unit: 'calls/s', better: 'higher', samples: theirs.map((one) => one.rate) },
    { name: `${name}: bitcoind's threads`, unit: 'us of processor', better: 'lower', samples: theirs.map((one) => one.all) },
  ];
}

await runBench({
  name: 'rpc/node',
  protects: 'how fast explorers and indexers catch up, and blocks and templates from them',
  async run() {
    const options = ['-txindex=1', '-blockfilterindex=1', '-rest=1'];
    const node = await FilledNode.start(0, `-fronts=${fronts}`, '-checktemplates=0', ...options);
    const core = program === null ? null : await CoreDaemon.start(program, ...options);
    const load = await startLoad();
    const made: BenchCase[] = [];
    try {
      const blocks: string[] = [];
      for (let i = 0; i < BLOCKS; i++) {
        await node.fill(PAYMENTS);
        await node.mineBlock();
        blocks.push(await node.daemon.call('getbestblockhash'));
      }
      await node.fill(PAYMENTS);
      await core?.copy(node.daemon);
      const watched = await watchedAddresses(node, blocks);
      await watchAddresses((method, ...params) => node.daemon.call(method, ...params), watched);
      if (core) await watchAddresses((method, ...params) => core.call(method, ...params), watched);
      const adit: Asked = { name: 'adit', pid: node.daemon.child!.pid!, port: node.daemon.port, auth: node.daemon.auth };
      const other = core && { name: 'Core', pid: core.pid, port: core.port, auth: core.auth };
      for (const [name, list] of Object.entries(await calls(node, blocks))) {
        made.push(...(await cases(load, name, list, adit, other)));
      }
    } finally {
      load.end();
      await core?.end();
      await node.end();
    }
    return {
      cases: made,
      notes: [`${fronts} front(s), ${CONNECTIONS} connections, ${PAYMENTS} transactions per block and in the mempool`],
    };
  },
});
