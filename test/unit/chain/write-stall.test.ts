// Tests a store that delays or fails a write: queries are answered meanwhile, changes follow when the store continues,
// and nothing is lost.
import { cpSync } from 'node:fs';
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions } from '../../../src/storage/store.js';
import { StoreError } from '../../../src/storage/store-error.js';
import { ANYONE, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, crypto, openFixture, temporaryFolder } from '../../framework/chain-fixture.js';

/** A store in which writes wait, in order, while the test holds them. It can also make them fail. */
class GatedStore extends MemoryStore {
  broken = false;
  #gate: Promise<void> | null = null;
  #open: () => void = () => {};
  #noteArrival: () => void = () => {};

  override async batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    this.#noteArrival();
    await this.#gate;
    if (this.broken) throw new StoreError('STORE_IO', 'a bad disk');
    await super.batch(ops, options);
  }

  shut(): void {
    this.#gate = new Promise((resolve) => (this.#open = resolve));
  }

  open(): void {
    this.#gate = null;
    this.#open();
  }

  /** Copies the present rows to another store: the state after a crash at this moment. */
  async copy(): Promise<MemoryStore> {
    const copy = new MemoryStore();
    for await (const [key, value] of this.iterate()) await copy.batch([{ type: 'put', key, value }]);
    return copy;
  }

  /** Resolves when the next write begins. */
  nextWrite(): Promise<void> {
    return new Promise((resolve) => (this.#noteArrival = resolve));
  }
}

const trunk = buildChain(GENESIS, 102);
const pay = (i: number, less: number) => {
  const coin = reward(trunk[i]!);
  return spend([coin], [{ value: coin.value - less, script: ANYONE }]);
};
const next = buildBlock(trunk[101]!, { txs: [pay(0, 1)], fees: 1 });
const after = buildBlock(next, { txs: [pay(1, 2)], fees: 2 });

t.test('answers queries and proposals while a write of coins stalls', async (t) => {
  const store = new GatedStore();
  const fixture = await openFixture({ store });
  const { chain } = fixture;
  for (const block of trunk) await chain.commands.submitBlock(block.bytes);
  await chain.commands.flush();

  t.equal((await chain.commands.submitBlock(next.bytes)).kind, 'accepted', 'answered before its coins are written');
  store.shut();
  await store.nextWrite();
  const proposal = parseBlock(after.bytes, crypto);
  t.equal(await chain.view.testBlockValidity(proposal, { checkPow: true, checkMerkle: true }), null, 'spends on what is not written yet');
  const twice = parseBlock(buildBlock(next, { txs: [pay(0, 3)], fees: 3 }).bytes, crypto);
  t.match(await chain.view.testBlockValidity(twice, { checkPow: true, checkMerkle: true }), { reason: 'bad-txns-inputs-missingorspent' });
  t.ok(await chain.blocks.readBlock(chain.view.tip));
  t.equal(chain.view.tip.hashHex, next.hashHex);

  const submitted = chain.commands.submitBlock(after.bytes);
  store.open();
  t.equal((await submitted).kind, 'accepted');
  await chain.commands.flush();
  const coins = await coinsOf(fixture);
  await fixture.end();

  const calm = await openFixture();
  for (const block of [...trunk, next, after]) await calm.chain.commands.submitBlock(block.bytes);
  await calm.chain.commands.flush();
  t.same(coins, await coinsOf(calm));
  await calm.end();
});

t.test('accepts a block while a write of its row stalls, and finds it again after a crash', async (t) => {
  const store = new GatedStore();
  const fixture = await openFixture({ store });
  const { chain } = fixture;
  for (const block of trunk) await chain.commands.submitBlock(block.bytes);
  await chain.commands.flush();

  store.shut();
  t.equal((await chain.commands.submitBlock(next.bytes)).kind, 'accepted');
  t.equal(chain.view.tip.hashHex, next.hashHex);
  const dir = temporaryFolder();
  cpSync(fixture.dir, dir, { recursive: true });
  const killed = await openFixture({ store: await store.copy(), dir });
  t.equal(killed.chain.view.tip.hashHex, next.hashHex, 'found in the files');

  let known = false;
  const header = chain.commands.submitHeader(after.header).then(() => (known = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.notOk(known, 'a header is nowhere but in the database');
  store.open();
  await header;
  await chain.commands.submitBlock(after.bytes);
  await killed.chain.commands.submitBlock(after.bytes);
  t.same(await coinsOf(fixture), await coinsOf(killed));
  t.same([...fixture.faults, ...killed.faults], []);
  await fixture.end();
  await killed.end();
});

t.test('accepts a block whose row cannot be written, then stops, and finds it at the next start', async (t) => {
  const store = new GatedStore();
  const { chain, dir, faults } = await openFixture({ store });
  for (const block of trunk) await chain.commands.submitBlock(block.bytes);
  await chain.commands.flush();

  store.shut();
  t.equal((await chain.commands.submitBlock(next.bytes)).kind, 'accepted');
  store.broken = true;
  store.open();
  await t.rejects(chain.commands.submitBlock(after.bytes), { code: 'CHAIN_FAULT', message: /a bad disk/ });
  t.equal(faults.length, 1);
  await chain.close();

  const again = await openFixture({ store: await store.copy(), dir });
  t.equal(again.chain.view.tip.hashHex, next.hashHex);
  t.ok(await again.chain.commands.verifyChain(4, 10));
  t.equal((await again.chain.commands.submitBlock(after.bytes)).kind, 'accepted');
  await again.end();
});
