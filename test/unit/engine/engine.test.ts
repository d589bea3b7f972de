// The engine with its threads: blocks of a chain in, coins and undo data out; and every way in which it stops.
import diagnosticsChannel from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import t from 'tap';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { Engine, type EngineBlock, EngineFailure, FAILURE, type FinishedBlock } from '../../../src/engine/engine.js';
import { PREFIX } from '../../../src/storage/layout.js';
import { WriteBatch } from '../../../src/storage/write-batch.js';
import { type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import {
  type Coins,
  connectOrdinarily,
  factsOf as engineFacts,
  KernelWithoutThreads,
  type Outcome,
} from '../../framework/engine-kernel.js';
import { ModelNode } from '../../framework/law-model.js';
import { type Tx, txid } from '../../framework/messages.js';

const params = regtestParams();
const OP_TRUE = Buffer.from([0x51]);
type Coin = ReturnType<typeof reward>;

/** A chain with coins that are spent in the same block, the next one, and much later. */
function chainWithSpends(): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 110);
  for (let i = 0; i < 40; i++) {
    const first = spend(
      [reward(blocks[i])],
      Array.from({ length: 30 }, () => ({ value: 1_000_000, script: OP_TRUE })),
    );
    const tip = blocks[blocks.length - 1];
    const block = buildBlock(tip, { txs: [first] });
    const coins = Array.from({ length: 20 }, (_, index) => ({ txid: block.txids[1], index, value: 1_000_000 }));
    const second = spend(coins.slice(0, 10), [{ value: 9_000_000, script: OP_TRUE }]);
    const third = spend([...coins.slice(10), { txid: txid(second), index: 0, value: 9_000_000 }], [{ value: 18_000_000, script: OP_TRUE }]);
    blocks.push(block, buildBlock(block, { txs: [second, third], fees: 1_000_000 + (i % 2) }));
  }
  return blocks;
}

const chain = chainWithSpends();
const nodes: ModelNode[] = [new ModelNode(null, GENESIS.time, 0x207fffff, 1, GENESIS.hash)];
for (const { time, hash } of chain) nodes.push(new ModelNode(nodes[nodes.length - 1], time, 0x207fffff, 0x20000000, hash));

function factsOf(block: BuiltBlock): EngineBlock {
  return engineFacts(nodes[block.height - 1], block.hash, block.time, params, true);
}

const keyOf = (outpoint: Buffer): string =>
  hex(Buffer.concat([Buffer.from([PREFIX.coin]), outpoint.subarray(0, 32), Buffer.from(outpoint.subarray(32)).reverse()]));

/** Rows of a database, by hex of the key, and the numbers of keys that the engine has read, and that were not there. */
class Rows {
  readonly coins = new Map<string, Uint8Array>();
  asked = 0;
  absent = 0;

  constructor(coins: Coins = new Map()) {
    for (const [outpoint, coin] of coins) this.coins.set(keyOf(Buffer.from(outpoint, 'hex')), coin);
  }

  async read(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const found = keys.map((key) => this.coins.get(hex(key)));
    this.asked += keys.length;
    this.absent += found.filter((coin) => coin === undefined).length;
    return found;
  }

  async write(engine: Engine): Promise<void> {
    for (const { key, value } of await changedRows(engine)) {
      if (value === undefined) this.coins.delete(hex(key));
      else this.coins.set(hex(key), value);
    }
    await engine.markClean();
  }
}

function startEngine(threads: number, firstHeight = 1, rows: Rows = new Rows()): Promise<Engine> {
  const medianTimes = Uint32Array.from(nodes.slice(0, firstHeight), (node) => node.medianTimePast());
  const complete = rows.coins.size === 0;
  const readCoins = (keys: readonly Uint8Array[]) => rows.read(keys);
  return Engine.start({ threads, memoryBytes: 200_000_000, firstHeight, medianTimes, coinPrefix: PREFIX.coin, complete, readCoins });
}

/** Returns the nodes of a branch from the genesis block on. */
function nodesOf(blocks: readonly BuiltBlock[]): ModelNode[] {
  const branch = [nodes[0]];
  for (const { time, hash } of blocks) branch.push(new ModelNode(branch[branch.length - 1], time, 0x207fffff, 0x20000000, hash));
  return branch;
}

/** Results of the ordinary rules, by height. */
const ordinary: Omit<Outcome, 'rejected'>[] = [
  { coins: new Map(), undo: new Uint8Array(0), fees: 0, undoChecksum: new Uint8Array(0), sigopCost: 0 },
];
for (const block of chain) {
  const outcome = connectOrdinarily(block.bytes, nodes[block.height - 1], params, ordinary[block.height - 1].coins);
  if (outcome.rejected !== null) throw new Error(`block ${block.height}: ${outcome.rejected}`);
  ordinary.push(outcome);
}

