// Measures a node with everything at once: 300,000 transactions in the mempool in clusters at their limits, a wallet
// with a million addresses (those of 10,000 wallets), 125 peers that request what is announced, and long polls. Clients
// request templates, small calls and wallet calls while transactions and full blocks arrive. A bare server on the same
// machine gets requests at the same time. Processor time of the threads and the delay of the node thread's event loop
// are separate rows, because wall time also depends on other work of the machine.
//
//   node build/bench/all-at-once.js [--json]      TXS=n ADDRESSES=n PEERS=n POLLS=n SECONDS=n BLOCK_SECONDS=n
//   OPTIONS="more options of adit". Filling takes some minutes.
import { type ChildProcess, spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon } from '../test/framework/daemon.js';
import { TRUE_SCRIPT } from '../test/framework/messages.js';
import { mine } from '../test/framework/miner.js';
import { MiniWallet } from '../test/framework/mini-wallet.js';
import { freePort } from '../test/framework/ports.js';
import { pseudoRandom } from '../test/framework/pseudo-random.js';
import { figure, scrape } from '../test/framework/scrape.js';
import { runBench } from './harness/bench.js';
import { scriptOf, writeBigWallet } from './harness/big-wallet.js';
import { CLUSTER_COUNT, CLUSTER_VALUE, clusterOf } from './harness/full-clusters.js';
import { highestMemory, nodeThreadMilliseconds, residentMemory } from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { chainOfCoins, feed } from './harness/wallet-chain.js';
import { TEMPLATE_CALL } from './http-load/filled-node.js';
import { postRequest, startBare, startLoad, startPolling } from './http-load/load.js';

const TXS = Number(process.env.TXS ?? 300_000);
const ADDRESSES = Number(process.env.ADDRESSES ?? 1_000_000);
const PEERS = Number(process.env.PEERS ?? 125);
const POLLS = Number(process.env.POLLS ?? 50);
const SECONDS = Number(process.env.SECONDS ?? 60);
const BLOCK_SECONDS = Number(process.env.BLOCK_SECONDS ?? 10);
const more = process.env.OPTIONS?.split(' ') ?? [];
const BATCH = 512;
/** Clusters of transactions that arrive per second during the measurement. */
const CLUSTERS_PER_SECOND = 4;
/** Connections that the node opens itself or reserves for outbound peers. */
const OUTBOUND = 12;
const SCRAPE_MS = 5_000;
/**
 * Resolution of the histogram behind the event-loop metric. Its values include this interval, so it is subtracted from
 * them.
 */
const LAG_STEP_MS = 10;
const SMALL_CALL = '{"method":"getblockcount","params":[],"id":1}';
const BALANCE_CALL = '{"method":"getbalances","params":[],"id":1}';
/** Pause between two calls of one client. A client has one call in progress at a time. */
const PAUSE_MS = 100;

class Everything {
  readonly #random = pseudoRandom(11);
  readonly #agent = new http.Agent({ keepAlive: true });
  #clusters = 0;
  accepted = 0;
  readonly blocks: { txs: number; ms: number }[] = [];
  over = false;

  constructor(
    readonly node: Daemon,
    readonly coins: readonly { txid: Buffer; index: number; value: number }[],
  ) {}

