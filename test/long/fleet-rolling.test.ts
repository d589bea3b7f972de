// Tests a rolling restart of nodes and fronts with 200 waiting long polls, 50 calls per second, and blocks meanwhile:
// no accepted call is lost, and no long poll is answered without a reason. Skipped if nats-server is not installed.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { type BuiltBlock, buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { until } from '../framework/until.js';

const RULES = { rules: ['segwit'] };
const POLLS = 200;
const CALLS_MS = 20;

t.test('serves clients through a rolling restart', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const nodes = await Promise.all(['a', 'b'].map((name) => fleetNode(broker, name)));
  for (const node of nodes) t.teardown(() => node.remove());
  const options = [`-fleet=${broker.url}`, ...nodes.map(followOption)];
  const fronts = await Promise.all([0, 1].map(() => FrontProcess.start(...options)));
  for (const front of fronts) t.teardown(() => front.remove());
  // Fronts that get new calls. Clients leave a front before it ends, as a load balancer would make them.
  let open = [...fronts];
  let tip: BuiltBlock = buildBlock(GENESIS, { time: 1_700_000_000 });
  const mine = async (front: FrontProcess): Promise<void> => {
    t.equal(await front.call('submitblock', tip.bytes.toString('hex')), null, `block ${tip.hashHex}`);
    for (const one of open) await until('every front has it', async () => (await one.call('getbestblockhash')) === tip.hashHex);
  };
  const next = (): void => {
    tip = buildBlock(tip, { time: tip.time + 1 });
  };
  await mine(fronts[0]!);

  let over = false;
  let polls = 0;
  const early: string[] = [];
  const failed: string[] = [];
  const poll = async (i: number): Promise<void> => {
    while (!over) {
      const front = open[i % open.length]!;
      const { longpollid, previousblockhash } = await front.call('getblocktemplate', RULES);
      polls++;
      try {
        const answer = await front.call('getblocktemplate', { ...RULES, longpollid });
        if (answer.previousblockhash === previousblockhash && !over) early.push(`${i} on ${previousblockhash}`);
      } catch (error) {
        // The front ends and says so, and the client connects to another one.
        if (!/Shutting down|HTTP 503/.test((error as Error).message) || open.includes(front)) failed.push(`poll: ${error}`);
      } finally {
        polls--;
      }
    }
  };
  let calls = 0;
  const call = async (n: number): Promise<void> => {
    calls++;
    const front = open[n % open.length]!;
    // Calls that the front answers, calls that the node answers, and calls that change something on the node.
    const methods = [
      ['getblockcount'],
      ['getblockchaininfo'],
      ['getmempoolinfo'],
      ['setban', `10.0.${n >> 8}.${n & 255}`, 'add', 600],
    ] as const;
    const [method, ...params] = methods[n % methods.length]!;
    await front.call(method, ...params).catch((error: unknown) => failed.push(`${method}: ${error}`));
  };
  const pollers = Array.from({ length: POLLS }, (_, i) => poll(i));
  const under = new Set<Promise<void>>();
  const caller = (async () => {
    for (let n = 0; !over; n++) {
      const one: Promise<void> = call(n).finally(() => under.delete(one));
      under.add(one);
      await sleep(CALLS_MS);
    }
    await Promise.all(under);
  })();
  const parked = (): Promise<void> => until('all polls are parked', () => polls >= POLLS);
  await parked();
  for (const node of nodes) {
    await node.stop();
    next();
    await mine(fronts[0]!);
    await node.up();
    // The node has no peers. Blocks that it missed come from the stream of found blocks.
    await until('the node has caught up', async () => (await node.call('getbestblockhash')) === tip.hashHex);
    await parked();
  }
  for (const front of fronts) {
    open = fronts.filter((one) => one !== front);
    // Wait for running calls: when the front shuts down, it would answer calls that wait for the node with an error.
    await Promise.all(under);
    await front.end('SIGTERM');
    next();
    await mine(open[0]!);
    front.up();
    await front.answers();
    open = [...fronts];
    await parked();
  }
  over = true;
  next();
  t.equal(await fronts[0]!.call('submitblock', tip.bytes.toString('hex')), null);
  await Promise.all(pollers);
  await caller;
  t.ok(calls > 100, `${calls} calls`);
  t.same(failed, [], 'no call failed');
  t.same(early, [], 'no poll was answered without a new tip');
});
