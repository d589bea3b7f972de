// Measures payments of coins in blocks on their way into the mempool: by sendrawtransaction in batches over HTTP, and
// from a peer that announces them. Figures: rates, and processor time of the node thread and of all threads for each
// transaction, which depends less on other work of the machine. The bare curve checks of the same run are the limit.
//
//   node build/bench/mempool-accept.js [--json]
//   ROUNDS=n WARMUP=n PAYMENTS=n BATCH=n WAYS=rpc,peer OPTIONS="more options of adit"
//   COMPARE=/path/bitcoind: Core in turns with adit, the same payments. BEFORE=/path/aditd.js: another build of adit, likewise.
import os from 'node:os';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../test/framework/chain-builder.js';
import { hash256, serializeTx, txid } from '../test/framework/messages.js';
import { framed, invPayload } from '../test/framework/p2p-client.js';
import { BareChecks } from './harness/bare-checks.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { Contender } from './harness/contender.js';
import { Owners } from './harness/owners.js';
import { nodeThreadMilliseconds } from './harness/process-figures.js';
import { timeMs } from './harness/samples.js';

type Way = 'rpc' | 'peer';

const ROUNDS = Number(process.env.ROUNDS ?? 6);
const WARMUP = Number(process.env.WARMUP ?? 2);
/** Payments of one round, and of one batch in it. */
const PAYMENTS = Number(process.env.PAYMENTS ?? 2_000);
const BATCH = Number(process.env.BATCH ?? 200);
const WAYS = (process.env.WAYS ?? 'rpc,peer').split(',') as Way[];
/** Coins made by one transaction, and such transactions in a block. */
const OUTPUTS_PER_SPLIT = 3_000;
const SPLITS_PER_BLOCK = 8;
const VALUE = 100_000;
const RIPE = 100;
const SPACING = 10;
/** Type of an inventory entry for a transaction (BIP-0339). */
const MSG_WTX = 5;
/** Announcements of one inv. */
const INV = 1_000;
const GOAL_PER_SECOND = 13_000;
const threads = os.availableParallelism();
const owners = new Owners();

interface Coin {
  readonly txid: Buffer;
  readonly index: number;
  readonly owner: number;
  readonly value: number;
}

/** Yields blocks that create this number of coins. */
function* funding(count: number, coins: Coin[]): Generator<BuiltBlock> {
  const splits = Math.ceil(count / OUTPUTS_PER_SPLIT);
  const rewards: ReturnType<typeof reward>[] = [];
  let tip = GENESIS;
  // Use a recent time, so that the node is not in the initial block download.
  let time = Math.floor(Date.now() / 1000) - 7_000;
  const next = (txs: ReturnType<typeof spend>[] = []): BuiltBlock => {
    time += SPACING;
    tip = buildBlock(tip, { txs, time });
    return tip;
  };
  for (let i = 0; i < splits + RIPE; i++) {
    const block = next();
    rewards.push(reward(block));
    yield block;
  }
  for (let at = 0; at < splits; at += SPLITS_PER_BLOCK) {
    const txs = rewards.slice(at, Math.min(splits, at + SPLITS_PER_BLOCK)).map((source) => {
      const first = coins.length;
      const script = (i: number): Buffer => owners.script('p2wpkh', first + i);
      const tx = spend(
        [source],
        Array.from({ length: OUTPUTS_PER_SPLIT }, (_, i) => ({ value: VALUE, script: script(i) })),
      );
      const id = txid(tx);
      for (let index = 0; index < OUTPUTS_PER_SPLIT; index++) coins.push({ txid: id, index, owner: first + index, value: VALUE });
      return tx;
    });
    yield next(txs);
  }
}

/** A signed payment with one input and one output. */
function payment(coin: Coin, i: number): Buffer {
  const tx = spend([coin], [{ value: VALUE - 2_000 - (i % 500), script: owners.script('p2wpkh', i) }]);
  owners.sign(tx, 'p2wpkh', [coin]);
  return serializeTx(tx);
}

/** Gives a node its payments. @returns a promise that resolves when the node has accepted the last one */
type Give = () => Promise<void>;

/**
 * Announces all payments and sends them on request. The messages are made in advance, because this peer shares the
 * node's cores.
 */