  /** Sends clusters to the node, several in one JSON-RPC batch. */
  async send(clusters: number): Promise<void> {
    const raw: Buffer[] = [];
    for (let i = 0; i < clusters; i++) {
      const number = this.#clusters++;
      raw.push(...clusterOf(number, this.coins[number]!, this.#random, scriptOf((number * 7_919) % ADDRESSES)));
    }
    const body = raw.map((bytes, id) => ({ method: 'sendrawtransaction', params: [bytes.toString('hex'), 0], id }));
    const reply = JSON.parse((await this.node.post(JSON.stringify(body), { agent: this.#agent })).body) as { error: unknown }[];
    const refused = reply.find(({ error }) => error !== null);
    if (refused !== undefined) throw new Error(`a transaction was refused: ${JSON.stringify(refused.error)}`);
    this.accepted += raw.length;
  }

  async fill(): Promise<void> {
    while (this.accepted < TXS) await this.send(BATCH / CLUSTER_COUNT);
  }

  async keepSending(): Promise<void> {
    for (; !this.over; await sleep(1_000 / CLUSTERS_PER_SECOND)) await this.send(1);
  }

  async keepMining(): Promise<void> {
    const key = new MiniWallet().key();
    for (await sleep(BLOCK_SECONDS * 500); !this.over; await sleep(BLOCK_SECONDS * 1_000)) {
      const template = await this.node.call('getblocktemplate', { rules: ['segwit'] });
      const { hex } = mine(template, 'p2wpkh', key);
      const begin = performance.now();
      const verdict = await this.node.call('submitblock', hex);
      if (verdict !== null) throw new Error(`a block was refused: ${verdict}`);
      this.blocks.push({ txs: template.transactions.length, ms: performance.now() - begin });
    }
  }

  async keepPolling(): Promise<void> {
    let poll = TEMPLATE_CALL;
    const agent = new http.Agent({ keepAlive: true });
    while (!this.over) {
      const { body } = await this.node.post(poll, { agent });
      const id = /"longpollid":"([0-9a-f]+)"/.exec(body.slice(-600))?.[1];
      if (id === undefined) throw new Error(`no template: ${body.slice(0, 300)}`);
      poll = TEMPLATE_CALL.replace('["segwit"]', `["segwit"],"longpollid":"${id}"`);
    }
    agent.destroy();
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function crowd(port: number): Promise<ChildProcess> {
  const file = new URL('./harness/peer-crowd.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [file, String(port), String(PEERS)], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the peers ended')));
    child.stdout.once('data', () => resolve());
  });
  return child;
}

interface Measured {
  readonly times: Readonly<Record<'template' | 'small' | 'wallet' | 'bare', readonly number[]>>;
  readonly lagMs: readonly number[];
  readonly seconds: number;
  readonly main: number;
  readonly others: number;
}

/** Runs all clients for some seconds and returns their figures. */
async function measure(node: Daemon, metrics: number, seconds: number): Promise<Measured> {
  const bare = await startBare(Buffer.from('{"result":0,"error":null,"id":1}'));
  const children: { end(): void }[] = [bare];
  const poll = async (port: number, call: string, connections: number) => {
    const load = await startLoad();
    children.push(load);
    return startPolling(load, { port, request: postRequest(node.auth, call), connections, pauseMs: PAUSE_MS });
  };
  const polls = {
    template: await poll(node.port, TEMPLATE_CALL, 2),
    small: await poll(node.port, SMALL_CALL, 1),
    wallet: await poll(node.port, BALANCE_CALL, 1),
    bare: await poll(bare.port, SMALL_CALL, 1),
  };
  const lagMs: number[] = [];
  const pid = node.child!.pid!;
  const before = nodeThreadMilliseconds(pid);
  const begin = performance.now();
  // The metric covers the time since the last scrape, so discard the time before the measurement.
  await scrape(metrics);
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; ) {
    await sleep(SCRAPE_MS);
    lagMs.push(Math.max(0, figure(await scrape(metrics), 'adit_nodejs_eventloop_lag_p99_seconds') * 1_000 - LAG_STEP_MS));
  }
  const after = nodeThreadMilliseconds(pid);
  const measured = {
    lagMs,
    seconds: (performance.now() - begin) / 1_000,
    main: (after.main - before.main) / 1_000,
    others: (after.others - before.others) / 1_000,
    times: {
      template: await polls.template.stop(),
      small: await polls.small.stop(),
      wallet: await polls.wallet.stop(),
      bare: await polls.bare.stop(),
    },
  };
  for (const child of children) child.end();
  return measured;
}

await runBench({
  name: 'all-at-once',
  protects: 'miners and clients of a node whose mempool, wallet and peers are all as large as they get',
  run: async () => {
    const [metrics, p2p] = [await freePort(), await freePort()];
    const node = await Daemon.start(
      '-templatemode=live',
      '-checktemplates=0',
      '-rehearse=0',
      '-keypool=1',
      '-maxmempool=2000',
      `-maxconnections=${PEERS + OUTBOUND}`,
      '-listen=1',
      `-bind=127.0.0.1:${p2p}`,
      '-connect=0',
      `-metricsport=${metrics}`,
      ...more,
    );
    const notes: string[] = [];
    const note = (text: string): void => {
      notes.push(text);
      if (process.env.DETAIL) process.stderr.write(`${text}\n`);
    };
    let peers: ChildProcess | undefined;
    try {
      const pid = node.child!.pid!;
      const memory = (what: string): void =>
        note(`${what}: ${residentMemory(pid).toFixed(0)} MB resident, most ${highestMemory(pid).toFixed(0)} MB`);
      memory('started');
      const clusters = Math.ceil(TXS / CLUSTER_COUNT) + 8 + 3 * SECONDS * CLUSTERS_PER_SECOND;
      const chain = chainOfCoins(clusters, () => TRUE_SCRIPT, CLUSTER_VALUE);
      await feed(node, chain);
      const coins = chain.flatMap(({ txids, txs }) =>
        txs[0]!.outs.flatMap(({ value, script }, index) => (script === TRUE_SCRIPT ? [{ txid: txids[0]!, index, value }] : [])),
      );
      await writeBigWallet(path.join(node.networkDir, 'wallets', 'big'), ADDRESSES);
      await node.call('loadwallet', 'big');
      memory(`wallet of ${ADDRESSES.toLocaleString('en-US')} addresses loaded`);
      peers = await crowd(p2p);
      const all = new Everything(node, coins);
      const before = nodeThreadMilliseconds(pid);
      const begin = performance.now();
      await all.fill();
      const after = nodeThreadMilliseconds(pid);
      const us = (ms: number): string => ((ms * 1_000) / all.accepted).toFixed(0);
      memory(
        `${all.accepted.toLocaleString('en-US')} transactions in the mempool after ${((performance.now() - begin) / 1_000).toFixed(0)} s`,
      );
      note(`filling, processor us for each: node thread ${us(after.main - before.main)}, others ${us(after.others - before.others)}`);
      const { usage, bytes } = await node.call('getmempoolinfo');
      const { connections } = await node.call('getnetworkinfo');
      note(`mempool: ${(bytes / 1e6).toFixed(0)} MvB, usage ${(usage / 1e6).toFixed(0)} MB; ${connections} peers`);
      // Peers receive announcements in rounds, and the wallet receives its own transactions.
      const quiet = await measure(node, metrics, SECONDS / 2);
      memory('asked, and little else');
      const work = [all.keepSending(), all.keepMining(), ...Array.from({ length: POLLS }, () => all.keepPolling())];
      const busy = await Promise.race([
        measure(node, metrics, SECONDS),
        Promise.all(work).then(() => Promise.reject(new Error('the work ended'))),
      ]);
      memory('everything at once');
      all.over = true;
      // A block ends the long polls that are still parked.
      const template = await node.call('getblocktemplate', { rules: ['segwit'] });
      await node.call('submitblock', mine(template, 'p2wpkh', new MiniWallet().key()).hex);
      await Promise.all(work);
      all.close();
      note(`blocks submitted: ${all.blocks.map(({ txs, ms }) => `${txs} transactions in ${ms.toFixed(0)} ms`).join(', ')}`);
      // End the peers before the node. Otherwise they would report that the node closed their connections.
      peers.kill();
      const { code } = await node.stop();
      if (code !== 0) throw new Error(`the daemon ended with ${code}`);
      const cases = (
        [
          ['quiet', quiet],
          ['everything', busy],
        ] as const
      ).flatMap(([when, { times, lagMs, seconds, main, others }]) => {
        note(
          `${when}: node thread ${((100 * main) / seconds).toFixed(0)} % of a core, others ${((100 * others) / seconds).toFixed(0)} %; slowest ms: template ${Math.max(...times.template).toFixed(0)}, small call ${Math.max(...times.small).toFixed(0)}, wallet ${Math.max(...times.wallet).toFixed(0)}, bare server ${Math.max(...times.bare).toFixed(0)}`,
        );
        const limit = {
          name: `a bare server asked meanwhile, ${when}; its p99 is ${percentile(times.bare, 0.99).toFixed(1)} ms`,
          samples: times.bare,
        };
        const line = (name: string, samples: readonly number[]) => ({
          name: `${when}: ${name}`,
          unit: 'ms',
          better: 'lower' as const,
          samples,
        });
        return [
          { ...line('getblocktemplate', times.template), limit },
          { ...line('getblockcount', times.small), limit },
          { ...line('getbalances of the wallet', times.wallet), limit },
          line('p99 delay of the event loop, in windows', lagMs),
        ];
      });
      return { cases, notes };
    } finally {
      peers?.kill();
      await node.remove();
    }
  },
});
