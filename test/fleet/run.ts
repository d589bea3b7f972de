// A fleet to which everything happens that happens to machines, with miners on all fronts; in the end everything is
// whole again, and what was promised is checked (judge.ts).
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallError, type Daemon } from '../framework/daemon.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { until } from '../framework/until.js';
import { Clients } from './clients.js';
import { type AskedNode, type JudgeOptions, judgeBlocks, judgeCalls, judgeWork } from './judge.js';
import { Marks } from './marks.js';
import { MemoryWatch } from './memory.js';
import { Disturbances, TipWatch } from './sights.js';
import { Trouble } from './trouble.js';
import { type Member, World, type WorldSize } from './world.js';

export interface FleetRunOptions extends WorldSize, JudgeOptions {
  readonly seed: number;
  /** How long things befall the fleet. */
  readonly runMs: number;
  /** How many things at once. */
  readonly lanes: number;
  readonly longestMs: number;
  readonly pauseMs: number;
  /** Long polls at each front. */
  readonly polls: number;
  /** Mean time between two blocks of a front, and between two calls. */
  readonly blockMs: number;
  readonly callMs: number;
  readonly tell: (line: string) => void;
}

const MEMORY_MS = 3_000;
const SNAPSHOT_MS = 10_000;

export async function runFleet(options: FleetRunOptions): Promise<string[]> {
  const { tell } = options;
  // Calls' marks are priorities, which nodes tell of in today's version.
  const world = await World.start(options, ['-compat=31']);
  const stops: (() => void)[] = [];
  try {
    return await play(world, options, stops);
  } catch (error) {
    for (const front of world.fronts) tell(`${front.name}: ${front.process.output.slice(-1500)}`);
    throw error;
  } finally {
    for (const stop of stops) stop();
    await world.end();
  }
}

async function play(world: World, options: FleetRunOptions, stops: (() => void)[]): Promise<string[]> {
  const { tell, runMs } = options;
  const random = pseudoRandom(options.seed);
  const disturbances = new Disturbances();
  const { nodes, fronts } = world;
  const tips = new TipWatch(
    nodes.map(({ name, process }) => ({ name, file: path.join(process.networkDir, 'debug.log') })),
    disturbances,
  );
  stops.push(() => tips.end());
  const clients = new Clients(fronts, random);
  stops.push(() => clients.end());
  const marks = new Marks(nodes);
  const trouble = new Trouble(world, disturbances, { ...options, random, onNodeEnd: (node) => marks.look(node) });
  stops.push(() => trouble.end());
  const memory = new MemoryWatch();
  const every = (ms: number, run: () => unknown): void => {
    const timer = setInterval(run, ms);
    stops.push(() => clearInterval(timer));
  };
  every(MEMORY_MS, () => {
    const processes = [...nodes, ...fronts, ...world.servers.map((process, i) => ({ name: `server${i}`, process }))];
    memory.look(processes.map(({ name, process }) => ({ name, pid: process.child?.pid })));
  });
  every(SNAPSHOT_MS, () => marks.lookAll());
  every(1_000, () => trouble.tick());

  const polls = fronts.flatMap((front) => Array.from({ length: options.polls }, () => clients.poll(front)));
  let over = false;
  const sometimes = async (meanMs: number, run: () => Promise<unknown>): Promise<void> => {
    while (!over) {
      await sleep(random() * 2 * meanMs);
      await run();
    }
  };
  const steady = fronts.flatMap((front) => [
    sometimes(options.blockMs, () => clients.find(front)),
    sometimes(options.callMs, () => clients.callOnce(front)),
  ]);
  const lanes = Array.from({ length: options.lanes }, () => trouble.lane());
  await sleep(runMs);
  trouble.end();
  await Promise.all(lanes);
  world.heal();
  over = true;
  await Promise.all(steady);
  tell(`everything is whole; ${clients.found.length} blocks, ${clients.calls.length} calls, ${clients.work.length} requests for work`);

  // One more block decides between tips of equal work, and is what all long polls have waited for.
  let last = '';
  await until('a block is taken by a whole fleet', async () => {
    const [front] = fronts;
    if (!front) return true;
    await clients.ask(front, null);
    const found = await clients.find(front);
    last = found?.hash ?? '';
    return found?.answer === null;
  });
  await until('all nodes are on the last block or above', async () => {
    const tip = await world.agree();
    return tip === last;
  });
  await until('the watch has read of the last block', () => tips.heightOf(last) !== undefined);
  const height = tips.heightOf(last);
  for (const front of fronts) {
    await until(`${front.name} gives work on the last block`, async () => (await clients.ask(front, null))?.previousblockhash === last);
  }
  // One request for each poll was under way when the last block came: all are answered, and ask again.
  const before = performance.now();
  await until('all long polls are answered', () =>
    clients.work.every(({ had, ended, began }) => ended !== null || began > before || had === last || had === ''),
  );
  const judged = judgeWork(
    clients.work,
    nodes.map(({ name }) => name),
    tips,
    disturbances,
    options,
  );
  clients.end();
  await marks.lookAll();
  const logs = [...fronts.map(({ process }) => process.output), ...nodes.map((node) => world.nodeLog(node))].join('\n');
  const outcomes = { done: 0, failed: 0, unknown: 0 };
  for (const { outcome } of clients.calls) outcomes[outcome]++;
  const unanswered = clients.found.filter(({ answer }) => answer === undefined).length;
  const words = new Map<string, number>();
  for (const call of clients.calls) {
    if (call.outcome !== 'done') words.set(call.words.slice(0, 150), (words.get(call.words.slice(0, 150)) ?? 0) + 1);
  }
  for (const [said, times] of words) tell(`${times} calls: ${said}`);
  tell(`troubles: ${JSON.stringify(trouble.counts)}; ${tips.stalls} times the machine had no time for the run`);
  tell(`height ${height}; ${judged.checked} templates; ${unanswered} blocks unanswered; calls ${JSON.stringify(outcomes)}`);
  tell(`most memory in MiB: nodes ${memory.most('node')}, fronts ${memory.most('front')}, servers ${memory.most('server')}`);
  void polls;
  return [
    ...judged.faults,
    ...judgeCalls(clients.calls, marks.seen),
    ...(await judgeBlocks(clients.found, nodes.map(asked), logs)),
    ...memory.grown(),
  ];
}

function asked({ name, process }: Member<Daemon>): AskedNode {
  return {
    name,
    confirmations: (hash) =>
      process.call('getblockheader', hash).then(
        ({ confirmations }: { confirmations: number }) => confirmations,
        (error: unknown) => {
          if (error instanceof CallError && error.code === -5) return null;
          throw error;
        },
      ),
  };
}