async function announcing(node: Contender, raw: readonly Buffer[]): Promise<Give> {
  const peer = await node.peer();
  const open = new Map(raw.map((bytes) => [hash256(bytes).toString('hex'), framed('tx', bytes)]));
  const hashes = [...open.keys()];
  const announcements: Buffer[] = [];
  for (let at = 0; at < hashes.length; at += INV) {
    const items = hashes.slice(at, at + INV).map((hash): [number, Buffer] => [MSG_WTX, Buffer.from(hash, 'hex')]);
    announcements.push(framed('inv', invPayload(items)));
  }
  await peer.sync();
  return async () => {
    peer.raw(Buffer.concat(announcements));
    while (open.size > 0) {
      const wanted = await peer.next('getdata');
      const asked: Buffer[] = [];
      // Fewer than 65,536 entries: their number takes one or three bytes.
      for (let at = wanted[0] === 0xfd ? 3 : 1; at < wanted.length; at += 36) {
        const hash = wanted.subarray(at + 4, at + 36).toString('hex');
        const message = open.get(hash);
        if (message === undefined) throw new Error(`${node.name} asks for what was not announced`);
        open.delete(hash);
        asked.push(message);
      }
      peer.raw(Buffer.concat(asked));
    }
    await peer.sync();
  };
}

/** Cost of one round for one node: transactions per second, processor microseconds per transaction. */
interface Figures {
  readonly rate: number;
  readonly main: number;
  readonly all: number;
}

async function round(node: Contender, way: Way, raw: readonly Buffer[]): Promise<Figures> {
  const hex = way === 'rpc' ? raw.map((bytes) => bytes.toString('hex')) : [];
  const give = way === 'rpc' ? () => node.give(hex, BATCH) : await announcing(node, raw);
  const { size } = await node.call('getmempoolinfo');
  const before = nodeThreadMilliseconds(node.pid);
  const ms = await timeMs(give);
  const after = nodeThreadMilliseconds(node.pid);
  const taken = (await node.call('getmempoolinfo')).size - size;
  if (taken !== raw.length) throw new Error(`${node.name} took ${taken} of ${raw.length}`);
  const each = (spent: number): number => (spent * 1_000) / raw.length;
  const main = after.main - before.main;
  return { rate: (raw.length * 1_000) / ms, main: each(main), all: each(main + after.others - before.others) };
}

const WAY_NAMES: Record<Way, string> = { rpc: `batches of ${BATCH}`, peer: 'from a peer' };

await runBench({
  name: 'mempool/accept',
  protects: 'how fast a pool operator or explorer can hand over transactions, and peers',
  run: async () => {
    const nodes = await Contender.all(
      '-maxmempool=1000',
      '-checktemplates=0',
      `-par=${threads}`,
      ...(process.env.OPTIONS?.split(' ') ?? []),
    );
    const bare = new BareChecks(PAYMENTS, { threads, prefer: 'system' });
    const figures = new Map<string, Figures[]>();
    const bareRates: number[] = [];
    try {
      await bare.start();
      const coins: Coin[] = [];
      for (const block of funding(PAYMENTS * WAYS.length * (WARMUP + ROUNDS), coins)) for (const node of nodes) await node.submit(block);
      for (let i = 0, next = 0; i < WARMUP + ROUNDS; i++) {
        for (const way of WAYS) {
          const raw = coins.slice(next, (next += PAYMENTS)).map(payment);
          // Rotate the order, so that each node goes first equally often.
          for (const node of [...nodes.slice(i % nodes.length), ...nodes.slice(0, i % nodes.length)]) {
            const key = `${WAY_NAMES[way]}: ${node.name}`;
            const made = await round(node, way, raw);
            if (i >= WARMUP) figures.set(key, [...(figures.get(key) ?? []), made]);
          }
        }
        const ms = await timeMs(() => bare.run('ecdsa'));
        if (i >= WARMUP) bareRates.push((PAYMENTS * 1_000) / ms);
      }
    } finally {
      await Promise.all([...nodes.map((node) => node.close()), bare.close()]);
    }
    const cases: BenchCase[] = [...figures].flatMap(([name, made]): BenchCase[] => [
      {
        name,
        unit: 'tx/s',
        better: 'higher',
        samples: made.map(({ rate }) => rate),
        limit: { name: bare.name, samples: bareRates },
        ...(name.endsWith(': adit')
          ? { goal: { text: `over ${GOAL_PER_SECOND.toLocaleString('en-US')}`, reached: (p50: number) => p50 > GOAL_PER_SECOND } }
          : {}),
      },
      { name: `${name}, first thread`, unit: 'processor us/tx', better: 'lower', samples: made.map(({ main }) => main) },
      { name: `${name}, all threads`, unit: 'processor us/tx', better: 'lower', samples: made.map(({ all }) => all) },
    ]);
    return { cases, notes: [`${threads} script threads; client, front, node and script threads share ${os.availableParallelism()} cores`] };
  },
});
