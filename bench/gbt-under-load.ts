// Measures getblocktemplate while the node is busy: four clients in a process of their own send ten calls a second
// each. The node runs in mode `live`, and without pause connects full blocks, disconnects them, writes its coins and
// counts all coins (gettxoutsetinfo). The same clients first measure the idle node. The limit is a bare server that
// sends the same bytes while the node is equally busy: it shows which part of a time is caused by the machine, not by
// the node. MINERS=1000 connects that many Stratum V1 miners, which submit eight shares a minute each. READERS=8
// connects that many clients, which read a block with its transactions or the whole mempool again and again; then the
// idle node is measured a second time with these clients.
//
// While a block is disconnected, its transactions return to the mempool one after another, and a poll waits for a
// template that has them. These polls are a case of their own, because only an operator's call causes them.
//
//   node build/bench/gbt-under-load.js [--json]      SECONDS=20 TXS=4400 FRONTS=1 MINERS=0 READERS=0
import { setTimeout as sleep } from 'node:timers/promises';
import { mine } from '../test/framework/miner.js';
import { MiniWallet } from '../test/framework/mini-wallet.js';
import { freePort } from '../test/framework/ports.js';
import { runBench } from './harness/bench.js';
import { percentile } from './harness/samples.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { Child, postRequest, runLoop, startBare, startLoad, startPolling } from './http-load/load.js';

const SECONDS = Number(process.env.SECONDS ?? 20);
const TXS = Number(process.env.TXS ?? 4400);
const FRONTS = Number(process.env.FRONTS ?? 1);
const POLLERS = 4;
const MINERS = Number(process.env.MINERS ?? 0);
const READERS = Number(process.env.READERS ?? 0);
const PAYOUT = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const PAUSE_MS = 100;
const GOAL_MS = 10;

interface Done {
  blocks: number;
  counts: number;
  /** Times from invalidateblock until all transactions are in the mempool again, in milliseconds since 1970. */
  readonly disconnections: { readonly from: number; readonly to: number }[];
}

interface Poll {
  readonly ms: number;
  readonly endMs: number;
}

/** Keeps the node busy for some seconds: blocks, reorganisations, writes, counts of all coins. */
async function keepBusy(node: FilledNode, wallet: MiniWallet, seconds: number, done: Done): Promise<void> {
  const end = Date.now() + seconds * 1000;
  const counting = (async () => {
    for (; Date.now() < end; done.counts++) await node.daemon.call('gettxoutsetinfo');
  })();
  // Each block has the same transactions: they return to the mempool when the block is disconnected.
  const template = await node.fullTemplate(TXS);
  while (Date.now() < end) {
    const verdict = await node.daemon.call('submitblock', mine(template, 'p2wpkh', wallet.key()).hex);
    if (verdict !== null) throw new Error(`refused: ${verdict}`);
    done.blocks++;
    const block = await node.daemon.call('getbestblockhash');
    const from = Date.now();
    await node.daemon.call('invalidateblock', block);
    while ((await node.daemon.call('getmempoolinfo')).size < TXS) await sleep(5);
    done.disconnections.push({ from, to: Date.now() });
  }
  await counting;
}

async function during(load: Child, port: number, request: string, work: () => Promise<void>): Promise<readonly Poll[]> {
  const polling = startPolling(load, { port, request, connections: POLLERS, pauseMs: PAUSE_MS });
  await work();
  const { times, ends } = await polling.stopTimed();
  return times.map((ms, i) => ({ ms, endMs: ends[i]! }));
}

const durations = (polls: readonly Poll[]): number[] => polls.map(({ ms }) => ms);

await runBench({
  name: 'template/view',
  protects: 'pollers from whatever else the node does',
  async run() {
    const stratumPort = await freePort();
    const stratum = MINERS === 0 ? [] : ['-stratum', `-stratumport=${stratumPort}`];
    const node = await FilledNode.start(TXS, '-templatemode=live', `-fronts=${FRONTS}`, '-checktemplates=0', ...stratum);
    const wallet = new MiniWallet();
    const load = await startLoad();
    const bare = await startBare(Buffer.from((await node.post(TEMPLATE_CALL)).body));
    const { port } = node.daemon;
    const request = postRequest(node.daemon.auth, TEMPLATE_CALL);
    const crowd = MINERS === 0 ? null : new Child('../stratum-load/client-child.js');
    if (crowd !== null) {
      await crowd.next('up');
      crowd.send({ kind: 'connect', port: stratumPort, count: MINERS, names: [PAYOUT] });
      await crowd.next('parked');
      crowd.send({ kind: 'shares', perSecond: Math.ceil((MINERS * 8) / 60), seconds: SECONDS * 2 });
    }
    const idle = await during(load, port, request, () => sleep((SECONDS * 1000) / 2));
    const withReaders: Poll[] = [];
    let reads = 0;
    if (READERS > 0) {
      const readers = await startLoad();
      const block = await node.daemon.call('getbestblockhash');
      const calls = [
        ['getblock', block, 2],
        ['getrawmempool', true],
      ];
      const requests = calls.map(([method, ...params]) => postRequest(node.daemon.auth, JSON.stringify({ id: 1, method, params })));
      const reading = runLoop(readers, { port, request: requests, connections: READERS, seconds: SECONDS / 2 });
      withReaders.push(...(await during(load, port, request, async () => void (reads = (await reading).calls))));
      readers.end();
    }
    const done: Done = { blocks: 0, counts: 0, disconnections: [] };
    const polls = await during(load, port, request, () => keepBusy(node, wallet, SECONDS, done));
    const waits = ({ ms, endMs }: Poll): boolean => done.disconnections.some(({ from, to }) => endMs >= from && endMs - ms <= to);
    const busy = durations(polls.filter((poll) => !waits(poll)));
    const late = durations(polls.filter(waits));
    const lasted = done.disconnections.map(({ from, to }) => to - from);
    const bareWork: Done = { blocks: 0, counts: 0, disconnections: [] };
    const limit = durations(await during(load, bare.port, request, () => keepBusy(node, wallet, SECONDS / 2, bareWork)));
    bare.end();
    crowd?.end();
    load.end();
    await node.end();
    return {
      notes: [
        `${MINERS} Stratum V1 miners, ${READERS} readers with ${reads} replies`,
        `${done.blocks} blocks of ${TXS} transactions connected and taken back, all coins counted ${done.counts} times, in ${SECONDS} s`,
        `from invalidateblock until all transactions were in the mempool again: ${percentile(lasted, 0.5).toFixed(0)} ms`,
        `slowest: ${Math.max(...busy).toFixed(1)} ms, of the bare server ${Math.max(...limit).toFixed(1)} ms, whose p99 is ${percentile(limit, 0.99).toFixed(1)} ms`,
      ],
      cases: [
        { name: `${POLLERS} pollers, idle node`, unit: 'ms', samples: durations(idle), better: 'lower' },
        ...(READERS > 0
          ? [
              {
                name: `${POLLERS} pollers beside ${READERS} readers`,
                unit: 'ms',
                samples: durations(withReaders),
                better: 'lower' as const,
              },
            ]
          : []),
        {
          name: `${POLLERS} pollers, busy node`,
          unit: 'ms',
          samples: busy,
          better: 'lower',
          limit: { name: 'a bare uWebSockets.js server, polled while the node is as busy', samples: limit },
          goal: { text: `p99 <= ${GOAL_MS} ms`, reached: () => percentile(busy, 0.99) <= GOAL_MS },
        },
        { name: `${POLLERS} pollers while a block is disconnected`, unit: 'ms', samples: late, better: 'lower' },
      ],
    };
  },
});
