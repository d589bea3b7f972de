// The shard of the kernel: overwritten coins (BIP-0030), removals between checkpoints, growth, and a bound of memory.
import t from 'tap';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { compileKernel, createKernel, createMemory } from '../../../src/engine/kernel-module.js';
import { encodeCoin } from '../../../src/storage/codec/coin.js';
import { type BlockDraft, randomWorld, sealDraft, type World } from '../../framework/engine-blocks.js';
import { connectOrdinarily, differenceOf, factsOf, KernelWithoutThreads, type Outcome } from '../../framework/engine-kernel.js';
import { hash256, scriptNumber, type Tx, txid } from '../../framework/messages.js';
import { Random } from '../../framework/mutate.js';

const params = regtestParams();
/** The random worlds' nodes have this hash, so BIP-0030 is not enforced. */
const settled = { ...params, bip34Hash: new Uint8Array(32).fill(1) };
const kernel = await KernelWithoutThreads.create(2);
const OP_TRUE = Buffer.from([0x51]);

function outpointHex(id: Buffer, index: number): string {
  const outpoint = Buffer.alloc(36);
  id.copy(outpoint);
  outpoint.writeUInt32LE(index, 32);
  return outpoint.toString('hex');
}

const coinbaseOf = (height: number): Tx => ({
  version: 2,
  ins: [{ txid: Buffer.alloc(32), index: 0xffffffff, script: Buffer.concat([scriptNumber(height), Buffer.from([1, 7])]) }],
  outs: [{ value: 1_000, script: OP_TRUE }],
  locktime: 0,
});
const payment = (id: Buffer, value: number): Tx => ({
  version: 2,
  ins: [{ txid: id, index: 0 }],
  outs: [{ value, script: OP_TRUE }],
  locktime: 0,
});

function both(world: World, txs: Tx[], chain: typeof params): { ordinary: Outcome; ours: Outcome } {
  const draft: BlockDraft = { txs, commit: false, reserved: Buffer.alloc(32) };
  const bytes = sealDraft(draft, world.parent);
  const block = factsOf(world.parent, hash256(bytes.subarray(0, 80)), bytes.readUInt32LE(68), chain);
  return {
    ordinary: connectOrdinarily(bytes, world.parent, chain, world.coins),
    ours: kernel.run(block, bytes, world.coins, world.medianTimes),
  };
}

t.test('a coinbase that repeats an unspent one is refused, or replaces it where BIP-0030 is not enforced', async (t) => {
  const world = randomWorld(new Random(1), 620, 5);
  const coinbase = coinbaseOf(621);
  world.coins.set(outpointHex(txid(coinbase), 0), encodeCoin({ value: 5, script: OP_TRUE, height: 3, coinbase: true }));
  const enforced = both(world, [coinbase], params);
  t.equal(enforced.ordinary.rejected, 'bad-txns-BIP30');
  t.equal(enforced.ours.rejected, 33);
  const replaced = both(world, [coinbase], settled);
  t.equal(replaced.ordinary.rejected, null);
  t.equal(replaced.ours.rejected, null);
  t.equal(differenceOf(replaced.ordinary, replaced.ours), null);
  t.equal(kernel.changedCount, 1);
});

t.test('an output that the same block spends before it is made again is refused', async (t) => {
  const world = randomWorld(new Random(2), 620, 0);
  const source = Buffer.alloc(32, 9);
  const again = payment(source, 900);
  world.coins.set(outpointHex(source, 0), encodeCoin({ value: 1_000, script: OP_TRUE, height: 3, coinbase: false }));
  // The output of `again` exists, is spent by the first transaction, and is made once more by the second.
  world.coins.set(outpointHex(txid(again), 0), encodeCoin({ value: 900, script: OP_TRUE, height: 4, coinbase: false }));
  const { ordinary, ours } = both(world, [coinbaseOf(621), payment(txid(again), 800), again], params);
  t.equal(ordinary.rejected, 'bad-txns-BIP30');
  t.equal(ours.rejected, 33);
});

t.test('a coin is removed from the database only if it was there', async (t) => {
  const world = randomWorld(new Random(3), 620, 0);
  const id = Buffer.alloc(32, 9);
  world.coins.set(outpointHex(id, 0), encodeCoin({ value: 1_000, script: OP_TRUE, height: 3, coinbase: false }));
  const first = payment(id, 900);
  const second = payment(txid(first), 800);
  const { ordinary, ours } = both(world, [coinbaseOf(621), first, second], params);
  t.equal(differenceOf(ordinary, ours), null);
  const rows = kernel.changed().map(({ type, key }) => `${type} ${Buffer.from(key.subarray(1, 33)).toString('hex')}`);
  t.strictSame(
    rows.sort(),
    [`del ${id.toString('hex')}`, ...[txid(second), txid(coinbaseOf(621))].map((made) => `put ${made.toString('hex')}`)].sort(),
  );
  kernel.markClean();
  t.equal(kernel.changedCount, 0);
  t.strictSame(kernel.changed(), []);
  t.equal(kernel.coinCount, 2);
});

t.test('rows come in the order of keys, also of many outputs of one transaction', async (t) => {
  const world = randomWorld(new Random(4), 620, 0);
  const coinbase = coinbaseOf(621);
  coinbase.outs = Array.from({ length: 3_000 }, () => ({ value: 0, script: OP_TRUE }));
  const { ordinary, ours } = both(world, [coinbase], params);
  t.equal(differenceOf(ordinary, ours), null);
  const keys = kernel.changed().map(({ key }) => Buffer.from(key));
  t.equal(keys.length, 3_000);
  t.ok(keys.every((key, i) => i === 0 || Buffer.compare(keys[i - 1], key) < 0));
});

t.test('a shard that reaches its bound gives an error, and works up to it', async (t) => {
  const pages = 300;
  const memory = createMemory(256, 65_535);
  const shard = createKernel(await compileKernel(), memory);
  t.equal(shard.open(1n, 2n, 10, pages), 0);
  const coin = encodeCoin({ value: 1, script: OP_TRUE, height: 3, coinbase: false });
  const row = Buffer.alloc((40 + coin.length + 3) & ~3);
  row.writeUInt32LE(coin.length, 36);
  row.set(coin, 40);
  let code = 0;
  let loaded = 0;
  for (; code === 0 && loaded < 1_000_000; loaded++) {
    row.writeUInt32LE(loaded, 0);
    new Uint8Array(memory.buffer).set(row, shard.inAt());
    code = shard.loadRows(row.length);
  }
  t.equal(code, 35);
  t.ok(loaded > 50_000, `${loaded} coins`);
  t.ok(memory.buffer.byteLength <= pages * 65_536);
  t.ok(shard.usedBytes() > 0.6 * pages * 65_536);
});