/** Feeds blocks, and passes the finished ones to `take`. @param facts returns the facts about a block */
async function feed(
  engine: Engine,
  blocks: readonly BuiltBlock[],
  take: (block: FinishedBlock) => void = () => {},
  facts: (block: BuiltBlock) => EngineBlock = factsOf,
): Promise<void> {
  let offered = 0;
  for (let taken = 0; taken < blocks.length; taken++) {
    while (offered < blocks.length && engine.offer(facts(blocks[offered]), blocks[offered].bytes)) offered++;
    const block = (await engine.next()) as FinishedBlock;
    take(block);
    engine.release(block.height);
  }
}

async function changedRows(engine: Engine): Promise<ReturnType<KernelWithoutThreads['changed']>> {
  const rows = [];
  for await (const { buffer, size, count } of engine.changedCoins()) {
    for (const op of WriteBatch.from({ buffer, size, count })) {
      const key = op.key.slice();
      rows.push(op.type === 'put' ? { type: op.type, key, value: op.value.slice() } : { type: op.type, key });
    }
  }
  return rows;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const shown = (coins: Coins): string[] => [...coins].map(([key, coin]) => `${key} ${hex(coin)}`).sort();

for (const threads of [1, 2, 5]) {
  t.test(`connects a chain with ${threads} threads as the ordinary rules do, with a checkpoint in between`, async (t) => {
    const engine = await startEngine(threads);
    t.teardown(() => engine.close());
    const wrong: number[] = [];
    const check = (block: FinishedBlock): void => {
      const wanted = ordinary[block.height];
      const bytes = chain[block.height - 1].bytes;
      const same =
        hex(block.undo) === hex(wanted.undo) &&
        hex(block.undoChecksum) === hex(wanted.undoChecksum) &&
        block.fees === wanted.fees &&
        block.sigopCost === wanted.sigopCost &&
        hex(block.bytes) === hex(bytes) &&
        block.txCount === chain[block.height - 1].txs.length;
      if (!same) wrong.push(block.height);
    };
    const middle = 151;
    await feed(engine, chain.slice(0, middle), check);
    const first = await changedRows(engine);
    t.strictSame(shown(KernelWithoutThreads.applyRows(new Map(), first)), shown(ordinary[middle].coins), 'coins of the checkpoint');
    t.equal(engine.figures().changed, first.length);
    await engine.markClean();
    t.equal(engine.figures().changed, 0);
    await feed(engine, chain.slice(middle), check);
    const second = await changedRows(engine);
    t.ok(second.some(({ type }) => type === 'del') && second.some(({ type }) => type === 'put'));
    t.strictSame(
      shown(KernelWithoutThreads.applyRows(ordinary[middle].coins, second)),
      shown(ordinary[chain.length].coins),
      'coins of the end',
    );
    t.ok(second.length < ordinary[chain.length].coins.size, 'only changes');
    t.strictSame(wrong, []);
    t.equal(engine.figures().coins, ordinary[chain.length].coins.size);
  });
}

for (const threads of [1, 3]) {
  t.test(`reads the coins that it lacks from the database, with ${threads} threads`, async (t) => {
    const begin = 130;
    const rows = new Rows(ordinary[begin].coins);
    const engine = await startEngine(threads, begin + 1, rows);
    t.teardown(() => engine.close());
    const wrong: number[] = [];
    let at = begin;
    for (const end of [140, 141, 165, chain.length]) {
      const check = ({ height, undo }: FinishedBlock): void => {
        if (hex(undo) !== hex(ordinary[height].undo)) wrong.push(height);
      };
      await feed(engine, chain.slice(at, end), check, (block) => ({ ...factsOf(block), mayRepeat: false }));
      await rows.write(engine);
      t.strictSame([...rows.coins.keys()].sort(), [...new Rows(ordinary[end].coins).coins.keys()].sort(), `coins of block ${end}`);
      const { coins, bytes } = engine.figures();
      await engine.evict();
      t.ok(engine.figures().coins <= coins / 2 && engine.figures().bytes <= bytes, 'half of the coins are dropped');
      at = end;
    }
    t.strictSame(wrong, []);
    t.ok(rows.asked >= 20 && rows.asked === engine.figures().read, `${rows.asked} keys read`);
    t.equal(rows.absent, 0, 'no key is read of a coin that a block in work makes');
  });
}

t.test('spends no coin twice that the database still has', async (t) => {
  const begin = 130;
  const spender = chain[begin];
  const engine = await startEngine(2, begin + 1, new Rows(ordinary[begin].coins));
  t.teardown(() => engine.close());
  const again = buildBlock(spender, { txs: [{ ...spender.txs[1], version: 7 }] });
  const facts = engineFacts(
    new ModelNode(nodes[begin], spender.time, 0x207fffff, 0x20000000, spender.hash),
    again.hash,
    again.time,
    params,
  );
  await feed(engine, [spender]);
  t.ok(engine.offer(facts, again.bytes));
  const failure = await failureOf(engine.next());
  t.same([failure?.height, failure?.code], [begin + 2, 31]);
});

t.test('finds an output that exists in the database only', async (t) => {
  const begin = 130;
  const block = chain[begin];
  const coins = new Map(ordinary[begin].coins);
  coins.set(hex(Buffer.concat([block.txids[1], Buffer.alloc(4)])), [...coins.values()][0]);
  for (const [mayRepeat, code] of [
    [true, 33],
    // The caller says that no valid chain has such a block, so the engine does not look.
    [false, undefined],
  ] as const) {
    const engine = await startEngine(2, begin + 1, new Rows(coins));
    t.ok(engine.offer({ ...factsOf(block), noOverwrites: true, mayRepeat }, block.bytes));
    t.equal((await failureOf(engine.next()))?.code, code);
    await engine.close();
  }
});

t.test('fails if the database cannot be read', async (t) => {
  const rows = new Rows(ordinary[130].coins);
  rows.read = () => Promise.reject(new Error('the disk is gone'));
  const engine = await startEngine(2, 131, rows);
  t.teardown(() => engine.close());
  t.ok(engine.offer(factsOf(chain[130]), chain[130].bytes));
  t.equal((await failureOf(engine.next()))?.code, FAILURE.read);
});

/** Resolves with the failure of a promise. */
const failureOf = (promise: Promise<unknown>): Promise<EngineFailure | undefined> =>
  promise.then(
    () => undefined,
    (error: unknown) => (error instanceof EngineFailure ? error : undefined),
  );

t.test('stops at a block that is not valid, and names its height', async (t) => {
  const engine = await startEngine(2);
  t.teardown(() => engine.close());
  const blocks = [...chain];
  // Another transaction spends the same coins.
  const victim = blocks[111];
  const [coinbase, second, third] = victim.txs;
  const taken = { ...third, ins: [{ ...third.ins[0], index: 0 }, ...third.ins.slice(1)] };
  blocks[111] = buildBlock(blocks[110], { txs: [second, taken], fees: coinbase.outs[0].value % 2 });
  const failure = await failureOf(feed(engine, blocks));
  t.equal(failure?.height, 112);
  t.ok((failure?.code ?? 1000) < 1000 && failure?.code !== 0, `code ${failure?.code}`);
  t.equal(await failureOf(engine.next()), failure, 'every later call gives the same failure');
});

/** Copies of a block of which no shard must see anything. */
function changedCopies(at: number): Uint8Array[] {
  const { bytes } = chain[at];
  const changed = (position: number): Uint8Array => {
    const copy = Buffer.from(bytes);
    copy[position] ^= 1;
    return copy;
  };
  // The header, the coinbase's script and amount, the lock time; another block; bytes that are too many, too few, or none.
  return [
    changed(4),
    changed(127),
    changed(bytes.length - 40),
    changed(bytes.length - 1),
    chain[at + 1].bytes,
    Buffer.alloc(4_000_001),
  ].concat(
    [bytes.subarray(0, bytes.length - 1), bytes.subarray(0, 100), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(0)].map((one) =>
      Buffer.from(one),
    ),
  );
}

for (const threads of [1, 3]) {
  t.test(`refuses changed copies of a block, and goes on with the block, with ${threads} threads`, async (t) => {
    const engine = await startEngine(threads);
    t.teardown(() => engine.close());
    const at = 119;
    await feed(engine, chain.slice(0, at));
    const copies = changedCopies(at);
    for (const copy of copies) {
      let offered = at + 1;
      t.ok(engine.offer(factsOf(chain[at]), copy));
      // The blocks above the copy are good.
      while (engine.offer(factsOf(chain[offered]), chain[offered].bytes)) offered++;
      t.ok(offered > at + 2);
      const refused = await engine.next();
      t.match(refused, { height: at + 1, refusal: Number });
      t.notOk(engine.offer(factsOf(chain[offered]), chain[offered].bytes), 'no block is taken before offerAgain');
      engine.offerAgain(at + 1);
      t.throws(() => engine.offerAgain(at + 1), RangeError);
    }
    await feed(engine, chain.slice(at));
    const rows = await changedRows(engine);
    t.strictSame(shown(KernelWithoutThreads.applyRows(new Map(), rows)), shown(ordinary[chain.length].coins));
  });
}

t.test('refuses a block while lower ones are in work, and changed copies in a row', async (t) => {
  const engine = await startEngine(2);
  t.teardown(() => engine.close());
  await feed(engine, chain.slice(0, 110));
  const copy = changedCopies(115)[3]!;
  for (let i = 110; i < 118; i++) t.ok(engine.offer(factsOf(chain[i]), i === 115 || i === 117 ? copy : chain[i].bytes));
  for (let height = 111; height <= 115; height++) {
    t.match(await engine.next(), { height, txCount: Number });
    if (height % 2 === 0) {
      engine.release(height - 1);
      engine.release(height);
    }
  }
  t.match(await engine.next(), { height: 116, refusal: Number });
  engine.offerAgain(116);
  engine.release(115);
  await feed(engine, chain.slice(115));
  const rows = await changedRows(engine);
  t.strictSame(shown(KernelWithoutThreads.applyRows(new Map(), rows)), shown(ordinary[chain.length].coins));
});

t.test('stops at a block with a script that fails, unless its scripts are not checked', async (t) => {
  const blocks = buildChain(GENESIS, 105);
  const coin = reward(blocks[0]);
  const value = coin.value / 50;
  // More inputs than a thread takes at a time. One of the last fails.
  const scripts = Array.from({ length: 50 }, (_, i) => (i === 45 ? Buffer.from([0x00]) : OP_TRUE));
  const split = spend(
    [coin],
    scripts.map((script) => ({ value, script })),
  );
  blocks.push(buildBlock(blocks[104], { txs: [split] }));
  const coins = scripts.map((_, index) => ({ txid: txid(split), index, value }));
  blocks.push(buildBlock(blocks[105], { txs: [spend(coins, [{ value: coin.value, script: OP_TRUE }])] }));
  const failing = nodesOf(blocks);
  const facts = ({ height, hash, time }: BuiltBlock, checked: boolean): EngineBlock =>
    engineFacts(failing[height - 1], hash, time, params, checked);
  for (const threads of [1, 3]) {
    for (const checked of [true, false]) {
      const engine = await startEngine(threads);
      const run = async (): Promise<void> => {
        for (const block of blocks) {
          t.ok(engine.offer(facts(block, checked), block.bytes));
          engine.release((await engine.next()).height);
        }
      };
      const failure = await failureOf(run());
      t.same(failure && [failure.height, failure.code], checked ? [107, 105] : undefined);
      await engine.close();
    }
  }
});

t.test('stops at a block that spends more bytes of coins than a slot holds, and takes one that spends fewer', async (t) => {
  const script = Buffer.alloc(10_000, 0x61);
  const blocks = chain.slice(0, 110);
  const coins: Coin[] = [];
  // Blocks of 900 kB.
  for (let i = 0; i < 7; i++) {
    const { value } = reward(blocks[i]);
    const outs = Array.from({ length: 90 }, () => ({ value: Math.floor(value / 90), script }));
    const tip = buildBlock(blocks[blocks.length - 1], { txs: [spend([reward(blocks[i])], outs)] });
    blocks.push(tip);
    coins.push(...outs.map(({ value }, index) => ({ txid: tip.txids[1], index, value })));
  }
  const sum = (spent: readonly Coin[]): number => spent.reduce((total, { value }) => total + value, 0);
  const ends = [500, 610].map((count) => {
    const spent = coins.slice(0, count);
    return buildBlock(blocks[blocks.length - 1], { txs: [spend(spent, [{ value: sum(spent), script: OP_TRUE }])] });
  });
  const branch = nodesOf([...blocks, ends[0]]);
  let known: Coins = new Map();
  for (const block of blocks) known = connectOrdinarily(block.bytes, branch[block.height - 1], params, known).coins;
  for (const [i, end] of ends.entries()) {
    t.equal(connectOrdinarily(end.bytes, branch[end.height - 1], params, known).rejected, null);
    const engine = await startEngine(2);
    const facts = ({ height, hash, time }: BuiltBlock): EngineBlock => engineFacts(branch[height - 1], hash, time, params, false);
    const failure = await failureOf(feed(engine, [...blocks, end], undefined, facts));
    t.same(failure && [failure.height, failure.code], i === 0 ? undefined : [118, 34]);
    await engine.close();
  }
});

t.test('connects a chain whose txids all belong to one shard, and reports the fullest shard', async (t) => {
  const isFirst = (id: Uint8Array): boolean => Buffer.from(id).readUInt32LE(0) < 2 ** 31;
  const ground: BuiltBlock[] = [];
  for (let height = 1; height <= 160; height++) {
    const prev = ground.at(-1) ?? GENESIS;
    const coin = height > 110 ? reward(ground[height - 111]) : null;
    let fees = 1;
    const pay = (): Tx =>
      spend(
        [coin!],
        Array.from({ length: 20 }, (_, i) => ({ value: 1_000_000 + (i === 0 ? fees : 0), script: OP_TRUE })),
      );
    while (coin !== null && !isFirst(txid(pay()))) fees++;
    let block = buildBlock(prev, { txs: coin === null ? [] : [pay()], tag: 0 });
    for (let tag = 1; !isFirst(block.txids[0]); tag++) block = buildBlock(prev, { txs: coin === null ? [] : [pay()], tag });
    ground.push(block);
  }
  const branch = nodesOf(ground);
  let known: Coins = new Map();
  for (const block of ground) known = connectOrdinarily(block.bytes, branch[block.height - 1], params, known).coins;
  const engine = await startEngine(2);
  t.teardown(() => engine.close());
  await feed(engine, ground, undefined, ({ height, hash, time }) => engineFacts(branch[height - 1], hash, time, params, true));
  t.strictSame(shown(KernelWithoutThreads.applyRows(new Map(), await changedRows(engine))), shown(known));
  const { bytes, fullness, changed } = engine.figures();
  t.equal(changed, known.size);
  // The empty shard has its table only.
  t.ok(fullness > bytes / 200_000_000, 'the fullest shard counts, and not the mean of both');
});

t.test('rejects when it is closed, at any time', async (t) => {
  const engine = await startEngine(2);
  const next = failureOf(engine.next());
  await engine.close();
  t.equal((await next)?.code, FAILURE.closed);
  t.equal((await failureOf(engine.next()))?.code, FAILURE.closed);
  t.equal((await failureOf(engine.markClean()))?.code, FAILURE.closed);
  await engine.close();
});

t.test('rejects when a thread dies, with blocks in work', async (t) => {
  const workers: Worker[] = [];
  const note = (message: unknown): void => void workers.push((message as { worker: Worker }).worker);
  diagnosticsChannel.subscribe('worker_threads', note);
  const engine = await startEngine(3);
  diagnosticsChannel.unsubscribe('worker_threads', note);
  t.teardown(() => engine.close());
  t.equal(workers.length, 3);
  t.ok(engine.offer(factsOf(chain[0]), chain[0].bytes));
  await engine.next();
  engine.release(1);
  const next = failureOf(engine.next());
  const command = failureOf(engine.markClean());
  // From this call on the thread does nothing, so the blocks cannot be finished before the engine is notified of its end.
  const ended = workers[1].terminate();
  t.ok(engine.offer(factsOf(chain[1]), chain[1].bytes));
  t.ok(engine.offer(factsOf(chain[2]), chain[2].bytes));
  await ended;
  t.match(await next, { code: FAILURE.thread, height: 3, message: 'a thread ended, with the blocks 2 to 3 in work' });
  const answered: (number | undefined)[] = [undefined, FAILURE.thread];
  t.ok(answered.includes((await command)?.code), 'the command was answered, or rejected');
  t.equal((await failureOf(engine.markClean()))?.code, FAILURE.thread);
});

t.test('ends its threads while they work', async (t) => {
  const engine = await startEngine(2);
  let offered = 0;
  while (engine.offer(factsOf(chain[offered]), chain[offered].bytes)) offered++;
  t.ok(offered >= 2, `${offered} slots`);
  await engine.close();
  t.equal((await failureOf(engine.next()))?.code, FAILURE.closed);
});

t.test('refuses a coin that it cannot read', async (t) => {
  for (const coin of ['', '02', '0200', '020004', `020004${'00'.repeat(32)}`, `0200${'00'.repeat(21)}ff`]) {
    const rows = new Rows(new Map([...ordinary[130].coins.keys()].map((outpoint) => [outpoint, Buffer.from(coin, 'hex')])));
    const engine = await startEngine(1, 131, rows);
    t.ok(engine.offer(factsOf(chain[130]), chain[130].bytes));
    t.equal((await failureOf(engine.next()))?.code, 36, coin);
    await engine.close();
  }
});
