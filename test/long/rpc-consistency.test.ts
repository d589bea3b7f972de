// Tests that a block which submitblock acknowledged is part of every later reply, on all connections and front threads,
// whatever else runs. A node under many concurrent changes ends with the coins of the winning chain.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { BlockTree, branch, expectedCoins, ROOT, type TreeBlock } from '../framework/block-tree.js';
import { ANYONE, buildBlock, buildChain, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { coinFigures } from '../framework/coin-figures.js';
import { type Connection, closeAll, connect } from '../framework/connection.js';
import { type CallError, Daemon } from '../framework/daemon.js';
import { cases, rounds } from '../framework/depth.js';
import { serializeTx, shown, txid } from '../framework/messages.js';
import { headersPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { pseudoRandom } from '../framework/pseudo-random.js';

const rules = { rules: ['segwit'] };
/** Old enough to stay unchanged, and recent enough not to count as initial download. */
const startTime = (): number => Math.floor(Date.now() / 1000) - 3600;

t.test('reads its own writes on every front', async (t) => {
  const node = await Daemon.startFor(t, '-fronts=3');
  const connections = await connect(node, 20);
  t.teardown(() => closeAll(connections));
  const [, ...others] = connections;
  const readers = others.slice(0, 9);
  const pollers = others.slice(9);
  const tree = new BlockTree(pseudoRandom(1), startTime());
  const heights = new Map<string, number>([[ROOT.hashHex, 0]]);
  /** Height that the node acknowledged to the writer. */
  let acknowledged = 0;
  let done = false;
  const stale: string[] = [];
  let polled = 0;

  const atLeast = (what: string, height: number | undefined, floor: number): void => {
    if (height === undefined || height < floor) stale.push(`${what}: ${height} after ${floor} was acknowledged`);
  };
  const ask = async (connection: Connection, which: number): Promise<void> => {
    const floor = acknowledged;
    if (which % 4 === 0) atLeast('getbestblockhash', heights.get(await connection.call('getbestblockhash')), floor);
    else if (which % 4 === 1) atLeast('getblockcount', await connection.call('getblockcount'), floor);
    else if (which % 4 === 2) atLeast('getblocktemplate', (await connection.call('getblocktemplate', rules)).height - 1, floor);
    else {
      const info = await connection.call('getblockchaininfo');
      atLeast('getblockchaininfo', info.blocks, floor);
      atLeast('getblockchaininfo.bestblockhash', heights.get(info.bestblockhash), floor);
    }
  };
  const background = pollers.map(async (connection, i) => {
    for (let n = i; !done; n++) {
      await ask(connection, n);
      polled++;
    }
  });

  let tip: TreeBlock = ROOT;
  const refused: unknown[] = [];
  for (let round = 0; round < rounds(30, 300); round++) {
    tip = tree.grow(tip, 2);
    heights.set(tip.hashHex, tip.height);
    // The writer uses another front each time.
    const answer = await connections[round % 3]!.call('submitblock', tip.bytes.toString('hex'));
    if (answer !== null) refused.push(answer);
    acknowledged = tip.height;
    await Promise.all(readers.map((reader, i) => ask(reader, round + i)));
  }
  done = true;
  await Promise.all(background);
  t.same(refused, []);
  t.same(stale.slice(0, 10), [], 'no reply was older than what had been acknowledged');
  t.ok(polled >= pollers.length, `${polled} background calls`);
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test('answers consistently during reorganisations with fifty clients', async (t) => {
  const node = await Daemon.startFor(t, '-fronts=3', '-checktemplates=1', '-rpcworkqueue=1000');
  const random = pseudoRandom(2);
  const tree = new BlockTree(random, startTime());
  const payments = new BlockTree(pseudoRandom(3), 0);
  let base: TreeBlock = ROOT;
  const [writer, rival, ...clients] = (await connect(node, 52)) as [Connection, Connection, ...Connection[]];
  t.teardown(() => closeAll([writer, rival, ...clients]));
  for (let i = 0; i < 115; i++) {
    base = tree.grow(base, 3);
    const answer = await writer.call('submitblock', base.bytes.toString('hex'));
    if (answer !== null) t.fail(`block ${base.height}: ${answer}`);
  }

  const known = new Set<string>();
  let done = false;
  let templates = 0;
  let sent = 0;
  const strange: string[] = [];
  let tip = base;
  const running = clients.map(async (client, i) => {
    while (!done) {
      if (i % 5 === 0) {
        const payment = payments.payment(tip);
        if (payment !== null) {
          await client.call('sendrawtransaction', payment).then(
            () => sent++,
            // Spent by a block or by another payment meanwhile: anything else is a fault.
            (error: CallError) => {
              if (
                !/txn-mempool-conflict|insufficient fee|missingorspent|premature|non-BIP68-final|already in block chain/.test(error.message)
              ) {
                strange.push(error.message);
              }
            },
          );
        }
      }
      const template = await client.call('getblocktemplate', rules);
      if (!known.has(template.previousblockhash)) strange.push(`template on ${template.previousblockhash}`);
      templates++;
    }
  });
  for (const block of branch(base)) known.add(block.hashHex);

  // Two miners on branches of their own, at the same time; now and then one gives up and builds on the other's block.
  let left = base;
  let right = base;
  const answers = new Map<unknown, number>();
  const submit = async (connection: Connection, block: TreeBlock): Promise<void> => {
    known.add(block.hashHex);
    const answer = await connection.call('submitblock', block.bytes.toString('hex'));
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  };
  // On a slow machine the clients get fewer answers a round.
  const enough = (): boolean => (answers.get('inconclusive') ?? 0) > 10 && sent > 10 && templates > 100;
  for (let round = 0; round < rounds(12, 80) || !enough(); round++) {
    const both = tree.pick(4) > 0;
    left = tree.grow(left, 5);
    if (both) right = tree.grow(right, 5);
    await Promise.all([submit(writer, left), ...(both ? [submit(rival, right)] : [])]);
    if (right.height > left.height || tree.pick(12) === 0) left = right;
    if (tree.pick(8) === 0) {
      // The branch behind gets two blocks more than the other.
      while (right.height < left.height + 2) {
        right = tree.grow(right, 5);
        await submit(rival, right);
      }
    }
    tip = left.height >= right.height ? left : right;
  }
  const last = tree.grow(tip, 5);
  await submit(writer, last);
  done = true;
  await Promise.all(running);

  t.same([...new Set(strange)].slice(0, 5), [], 'clients got nothing strange');
  t.same(
    [...answers.keys()].filter((answer) => answer !== null && answer !== 'inconclusive'),
    [],
    'every block was accepted',
  );
  t.comment(`${[...answers]} ${sent} sent ${templates} templates`);
  t.equal(await writer.call('getbestblockhash'), last.hashHex);
  t.equal(await writer.call('verifychain', 4, 0), true);
  const stats = await coinFigures(writer);

  const { txouts, sats } = expectedCoins(last);
  t.equal(stats.txouts, txouts, 'as many coins as the model has');
  t.equal(Math.round(stats.total_amount * 1e8), sats, 'worth as much');
  const calm = await Daemon.startFor(t);
  for (const block of branch(last)) {
    const answer = await calm.call('submitblock', block.bytes.toString('hex'));
    if (answer !== null) t.fail(`winning block ${block.height}: ${answer}`);
  }
  t.same(stats, await coinFigures(calm), 'the coins are those of a node that only saw the winning chain');
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test('answers other clients while a block of 99,000 outputs is connected', async (t) => {
  const OUTPUTS = 98_900;
  const node = await Daemon.startFor(t, '-fronts=1');
  const trunk = buildChain(GENESIS, 101);
  for (const block of trunk) await node.call('submitblock', block.bytes.toString('hex'));
  const coin = reward(trunk[0]!);
  const outs = Array.from({ length: OUTPUTS }, () => ({ value: 1_000, script: ANYONE }));
  const big = buildBlock(trunk[100]!, { txs: [spend([coin], outs)], fees: coin.value - OUTPUTS * 1_000 });
  const bigHex = big.bytes.toString('hex');
  const spent = [shown(coin.txid), coin.index, false] as const;
  const created = [shown(big.txids[1]!), OUTPUTS - 1, false] as const;

  const strange: string[] = [];
  /** Asks for coins until the work is done. @returns replies from before and after it */
  const during = async (work: Promise<unknown>, connects: boolean): Promise<[number, number]> => {
    let over = false;
    const counts: [number, number] = [0, 0];
    const ended = work.finally(() => {
      over = true;
    });
    while (!over) {
      const [gone, come] = await Promise.all([node.call('gettxout', ...spent), node.call('gettxout', ...created)]);
      // Null says nothing about the block it is true of.
      const was = gone !== null ? gone.bestblock === trunk[100]!.hashHex : null;
      const is = come !== null ? come.bestblock === big.hashHex : null;
      if (was === false || is === false) strange.push(`${gone?.bestblock} ${come?.bestblock}`);
      if (was) counts[connects ? 0 : 1]++;
      if (is) counts[connects ? 1 : 0]++;
      const template = await node.call('getblocktemplate', rules);
      const known = [trunk[100]!.hashHex, big.hashHex].indexOf(template.previousblockhash);
      if (known < 0 || template.height !== 102 + known) strange.push(`template on ${template.previousblockhash}`);
    }
    await ended;
    return counts;
  };
  t.ok((await during(node.call('submitblock', bigHex), true))[0] > 0, 'answered while it was connected');
  t.equal(await node.call('getbestblockhash'), big.hashHex);
  await during(node.call('invalidateblock', big.hashHex), false);
  t.equal((await node.call('gettxout', ...spent)).bestblock, trunk[100]!.hashHex);
  await during(node.call('reconsiderblock', big.hashHex), true);
  t.same(strange.slice(0, 10), []);

  // The process dies somewhere on the way down, and the next one is at one end or the other.
  for (const delayMs of cases(1, [120, 40, 250])) {
    const going = node.call('invalidateblock', big.hashHex).catch(() => undefined);
    await sleep(delayMs);
    await node.kill();
    await going;
    await node.up();
    const best = await node.call('getbestblockhash');
    t.ok([trunk[100]!.hashHex, big.hashHex].includes(best), best);
    const [gone, come] = [await node.call('gettxout', ...spent), await node.call('gettxout', ...created)];
    t.same([gone === null, come === null], best === big.hashHex ? [true, false] : [false, true]);
    t.equal(await node.call('verifychain', 4, 3), true);
    await node.call('reconsiderblock', big.hashHex);
    t.equal(await node.call('getbestblockhash'), big.hashHex);
  }
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test("returns the same from a front's cache as from the node thread", async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, '-fronts=2', '-templatemode=core', '-acceptnonstdtxn=1', `-port=${port}`, '-bind=127.0.0.1');
  const connections = await connect(node, 4);
  t.teardown(() => closeAll(connections));
  const trunk = buildChain(GENESIS, 102);
  for (const block of trunk) await node.call('submitblock', block.bytes.toString('hex'));
  const [coin, other] = [reward(trunk[0]!), reward(trunk[1]!)];
  // Three outputs: smaller transactions are not relayed.
  const paid = spend([coin], new Array(3).fill({ value: coin.value / 4, script: ANYONE }));
  const paidHex = serializeTx(paid).toString('hex');
  const paidId = shown(txid(paid));
  const next = buildBlock(trunk[101]!);
  const received = buildBlock(next);
  const questions: readonly (readonly [method: string, ...params: unknown[]])[] = [
    ['getblockchaininfo'],
    ['getmininginfo'],
    ['getmempoolinfo'],
    ['getnetworkinfo'],
    ['getconnectioncount'],
    ['getblockhash', 103],
    ['getblockheader', trunk[101]!.hashHex],
    ['getblockheader', received.hashHex],
    ['getmempoolentry', paidId],
    ['estimatesmartfee', 6],
    ['getchaintips'],
    ['getdeploymentinfo'],
    ['getnetworkhashps'],
    ['gettxout', shown(coin.txid), 0],
    ['gettxout', shown(other.txid), 0],
  ];
  // A batch is the node thread's as a whole.
  const asBatch = async (): Promise<unknown[]> => {
    const body = JSON.stringify(questions.map(([method, ...params], id) => ({ id, method, params })));
    return JSON.parse((await connections[0]!.post(body)).body).map(steady);
  };
  const asSingles = (connection: Connection): Promise<unknown[]> =>
    Promise.all(
      questions.map(async ([method, ...params], id) =>
        steady(JSON.parse((await connection.post(JSON.stringify({ id, method, params }))).body)),
      ),
    );
  const peer = await P2pClient.connect(port);
  t.teardown(() => peer.close());
  let second: P2pClient | undefined;

  const acts: Record<string, () => Promise<unknown>> = {
    'a transaction': () => node.call('sendrawtransaction', paidHex, 0),
    'a fee delta': () => node.call('prioritisetransaction', paidId, 0, 5_000),
    'no network': () => node.call('setnetworkactive', false),
    'a network': () => node.call('setnetworkactive', true),
    'a peer': async () => {
      second = await P2pClient.connect(port);
    },
    'a block': () => node.call('submitblock', next.bytes.toString('hex')),
    'a block less': () => node.call('invalidateblock', next.hashHex),
    'the block again': () => node.call('reconsiderblock', next.hashHex),
    "a peer's header": async () => {
      second!.send('headers', headersPayload([received.header]));
      await second!.sync();
    },
    'a template': () => node.call('getblocktemplate', rules),
    'other times': () => node.call('setmocktime', received.time + 100_000),
    'a found block': () => node.call('submitblock', received.bytes.toString('hex')),
  };
  let before = await asBatch();
  for (const [name, act] of Object.entries(acts)) {
    for (const connection of connections) t.same(await asSingles(connection), before, `before ${name}`);
    await act();
    const after = await Promise.all(connections.map(asSingles));
    before = await asBatch();
    for (const one of after) t.same(one, before, `after ${name}`);
  }
  t.same(await node.stop(), { code: 0, signal: null });
});

/** A reply without what the clock moves, or the assembler when it has found a better order. */
function steady(reply: { id: number; result: { verificationprogress?: number; optimal?: boolean } | null }): unknown {
  if (reply.result !== null && typeof reply.result === 'object') {
    delete reply.result.verificationprogress;
    delete reply.result.optimal;
  }
  return reply;
}
