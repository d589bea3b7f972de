// Tests that the next block's scripts run while the block is still checked and written. In every case, the verdict and
// the chain equal those of a block that is connected normally.
import t from 'tap';
import { tryConnect } from '../../../src/chain/connect/connect-block.js';
import type { ChainWorkspace } from '../../../src/chain/connect/workspace.js';
import type { HeaderNode } from '../../../src/chain/tree/header-node.js';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { VerifierFaultError, type VerifyBatch, type VerifyResult } from '../../../src/parallel/verifier.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, NO_ONE, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, crypto, type Fixture, type FixtureOptions, openFixture } from '../../framework/chain-fixture.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { txid } from '../../framework/messages.js';

const trunk = buildChain(GENESIS, 103);
const tip = trunk[102]!;
const pay = (i: number, script = ANYONE) => spend([reward(trunk[i]!)], [{ value: reward(trunk[i]!).value, script }]);
const next = buildBlock(tip, { txs: [pay(0), pay(1)] });

/** A verifier whose batches wait until the test continues or stops them. */
class HeldVerifier extends InlineVerifier {
  readonly batches: VerifyBatch[] = [];
  held = false;
  #letGo: () => void = () => {};
  #begun: () => void = () => {};
  /** Resolves when the next batch begins. */
  readonly begun = new Promise<void>((resolve) => (this.#begun = resolve));
  readonly #gone = new Promise<void>((resolve) => (this.#letGo = resolve));

  letGo(): void {
    this.held = false;
    this.#letGo();
  }

  override async verifyTxs(batch: VerifyBatch): Promise<VerifyResult> {
    this.batches.push(batch);
    this.#begun();
    if (this.held) await Promise.race([this.#gone, new Promise<void>((resolve) => batch.stop?.onRaise(resolve))]);
    return super.verifyTxs(batch);
  }
}

async function start(options: FixtureOptions = {}): Promise<Fixture & { verifier: HeldVerifier }> {
  const verifier = new HeldVerifier(crypto);
  const fixture = await openFixture({ verifier, ...options });
  for (const block of trunk) await fixture.chain.commands.submitBlock(block.bytes);
  verifier.batches.length = 0;
  return { ...fixture, verifier };
}

/** Returns the tip and coins of a node that received these blocks one by one. */
async function plainly(...blocks: BuiltBlock[]): Promise<[string, Map<string, string>]> {
  const fixture = await openFixture();
  for (const block of [...trunk, ...blocks]) await fixture.chain.commands.submitBlock(block.bytes);
  const state: [string, Map<string, string>] = [fixture.chain.view.tip.hashHex, await coinsOf(fixture)];
  await fixture.end();
  return state;
}

t.test('verifies scripts before the block is stored, and only once', async (t) => {
  const fixture = await start();
  const { chain, verifier } = fixture;
  verifier.held = true;
  const submitted = chain.commands.submitBlock(next.bytes);
  await verifier.begun;
  t.equal(chain.view.node(next.hash), undefined, 'not even its header is known');
  // A second copy of the block, and another block that also needs the threads, wait in the queue.
  const again = chain.commands.submitBlock(next.bytes);
  const rival = chain.commands.submitBlock(buildBlock(tip, { txs: [pay(2)], tag: 5 }).bytes);
  verifier.letGo();
  t.equal((await submitted).kind, 'accepted');
  t.equal((await again).kind, 'duplicate');
  t.equal((await rival).kind, 'inconclusive');
  t.same(
    verifier.batches.map(({ txs }) => txs.length),
    [2],
  );
  t.same([chain.view.tip.hashHex, await coinsOf(fixture)], await plainly(next));
  await fixture.end();
});

t.test('stops the early scripts of a block that breaks another rule, and returns that reason', async (t) => {
  const fixture = await start();
  const { chain, verifier } = fixture;
  const sigops = Buffer.alloc(20_001, 0xac);
  const costly = buildBlock(tip, { txs: [pay(0, sigops)], tag: 6 });
  const mutated = Buffer.from(next.bytes);
  // Change the last byte of the block, which belongs to a lock time. Then the merkle root no longer matches.
  mutated[mutated.length - 1] = 1;
  const txs = [pay(0), pay(1)];
  const late = spend([reward(trunk[2]!)], [{ value: 1, script: ANYONE }], { locktime: 10_000, sequence: 0 });
  // The first two are rejected before any coin is read. The checks of the large one do not begin early. The others are
  // rejected later.
  for (const [bytes, reason, begun] of [
    [costly.bytes, 'bad-blk-sigops', 0],
    [buildBlock(tip, { txs: [pay(0, Buffer.alloc(1_000_000, 0x51))], tag: 7 }).bytes, 'bad-blk-length', 0],
    [mutated, 'bad-txnmrklroot', 0],
    [buildBlock(tip, { txs: [...txs, late] }).bytes, 'bad-txns-nonfinal', 1],
    [buildBlock(tip, { txs, breakCommitment: true }).bytes, 'bad-witness-merkle-match', 1],
  ] as const) {
    verifier.held = true;
    const { kind, reject } = await chain.commands.submitBlock(new Uint8Array(bytes));
    t.same([kind, reject?.reason], ['invalid', reason]);
    t.same(
      verifier.batches.map(({ stop }) => stop?.raised),
      Array.from({ length: begun }, () => true),
      'its scripts were ended',
    );
    verifier.batches.length = 0;
  }
  verifier.letGo();
  t.equal((await chain.commands.submitBlock(next.bytes)).kind, 'accepted', 'the block itself is still accepted after its mutated copy');
  t.same(fixture.faults, []);
  await fixture.end();
});

t.test('rejects a block with a failing script, and does not connect it', async (t) => {
  const fixture = await start();
  const { chain } = fixture;
  const locked = buildBlock(tip, { txs: [pay(0, NO_ONE)] });
  t.equal((await chain.commands.submitBlock(locked.bytes)).kind, 'accepted');
  const theft = buildBlock(locked, { txs: [spend([{ txid: locked.txids[1]!, index: 0, value: 9 }], [{ value: 9, script: ANYONE }])] });
  t.match(await chain.commands.submitBlock(theft.bytes), { kind: 'invalid', reject: { category: 'consensus' } });
  t.same([chain.view.tip.hashHex, await coinsOf(fixture)], await plainly(locked));
  await fixture.end();
});

t.test('verifies scripts again when the threads failed before the block was connected', async (t) => {
  const fixture = await start();
  const { chain, verifier } = fixture;
  const { verifyTxs } = verifier;
  let calls = 0;
  verifier.verifyTxs = (batch) =>
    calls++ === 0 ? Promise.reject(new VerifierFaultError(new Error('out of memory'))) : verifyTxs.call(verifier, batch);
  t.equal((await chain.commands.submitBlock(next.bytes)).kind, 'accepted');
  t.equal(calls, 2);
  t.same(fixture.faults, []);
  await fixture.end();
});

t.test('reads evicted coins again before it spends them, without repeating the scripts', async (t) => {
  const fixture = await start({ coinsCacheBytes: 1 });
  const { chain, verifier } = fixture;
  await chain.commands.flush();
  verifier.held = true;
  const submitted = chain.commands.submitBlock(next.bytes);
  await verifier.begun;
  const { entries } = chain.view.coins.stats();
  for (let i = 0; i < 3; i++) chain.view.coins.evict();
  t.ok(chain.view.coins.stats().entries < entries, 'some were forgotten');
  verifier.letGo();
  t.equal((await submitted).kind, 'accepted');
  t.same(
    verifier.batches.map(({ txs }) => txs.length),
    [2],
    'scripts are not run again for that',
  );
  t.same(fixture.faults, []);
  t.same([chain.view.tip.hashHex, await coinsOf(fixture)], await plainly(next));
  await fixture.end();
});

t.test('detects a duplicate coinbase (BIP-0030) after the tip was left and reached again', async (t) => {
  // Two blocks have the same coinbase (BIP-0030). The chain looks for the first one's coins in advance, and drops this
  // look-up when the tip changes.
  const first = buildBlock(tip, { commitment: false, coinbaseHeight: 7 });
  const between = buildBlock(first);
  const twin = buildBlock(between, { commitment: false, coinbaseHeight: 7, txs: [pay(0)] });
  t.same(twin.txids[0], first.txids[0]);
  const held = new Map<string, { gate: Promise<void>; open: () => void }>();
  for (const id of [reward(trunk[0]!).txid, first.txids[0]!]) {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    held.set(id.toString('hex'), { gate, open });
  }
  let holding = false;
  class HeldStore extends MemoryStore {
    override async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
      const values = await super.getMany(keys);
      const asked = [...held].filter(([id]) => keys.some((key) => Buffer.from(key).includes(Buffer.from(id, 'hex'))));
      if (holding) for (const [, { gate }] of asked) await gate;
      return values;
    }
  }
  const fixture = await start({ store: new HeldStore(), coinsCacheBytes: 1 });
  const { chain } = fixture;
  for (const block of [first, between]) await chain.commands.submitBlock(block.bytes);
  await chain.commands.flush();
  for (let i = 0; i < 4; i++) chain.view.coins.evict();
  holding = true;
  const node = chain.view.node(between.hash)!;
  chain.events.tip.add((now) => {
    if (now === node.prev) held.get(first.txids[0]!.toString('hex'))!.open();
    if (now === node) setImmediate(() => held.get(reward(trunk[0]!).txid.toString('hex'))!.open());
  });
  const moves = [chain.commands.invalidateBlock(node), chain.commands.reconsiderBlock(node)];
  const submitted = chain.commands.submitBlock(twin.bytes);
  await Promise.all(moves);
  t.match(await submitted, { kind: 'invalid', reject: { reason: 'bad-txns-BIP30' } });
  t.equal(chain.view.tip, node);
  await fixture.end();
});

t.test('connects concurrent large blocks in their order of arrival', async (t) => {
  const outs = Array.from({ length: 70 }, () => ({ value: 0, script: Buffer.alloc(9_000, 0x6a) }));
  const large = (prev: BuiltBlock, tag: number, i: number) => buildBlock(prev, { tag, outs, txs: [pay(i)] });
  const one = large(tip, 1, 0);
  for (const [name, other, kinds] of [
    ['a rival', large(tip, 2, 1), ['accepted', 'inconclusive']],
    ['a copy', one, ['accepted', 'duplicate']],
    ['a child', large(one, 3, 1), ['accepted', 'accepted']],
  ] as const) {
    const fixture = await start();
    const outcomes = await Promise.all([one, other].map(({ bytes }) => fixture.chain.commands.submitBlock(bytes)));
    t.same(
      outcomes.map(({ kind }) => kind),
      kinds,
      name,
    );
    await fixture.end();
  }
});

t.test('connects the first of two concurrent blocks, and the other branch once it is better', async (t) => {
  const fixture = await start();
  const { chain, verifier } = fixture;
  verifier.held = true;
  const submitted = chain.commands.submitBlock(next.bytes);
  const quick = buildBlock(tip, { tag: 8 });
  const moved = chain.commands.submitBlock(quick.bytes);
  await verifier.begun;
  verifier.letGo();
  const kinds = [(await submitted).kind, (await moved).kind];
  t.ok(kinds.includes('accepted'), `${kinds}`);
  const winner = kinds[0] === 'accepted' ? next : quick;
  const loser = winner === next ? quick : next;
  t.equal(chain.view.tip.hashHex, winner.hashHex);
  const above = buildBlock(loser, { tag: 9 });
  t.equal((await chain.commands.submitBlock(above.bytes)).kind, 'accepted', 'the other branch connects when it is better');
  t.same([chain.view.tip.hashHex, await coinsOf(fixture)], await plainly(loser, above));
  await fixture.end();
});

t.test('repeats few scripts when coins of recognised transactions are in the database only', async (t) => {
  const fan = spend(
    [reward(trunk[0]!)],
    Array.from({ length: 40 }, () => ({ value: 1_000, script: ANYONE })),
  );
  const fanned = buildBlock(tip, { txs: [fan] });
  const kids = Array.from({ length: 40 }, (_, index) =>
    spend([{ txid: txid(fan), index, value: 1_000 }], [{ value: 999, script: ANYONE }]),
  );
  const block = buildBlock(fanned, { txs: kids });
  for (const [known, most] of [
    [39, 2],
    [20, 20],
  ] as const) {
    const fixture = await start({ coinsCacheBytes: 1 });
    const { chain, verifier } = fixture;
    await chain.commands.submitBlock(fanned.bytes);
    await chain.commands.flush();
    for (let i = 0; i < 4; i++) chain.view.coins.evict();
    verifier.batches.length = 0;
    const ids = new Set(kids.slice(0, known).map((tx) => txid(tx).toString('hex')));
    const facts = { fee: 1, sigopCost: 4, flags: 0xffffff };
    chain.commands.useCheckedTransactions({
      size: 1,
      recognise: (tx) => {
        if (ids.has(Buffer.from(tx.txid).toString('hex'))) tx.facts = facts;
      },
    });
    t.equal((await chain.commands.submitBlock(block.bytes)).kind, 'accepted');
    const ran = verifier.batches.reduce((sum, { txs }) => sum + txs.length, 0);
    t.ok(ran <= most, `${ran} scripts with ${known} of 40 known`);
    t.equal(verifier.batches.at(-1)?.stop?.raised, true, 'no flag is left behind');
    await fixture.end();
  }
});

t.test('verifies no scripts after the chain was closed', async (t) => {
  const { chain, verifier, end } = await start();
  await chain.close();
  await t.rejects(chain.commands.submitBlock(next.bytes), { name: 'ChainFault' });
  t.equal(verifier.batches.length, 0);
  await end();
});

t.test('closes without a fault while early scripts are pending', async (t) => {
  const { chain, verifier, faults, end } = await start();
  verifier.held = true;
  const submitted = chain.commands.submitBlock(next.bytes).then(
    ({ kind }) => kind,
    (error: Error) => error.name,
  );
  await verifier.begun;
  const closed = chain.close();
  verifier.letGo();
  await closed;
  t.ok(['accepted', 'ChainFault'].includes(await submitted));
  t.same(faults, []);
  await end();
});

t.test('reads no coins for an early connection that is no longer valid', async (t) => {
  let back = false;
  class ReturningStore extends MemoryStore {
    override getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
      back = true;
      return super.getMany(keys);
    }
  }
  const fixture = await start({ store: new ReturningStore(), coinsCacheBytes: 1 });
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  await chain.commands.flush();
  for (let i = 0; i < 3; i++) chain.view.coins.evict();
  t.equal(chain.view.coins.stats().entries, 0, 'all coins are to be read');
  const { ws } = chain as unknown as { ws: ChainWorkspace };
  const connect = (stillValid: () => boolean) =>
    tryConnect(ws, parseBlock(new Uint8Array(next.bytes), crypto), ws.active.tip as HeaderNode, {
      klass: 'block',
      scripts: true,
      overlay: null,
      stillValid,
    });
  back = false;
  t.equal(await connect(() => back), null, 'it gave up');
  t.equal(back, false, 'before it read anything');
  t.equal((await connect(() => true))?.verdict, null, 'the same block at its parent');
  t.equal(back, true);
});
