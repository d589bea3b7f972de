// Tests the verdicts of the chain, block by block: accepted, refused, and remembered as invalid. Also tests
// reorganisations, blocks that are invalidated by a call, and restarts.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { ChainWorkspace } from '../../../src/chain/connect/workspace.js';
import type { TipChange } from '../../../src/chain/events.js';
import type { HeaderNode } from '../../../src/chain/tree/header-node.js';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { silentLogger } from '../../../src/log/logger.js';
import { VerifierFaultError } from '../../../src/parallel/verifier.js';
import { COIN_KEY_BYTES, FIRST_COINS } from '../../../src/storage/layout.js';
import { StoreError } from '../../../src/storage/store-error.js';
import {
  ANYONE,
  type BuiltBlock,
  buildBlock,
  buildChain,
  GENESIS,
  NO_ONE,
  outpoint,
  reward,
  SPACING,
  spend,
  subsidy,
} from '../../framework/chain-builder.js';
import { coinsOf, crypto, type Fixture, IN_DOWNLOAD, OUT_OF_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';
import { coinsStats } from '../../framework/coins-stats.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { compactSize, hash256, serializeTx, type Tx, txid } from '../../framework/messages.js';
import { countingReadings } from '../../framework/turns.js';
import { until } from '../../framework/until.js';

async function submitAll(fixture: Fixture, blocks: readonly BuiltBlock[]): Promise<string[]> {
  const kinds: string[] = [];
  for (const block of blocks) {
    const outcome = await fixture.chain.commands.submitBlock(block.bytes);
    kinds.push(outcome.kind === 'invalid' ? (outcome.reject?.reason ?? '') : outcome.kind);
  }
  return kinds;
}

const reasonOf = async (fixture: Fixture, block: BuiltBlock): Promise<string> => (await submitAll(fixture, [block]))[0]!;

t.test('accepts a chain of blocks, and returns its coins, heights, work and blocks', async (t) => {
  const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD });
  const { chain } = fixture;
  t.equal(chain.view.tip, chain.view.genesis);
  t.ok(chain.view.isInitialBlockDownload());
  const blocks = buildChain(GENESIS, 5);
  const changes: { height: number; change: TipChange }[] = [];
  chain.events.tip.add((tip, change) => changes.push({ height: tip.height, change }));
  t.same(await submitAll(fixture, blocks), Array(5).fill('accepted'));
  t.equal(chain.view.tip.hashHex, blocks[4]!.hashHex);
  t.equal(chain.view.tip.chainWork, 12n);
  t.equal(chain.view.tip.chainTxCount, 6);
  t.equal(chain.view.atHeight(3)?.hashHex, blocks[2]!.hashHex);
  t.equal(chain.view.next(chain.view.atHeight(3)!)?.height, 4);
  t.same(
    changes.map(({ height, change }) => [height, change.connected.length, change.disconnected.length]),
    [1, 2, 3, 4, 5].map((height) => [height, 1, 0]),
  );
  t.equal(await reasonOf(fixture, blocks[2]!), 'duplicate');
  t.same(await chain.coins.coin(outpoint(blocks[0]!.txids[0]!, 0)), {
    value: subsidy(1),
    script: new Uint8Array(ANYONE),
    height: 1,
    coinbase: true,
  });
  t.equal(await chain.coins.coin(outpoint(blocks[0]!.txids[0]!, 1)), undefined, 'the commitment is no coin');
  t.same(Buffer.from((await chain.blocks.readBlock(chain.view.atHeight(2)!)).bytes), blocks[1]!.bytes);
  t.equal(chain.view.known(blocks[0]!.hash), 'duplicate');
  t.equal(chain.view.known(Buffer.alloc(32)), 'unknown');
  t.same(
    chain.view.tips().map((node) => node.height),
    [5],
  );
  t.equal(chain.view.tip.medianTimePast(), blocks[2]!.time, 'six blocks with genesis: the upper of the middle two');
  await fixture.end();
});

t.test('rejects a child before its parent although duplicate transactions are not checked', async (t) => {
  // The search for duplicate transactions (BIP-0030) makes all outputs of a block known. So it would hide that the
  // inputs' outputs are not known, and is disabled here.
  const fixture = await openFixture({ deps: { params: { ...chainParams('regtest'), bip34Height: 1 } } });
  const { chain, faults } = fixture;
  const blocks = buildChain(GENESIS, 101);
  await submitAll(fixture, blocks);
  const coin = reward(blocks[0]!);
  const parent = spend([coin], [{ value: coin.value, script: ANYONE }]);
  const child = spend([{ txid: txid(parent), index: 0, value: coin.value }], [{ value: coin.value, script: ANYONE }]);
  const order = (...txs: Tx[]): BuiltBlock => buildBlock(blocks.at(-1)!, { txs });
  const wrong = order(child, parent);
  const proposal = parseBlock(wrong.bytes, crypto);
  t.match(await chain.view.testBlockValidity(proposal, { checkPow: true, checkMerkle: true }), {
    reason: 'bad-txns-inputs-missingorspent',
  });
  t.equal(await reasonOf(fixture, wrong), 'bad-txns-inputs-missingorspent');
  t.equal(await reasonOf(fixture, order(parent, child)), 'accepted');
  t.same(faults, []);
  await fixture.end();
});

t.test('rejects invalid blocks and headers, and remembers only lasting failures', async (t) => {
  const fixture = await openFixture();
  const { chain, clock } = fixture;
  const blocks = buildChain(GENESIS, 101);
  await submitAll(fixture, blocks);
  const tip = blocks[100]!;
  const state = () => [chain.view.tip.hashHex, chain.view.bestHeader.hashHex];
  const before = state();

  // Failures of checkBlock are not remembered.
  const unsolved = buildBlock(tip, { unsolved: true });
  t.equal(await reasonOf(fixture, unsolved), 'high-hash');
  const broken = buildBlock(tip, { breakMerkle: true });
  t.equal(await reasonOf(fixture, broken), 'bad-txnmrklroot');
  t.equal(await reasonOf(fixture, broken), 'bad-txnmrklroot');
  t.equal(chain.view.node(broken.hash), undefined, 'not even the header');

  // Failures of header rules are not remembered: each header is checked again.
  const orphan = buildBlock(buildBlock(tip, { tag: 77 }));
  t.equal(await reasonOf(fixture, orphan), 'prev-blk-not-found');
  const old = buildBlock(tip, { time: blocks[95]!.time });
  t.equal(await reasonOf(fixture, old), 'time-too-old');
  const early = buildBlock(tip, { time: clock.seconds + 7201 });
  t.equal(await reasonOf(fixture, early), 'time-too-new');
  clock.seconds++;
  t.equal(await reasonOf(fixture, buildBlock(tip, { bits: 0x207ffffe })), 'bad-diffbits');
  t.same(state(), before);

  // Contextual failures that concern the witness: the header is kept, and the block may be submitted again.
  const coin = reward(blocks[0]!);
  const bare = spend([coin], [{ value: coin.value, script: ANYONE }]);
  bare.ins[0]!.witness = [Buffer.from([1])];
  const witnessless = buildBlock(tip, { txs: [bare], commitment: false });
  t.equal(await reasonOf(fixture, witnessless), 'unexpected-witness');
  t.equal(chain.view.known(witnessless.hash), 'duplicate-inconclusive');
  t.equal(await reasonOf(fixture, witnessless), 'unexpected-witness');
  t.ok(
    chain.view.tips().some((node) => node.hashHex === witnessless.hashHex),
    'headers-only tip',
  );

  // Other contextual failures are remembered.
  const unripe = spend([coin], [{ value: coin.value, script: ANYONE }], { locktime: 5000, sequence: 0 });
  const nonFinal = buildBlock(tip, { txs: [unripe] });
  t.equal(await reasonOf(fixture, nonFinal), 'bad-txns-nonfinal');
  t.equal(chain.view.known(nonFinal.hash), 'duplicate-invalid');
  t.equal(await reasonOf(fixture, nonFinal), 'duplicate', 'the header itself is refused then');

  // Failures while connecting are remembered, also for every block built on the invalid one.
  const greedy = buildBlock(tip, { fees: 1 });
  t.equal(await reasonOf(fixture, greedy), 'bad-cb-amount');
  t.equal(chain.view.known(greedy.hash), 'duplicate-invalid');
  t.equal(await reasonOf(fixture, buildBlock(greedy)), 'bad-prevblk');
  const missing = spend([{ txid: Buffer.alloc(32, 7), index: 0, value: 1 }], [{ value: 1, script: ANYONE }]);
  t.equal(await reasonOf(fixture, buildBlock(tip, { txs: [missing] })), 'bad-txns-inputs-missingorspent');
  const young = reward(blocks[50]!);
  t.equal(
    await reasonOf(fixture, buildBlock(tip, { txs: [spend([young], [{ value: 1, script: ANYONE }])] })),
    'bad-txns-premature-spend-of-coinbase',
  );
  t.equal(chain.view.tip.hashHex, tip.hashHex, 'the tip stood still');
  t.equal(chain.view.bestHeader.height, 101 + 1, 'a header without its block is still the best header');
  const good = buildBlock(tip, { txs: [spend([coin], [{ value: coin.value - 500, script: ANYONE }])], fees: 500 });
  t.equal(await reasonOf(fixture, good), 'accepted');
  t.same(fixture.faults, []);
  await fixture.end();
});

t.test('words script failures according to the number of script threads', async (t) => {
  for (const scriptThreads of [1, 4]) {
    const fixture = await openFixture({ scriptThreads });
    const blocks = buildChain(GENESIS, 102, { script: NO_ONE });
    await submitAll(fixture, blocks);
    const tip = blocks[101]!;
    const coins = [reward(blocks[0]!), reward(blocks[1]!)];
    const bad = (coin: (typeof coins)[0]) => spend([coin], [{ value: coin.value, script: ANYONE }]);
    const failed = 'mandatory-script-verify-flag-failed (Script evaluated without error but finished with a false/empty top stack element)';
    const alone = scriptThreads === 1;
    t.equal(await reasonOf(fixture, buildBlock(tip, { txs: [bad(coins[0]!)] })), alone ? failed : 'block-validation-failed');
    t.equal(await reasonOf(fixture, buildBlock(tip, { txs: [bad(coins[0]!)], fees: 1 })), alone ? failed : 'bad-cb-amount');
    const missing = spend([{ txid: Buffer.alloc(32, 7), index: 0, value: 1 }], [{ value: 1, script: ANYONE }]);
    t.equal(
      await reasonOf(fixture, buildBlock(tip, { txs: [bad(coins[0]!), missing], tag: 1 })),
      alone ? failed : 'bad-txns-inputs-missingorspent',
    );
    t.equal(await reasonOf(fixture, buildBlock(tip, { txs: [missing, bad(coins[0]!)], tag: 2 })), 'bad-txns-inputs-missingorspent');
    await fixture.end();
  }
});

t.test('connects blocks in any order of arrival once their headers are known', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const blocks = buildChain(GENESIS, 6);
  for (const block of blocks) t.equal(await chain.commands.submitHeader(block.header), null);
  t.equal(chain.view.bestHeader.height, 6);
  t.equal(chain.view.tip.height, 0);
  t.same(await submitAll(fixture, [blocks[5]!, blocks[3]!, blocks[1]!]), Array(3).fill('inconclusive'));
  t.equal(await reasonOf(fixture, blocks[3]!), 'duplicate');
  t.equal(await reasonOf(fixture, blocks[0]!), 'accepted');
  t.equal(chain.view.tip.height, 2);
  t.equal(await reasonOf(fixture, blocks[4]!), 'inconclusive');
  t.equal(await reasonOf(fixture, blocks[2]!), 'accepted');
  t.equal(chain.view.tip.height, 6);
  await fixture.end();
});

t.test('stores unrequested blocks only if they may become part of the best chain', async (t) => {
  const fixture = await openFixture();
  const blocks = buildChain(GENESIS, 3);
  await submitAll(fixture, blocks);
  const side = buildBlock(GENESIS, { tag: 1 });
  t.equal((await fixture.chain.commands.submitBlock(side.bytes, { force: false })).kind, 'inconclusive');
  t.notOk(fixture.chain.view.blockState(fixture.chain.view.node(side.hash)!).hasData);
  t.equal((await fixture.chain.commands.submitBlock(side.bytes)).isNew, true);
  t.equal((await fixture.chain.commands.submitBlock(buildBlock(blocks[2]!).bytes, { force: false })).kind, 'accepted');
  await fixture.end();
});

t.test('replaces the coins of the old branch at a reorganisation, and notifies listeners once', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const trunk = buildChain(GENESIS, 110);
  await submitAll(fixture, trunk);
  const base = trunk[109]!;
  const coin = reward(trunk[0]!);
  const first = spend([coin], [{ value: coin.value, script: ANYONE }]);
  const a1 = buildBlock(base, { txs: [first], tag: 1 });
  const a2 = buildBlock(a1, { tag: 1 });
  t.same(await submitAll(fixture, [a1, a2]), ['accepted', 'accepted']);
  const second = spend([coin], [{ value: coin.value - 7, script: ANYONE }]);
  const b1 = buildBlock(base, { tag: 2 });
  const chained = spend([{ txid: txid(second), index: 0, value: coin.value - 7 }], [{ value: 5, script: ANYONE }]);
  const b2 = buildBlock(b1, { tag: 2, txs: [second], fees: 7 });
  const b3 = buildBlock(b2, { tag: 2, txs: [chained] });
  const seen: string[][] = [];
  chain.events.tip.add((tip, { connected, disconnected }) => {
    seen.push([tip.hashHex, disconnected.map(({ node }) => node.hashHex).join(), connected.map(({ node }) => node.hashHex).join()]);
  });
  t.same(await submitAll(fixture, [b1, b2]), ['inconclusive', 'inconclusive']);
  t.equal(chain.view.tip.hashHex, a2.hashHex, 'equal work: the first one seen stays');
  t.equal(await reasonOf(fixture, b3), 'accepted');
  t.same(seen, [[b3.hashHex, `${a2.hashHex},${a1.hashHex}`, `${b1.hashHex},${b2.hashHex},${b3.hashHex}`]]);
  t.equal(await chain.coins.coin(outpoint(coin.txid, 0)), undefined);
  t.equal((await chain.coins.coin(outpoint(b3.txids[1]!, 0)))?.value, 5);
  t.equal(await chain.coins.coin(outpoint(a1.txids[1]!, 0)), undefined);
  const straight = await openFixture();
  await submitAll(straight, [...trunk, b1, b2, b3]);
  t.same(await coinsOf(fixture), await coinsOf(straight), 'coins equal those of a node that never saw the other branch');
  t.same(await chain.blocks.readUndo(chain.view.tip), await straight.chain.blocks.readUndo(straight.chain.view.tip));
  t.same(
    chain.view.tips().map((node) => node.height),
    [113, 112],
  );
  await straight.end();
  await fixture.end();
});

t.test('publishes a tip and answers before coins change, and never returns outdated coins', async (t) => {
  // A change of few coins is applied at the next read, a change of many before the tip changes.
  for (const outputs of [1, 30_000]) {
    const fixture = await openFixture();
    const { chain } = fixture;
    const trunk = buildChain(GENESIS, 110);
    await submitAll(fixture, trunk);
    const coin = reward(trunk[0]!);
    const tx = spend(
      [coin],
      Array.from({ length: outputs }, () => ({ value: 1, script: ANYONE })),
    );
    const block = buildBlock(trunk.at(-1)!, { txs: [tx] });
    const seen: string[] = [];
    const { deferChange: defer } = chain.view.coins;
    chain.view.coins.deferChange = function (change) {
      const noted = function* (): Generator<void, void> {
        seen.push('coins');
        yield* change;
      };
      defer.call(this, noted());
    };
    chain.events.tip.add((tip) => seen.push(`tip ${tip === chain.view.tip}`));
    chain.events.addFollower({ name: 'state', onMove: (tip) => seen.push(`move ${tip === chain.view.tip}`), onTip() {} });
    t.equal(await reasonOf(fixture, block), 'accepted');
    seen.push('answer');
    t.equal((await chain.coins.coin(outpoint(txid(tx), outputs - 1)))?.value, 1);
    t.equal(await chain.coins.coin(outpoint(coin.txid, 0)), undefined);
    t.same(seen, ['move true', 'tip true', 'answer', ...(outputs === 1 ? ['coins'] : [])]);
    // A listener that reads coins gets the new ones, although the change was not applied before.
    const received: boolean[] = [];
    const asks = (): void => void received.push(chain.view.coins.get(outpoint(txid(tx), 0)) === undefined);
    chain.events.addFollower({ name: 'state', onMove: asks, onTip() {} });
    const next = buildBlock(block, { txs: [spend([{ txid: txid(tx), index: 0, value: 1 }], [{ value: 1, script: ANYONE }])] });
    t.equal(await reasonOf(fixture, next), 'accepted');
    t.same(received, [true]);
    await fixture.end();
  }
});

t.test('continues when a listener of any event throws, and counts the failure under its name', async (t) => {
  const guard = new ListenerGuard(silentLogger);
  const fixture = await openFixture({ deps: { guard } });
  const { chain } = fixture;
  const broken = (): never => {
    throw new Error('broken');
  };
  chain.events.tip.add(broken, 'tip');
  chain.events.header.add(broken, 'header');
  chain.events.stored.add(broken, 'stored');
  chain.events.checked.add(broken, 'checked');
  chain.events.noMoreFollows.add(broken, 'rest');
  const heights: number[] = [];
  chain.events.tip.add((tip) => heights.push(tip.height), 'good');
  const blocks = buildChain(GENESIS, 3);
  t.same(await submitAll(fixture, blocks), Array(3).fill('accepted'));
  t.equal(await reasonOf(fixture, buildBlock(blocks[2]!, { fees: 1 })), 'bad-cb-amount');
  t.same(await submitAll(fixture, buildChain(blocks[1]!, 2, { tag: 1 })), ['inconclusive', 'accepted']);
  t.equal(chain.fault, null);
  t.same(heights, [1, 2, 3, 4]);
  const failed = Object.fromEntries(guard.failures);
  t.same({ tip: failed.tip, good: failed.good }, { tip: 4, good: 0 });
  for (const name of ['header', 'stored', 'checked']) t.ok(failed[name]! > 0, name);
  await fixture.end();
});

t.test('stops when a follower throws at a tip change, after all listeners were called', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  let received = 0;
  chain.events.addFollower({
    name: 'The state',
    onMove() {
      throw new Error('broken');
    },
    onTip() {},
  });
  chain.events.tip.add(() => received++);
  const [block] = buildChain(GENESIS, 1);
  await t.rejects(chain.commands.submitBlock(block!.bytes), { message: 'The state could not process a tip change' });
  t.equal(received, 1);
  t.match(chain.fault, { cause: { message: 'broken' } });
  await fixture.end();
});

t.test('stays on its branch when a better branch contains an invalid block', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const trunk = buildChain(GENESIS, 2);
  const b1 = buildBlock(GENESIS, { tag: 2 });
  const b2 = buildBlock(b1, { tag: 2 });
  const b3 = buildBlock(b2, { tag: 2, fees: 1 });
  const b4 = buildBlock(b3, { tag: 2 });
  await submitAll(fixture, trunk);
  let received = 0;
  chain.events.tip.add(() => received++);
  for (const block of [b1, b2, b3, b4]) await chain.commands.submitHeader(block.header);
  t.same(await submitAll(fixture, [b1, b2, b4]), Array(3).fill('inconclusive'));
  t.equal(await reasonOf(fixture, b3), 'bad-cb-amount');
  t.equal(chain.view.tip.hashHex, trunk[1]!.hashHex);
  t.equal(received, 0, 'no listener was notified of a tip change');
  t.equal(chain.view.known(b2.hash), 'duplicate', 'the valid part was validated');
  t.equal(chain.view.known(b4.hash), 'duplicate-invalid');
  t.equal(chain.view.bestHeader.hashHex, chain.view.tip.hashHex, 'the best header is not on the invalid branch');
  await fixture.end();
});

t.test('marks headers on an invalid block as the release does, and updates the best header', async (t) => {
  for (const failedBranches of [false, true]) {
    const fixture = await openFixture({ failedBranches });
    const { chain } = fixture;
    const a = buildChain(GENESIS, 3, { tag: 1 });
    const b = buildChain(GENESIS, 4, { tag: 2 });
    await submitAll(fixture, [...a, ...b.slice(0, 2)]);
    // The node knows only the headers of the other blocks of that branch.
    for (const block of b.slice(2)) t.equal(await chain.commands.submitHeader(new Uint8Array(block.bytes.subarray(0, 80))), null);
    const failed = (block: BuiltBlock): boolean => chain.view.blockState(chain.view.node(block.hash)!).failed;
    t.equal(chain.view.bestHeader.hashHex, b[3]!.hashHex);
    await chain.commands.invalidateBlock(chain.view.node(b[0]!.hash)!);
    t.equal(chain.view.tip.hashHex, a[2]!.hashHex);
    t.equal(chain.view.bestHeader.hashHex, a[2]!.hashHex);
    t.equal(failed(b[3]!), failedBranches, 'since release 29 its headers are marked');
    await chain.commands.reconsiderBlock(chain.view.node(b[1]!.hash)!);
    t.equal(chain.view.bestHeader.hashHex, failedBranches ? b[3]!.hashHex : a[2]!.hashHex);
    // This invalidates a branch that does not contain the best header, so the best header stays.
    await chain.commands.invalidateBlock(chain.view.node(a[1]!.hash)!);
    t.ok(failed(a[2]!));
    t.notOk(failed(b[3]!));
    await fixture.end();
  }
});

t.test('reconsiders a block whose header alone is known', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const a = buildChain(GENESIS, 2, { tag: 1 });
  const b = buildChain(GENESIS, 4, { tag: 2 });
  await submitAll(fixture, [...a, ...b.slice(0, 3)]);
  t.equal(await chain.commands.submitHeader(new Uint8Array(b[3]!.bytes.subarray(0, 80))), null);
  await chain.commands.invalidateBlock(chain.view.node(b[1]!.hash)!);
  t.equal(chain.view.tip.hashHex, a[1]!.hashHex);
  await chain.commands.reconsiderBlock(chain.view.node(b[3]!.hash)!);
  t.equal(chain.view.tip.hashHex, b[2]!.hashHex, 'the best of its ancestors');
  await fixture.end();
});

t.test('waits for the mempool between tip changes after invalidateblock only', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const a = buildChain(GENESIS, 2, { tag: 1 });
  const b = buildChain(GENESIS, 4, { tag: 2 });
  await submitAll(fixture, a);
  const seen: string[] = [];
  chain.events.tip.add((tip) => seen.push(`at ${tip.height}`));
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await new Promise(setImmediate);
    seen.push('settled');
  };
  chain.events.addFollower({ name: 'The mempool', onMove() {}, onTip() {}, settled });
  await submitAll(fixture, b.slice(0, 1));
  await chain.commands.invalidateBlock(chain.view.node(a[0]!.hash)!);
  t.same(seen, ['at 0', 'settled', 'at 1'], 'down, and up another branch');
  seen.length = 0;
  await submitAll(fixture, b.slice(1));
  t.same(seen, ['at 2', 'at 3', 'at 4'], 'nothing left');
  seen.length = 0;
  await chain.commands.invalidateBlock(chain.view.node(b[1]!.hash)!);
  await chain.commands.reconsiderBlock(chain.view.node(a[0]!.hash)!);
  seen.length = 0;
  await chain.commands.reconsiderBlock(chain.view.node(b[1]!.hash)!);
  t.same(seen, ['at 3', 'at 4'], 'a reorganisation does not wait: senders of transactions could delay it');
  seen.length = 0;
  await chain.commands.invalidateBlock(chain.view.node(b[3]!.hash)!);
  t.same(seen, ['at 3'], 'nothing follows');
  await fixture.end();
});

t.test('changes branches by invalidateblock, reconsiderblock and preciousblock across a restart', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const trunk = buildChain(GENESIS, 105);
  await submitAll(fixture, trunk);
  const base = trunk[104]!;
  const coin = reward(trunk[0]!);
  const a = [buildBlock(base, { tag: 1, txs: [spend([coin], [{ value: 1, script: ANYONE }])] })];
  for (let i = 0; i < 4; i++) a.push(buildBlock(a[i]!, { tag: 1 }));
  await submitAll(fixture, a);
  const b = [buildBlock(base, { tag: 2 })];
  b.push(buildBlock(b[0]!, { tag: 2 }));
  t.same(await submitAll(fixture, b), ['inconclusive', 'inconclusive']);
  const before = await coinsOf(fixture);
  const node = (block: BuiltBlock): HeaderNode => chain.view.node(block.hash)!;

  await chain.commands.invalidateBlock(node(a[2]!));
  t.equal(chain.view.tip.hashHex, a[1]!.hashHex, 'equal work: the rest of the old branch was first');
  t.ok(chain.view.blockState(node(a[4]!)).failed);
  t.notOk(chain.view.blockState(node(a[1]!)).failed);
  await chain.commands.invalidateBlock(node(a[0]!));
  t.equal(chain.view.tip.hashHex, b[1]!.hashHex);
  t.equal((await chain.coins.coin(outpoint(coin.txid, 0)))?.value, coin.value, 'the spend was undone');
  t.equal(await reasonOf(fixture, buildBlock(a[4]!, { tag: 9 })), 'bad-prevblk');
  await chain.commands.invalidateBlock(chain.view.genesis);
  t.equal(chain.view.tip.hashHex, b[1]!.hashHex, 'genesis is left alone');

  const store = fixture.store;
  const { dir } = fixture;
  await chain.close();
  const again = await openFixture({ store, dir });
  t.equal(again.chain.view.tip.hashHex, b[1]!.hashHex, 'the marks survive a restart');
  t.ok(again.chain.view.blockState(again.chain.view.node(a[4]!.hash)!).failed);
  await again.chain.commands.reconsiderBlock(again.chain.view.node(a[3]!.hash)!);
  t.equal(again.chain.view.tip.hashHex, a[4]!.hashHex, 'family included');
  t.same(await coinsOf(again), before);

  const rival = buildBlock(a[3]!, { tag: 5 });
  t.equal(await reasonOf(again, rival), 'inconclusive');
  const rivalNode = again.chain.view.node(rival.hash)!;
  await again.chain.commands.preciousBlock(rivalNode);
  t.equal(again.chain.view.tip, rivalNode);
  await again.chain.commands.preciousBlock(again.chain.view.node(a[4]!.hash)!);
  t.equal(again.chain.view.tip.hashHex, a[4]!.hashHex, 'the latest wish counts');
  await again.chain.commands.preciousBlock(again.chain.view.node(b[1]!.hash)!);
  t.equal(again.chain.view.tip.hashHex, a[4]!.hashHex, 'less work is never precious');
  await again.end();
});

t.test('returns the reject reason of a proposed block, and changes nothing', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const trunk = buildChain(GENESIS, 101);
  await submitAll(fixture, trunk);
  const tip = trunk[100]!;
  await chain.commands.flush();
  const test = async (block: BuiltBlock, options = { checkPow: false, checkMerkle: true }) =>
    (await chain.view.testBlockValidity(parseBlock(block.bytes, crypto), options))?.reason ?? null;
  t.equal(await test(buildBlock(tip, { unsolved: true })), null);
  t.equal(await test(buildBlock(tip, { unsolved: true }), { checkPow: true, checkMerkle: true }), 'high-hash');
  t.equal(await test(buildBlock(tip, { breakMerkle: true })), 'bad-txnmrklroot');
  t.equal(await test(buildBlock(tip, { breakMerkle: true }), { checkPow: false, checkMerkle: false }), null);
  t.equal(await test(buildBlock(tip, { breakMerkle: true, bits: 0x207ffffe })), 'bad-diffbits', 'header rules come first');
  t.equal(await test(buildBlock(trunk[99]!)), 'inconclusive-not-best-prevblk');
  t.equal(await test(buildBlock(tip, { fees: 1 })), 'bad-cb-amount');
  t.equal(await test(buildBlock(tip, { tag: 3, fees: 1 })), 'bad-cb-amount');
  t.equal(chain.view.node(buildBlock(tip, { fees: 1 }).hash), undefined, 'nothing is remembered');
  const coin = reward(trunk[0]!);
  t.equal(await test(buildBlock(tip, { txs: [spend([coin], [{ value: coin.value - 9, script: ANYONE }])], fees: 9 })), null);
  t.equal(chain.view.coins.dirty.entries, 0, 'nor changed');
  t.same(fixture.faults, []);
  await fixture.end();
});

t.test('orders header and block checks of a proposed block as the chosen release does', async (t) => {
  for (const [triedHeaderFirst, reason] of [
    [true, 'bad-diffbits'],
    [false, 'bad-txnmrklroot'],
  ] as const) {
    const fixture = await openFixture({ triedHeaderFirst });
    const block = parseBlock(buildBlock(GENESIS, { breakMerkle: true, bits: 0x207ffffe }).bytes, crypto);
    const verdict = await fixture.chain.view.testBlockValidity(block, { checkPow: false, checkMerkle: true });
    t.equal(verdict?.reason, reason);
    await fixture.end();
  }
});

t.test('adds the missing witness to a coinbase with a commitment', async (t) => {
  const fixture = await openFixture();
  const block = buildBlock(GENESIS);
  const stripped = Buffer.concat([block.header, compactSize(1), serializeTx(block.txs[0]!, false)]);
  t.not(stripped.length, block.bytes.length);
  const filled = fixture.chain.view.withWitnessReserved(parseBlock(stripped, crypto));
  t.same(Buffer.from(filled.bytes), block.bytes);
  t.equal((await fixture.chain.commands.submitBlock(filled)).kind, 'accepted');
  await fixture.end();
});

t.test('accepts connected headers, and rejects unknown, invalid and truncated ones', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const blocks = buildChain(GENESIS, 3);
  const heights: number[] = [];
  chain.events.header.add((best) => heights.push(best.height));
  t.equal((await chain.commands.submitHeader(blocks[1]!.header))?.reason, 'prev-blk-not-found');
  t.same(await chain.commands.submitHeaders(blocks.map((block) => block.header)), {
    verdict: null,
    last: chain.view.node(blocks[2]!.hash),
  });
  t.equal(await chain.commands.submitHeader(blocks[0]!.header), null, 'known is fine');
  t.same(heights, [3]);
  await chain.commands.invalidateBlock(chain.view.node(blocks[0]!.hash)!);
  t.equal((await chain.commands.submitHeader(blocks[0]!.header))?.reason, 'duplicate');
  t.equal((await chain.commands.submitHeader(buildBlock(blocks[2]!).header))?.reason, 'bad-prevblk');
  await t.rejects(chain.commands.submitHeader(Buffer.alloc(79)), { name: 'DecodeError' });
  await fixture.end();
});

t.test('ends the initial block download once, when the tip is recent and has enough work', async (t) => {
  const fixture = await openFixture({ maxTipAge: 3600 });
  const { chain, clock } = fixture;
  const first = buildBlock(GENESIS, { time: clock.seconds - 3601 });
  await submitAll(fixture, [first]);
  t.ok(chain.view.isInitialBlockDownload());
  const second = buildBlock(first, { time: clock.seconds - 3600 });
  await submitAll(fixture, [second]);
  t.notOk(chain.view.isInitialBlockDownload());
  clock.seconds += 10 * 24 * 3600;
  t.notOk(chain.view.isInitialBlockDownload(), 'never again');
  await fixture.end();
  const poor = await openFixture({ maxTipAge: 3600, minimumChainWork: 7n });
  await submitAll(poor, [first, second]);
  t.ok(poor.chain.view.isInitialBlockDownload(), 'too little work');
  await submitAll(poor, [buildBlock(second, { time: poor.clock.seconds - SPACING })]);
  t.notOk(poor.chain.view.isInitialBlockDownload());
  await poor.end();
});

t.test('skips the scripts of deep ancestors of an assumed-valid block only', async (t) => {
  const bad = (tip: BuiltBlock, coin: ReturnType<typeof reward>) =>
    buildBlock(tip, { txs: [spend([coin], [{ value: coin.value, script: ANYONE }])] });
  const trunk = buildChain(GENESIS, 101, { script: NO_ONE });
  const wrong = bad(trunk[100]!, reward(trunk[0]!));
  // The assumed-valid block must be buried by two weeks of work. At one block per ten minutes these are 2016 blocks,
  // and one more is needed.
  const rest = buildChain(wrong, 2017, {});
  for (const [assumeValid, count, expected] of [
    ['0', 2017, 'block-validation-failed'],
    [rest[0]!.hashHex, 2016, 'block-validation-failed'],
    [rest[0]!.hashHex, 2017, 'accepted'],
    [trunk[99]!.hashHex, 2017, 'block-validation-failed'],
  ] as const) {
    const fixture = await openFixture({ assumeValid });
    await submitAll(fixture, trunk);
    await fixture.chain.commands.submitHeaders([wrong, ...rest.slice(0, count)].map((block) => block.header));
    t.equal(await reasonOf(fixture, wrong), expected, `${count} headers above, assumed ${assumeValid}`);
    await fixture.end();
  }
});

t.test('restores tip, headers, branches, coins and undo data after a restart', async (t) => {
  const fixture = await openFixture();
  const trunk = buildChain(GENESIS, 104);
  const coin = reward(trunk[0]!);
  trunk.push(buildBlock(trunk[103]!, { txs: [spend([coin], [{ value: coin.value, script: ANYONE }])] }));
  const side = buildBlock(trunk[102]!, { tag: 3 });
  await submitAll(fixture, [...trunk, side]);
  const headersOnly = buildBlock(trunk[104]!, { tag: 4 });
  await fixture.chain.commands.submitHeader(headersOnly.header);
  const coins = await coinsOf(fixture);
  const facts = ({ chain }: Fixture) => ({
    tip: chain.view.tip.hashHex,
    best: chain.view.bestHeader.hashHex,
    tips: chain.view.tips().map((node) => [node.hashHex, node.status, node.txCount, node.chainTxCount, node.height]),
    work: chain.view.tip.chainWork,
  });
  const before = facts(fixture);
  await fixture.chain.close();
  const again = await openFixture({ store: fixture.store, dir: fixture.dir });
  t.same(facts(again), before);
  t.same(await coinsOf(again), coins);
  t.same((await again.chain.blocks.readUndo(again.chain.view.tip))[0]?.[0]?.value, coin.value);
  t.equal(await again.chain.commands.verifyChain(4, 0), true);
  await again.end();
});

t.test('verifychain finds a missing coin at level 3', async (t) => {
  const fixture = await openFixture();
  const trunk = buildChain(GENESIS, 120);
  await submitAll(fixture, trunk);
  for (const level of [0, 1, 2, 3, 4]) t.equal(await fixture.chain.commands.verifyChain(level, 0), true, `level ${level}`);
  await fixture.chain.commands.flush();
  const key = FIRST_COINS.key(outpoint(trunk[118]!.txids[0]!, 0));
  t.equal(key.length, COIN_KEY_BYTES);
  const store = fixture.store;
  await fixture.chain.close();
  await store.batch([{ type: 'del', key }]);
  const again = await openFixture({ store, dir: fixture.dir });
  t.equal(await again.chain.commands.verifyChain(2, 10), true);
  t.equal(await again.chain.commands.verifyChain(3, 10), false);
  await again.end();
});

t.test('forgets a stored block whose bytes were damaged, and accepts it again', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const trunk = buildChain(GENESIS, 3);
  await submitAll(fixture, trunk);
  const b = buildChain(GENESIS, 3, { tag: 2 });
  t.same(await submitAll(fixture, b), Array(3).fill('inconclusive'));
  const rotten = chain.view.node(b[1]!.hash)!;
  const file = openSync(join(fixture.dir, 'blk00000.dat'), 'r+');
  writeSync(file, Buffer.from([0xff]), 0, 1, rotten.blockPos + b[1]!.bytes.length - 10);
  closeSync(file);
  const b4 = buildBlock(b[2]!, { tag: 2 });
  t.equal(await reasonOf(fixture, b4), 'inconclusive');
  t.equal(chain.view.tip.hashHex, trunk[2]!.hashHex);
  t.notOk(chain.blocks.hasBlock(rotten));
  t.notOk(chain.view.blockState(rotten).failed);
  t.equal(chain.view.known(b[0]!.hash), 'duplicate', 'the part below was found valid');
  t.equal(await reasonOf(fixture, b[1]!), 'accepted');
  t.equal(chain.view.tip.hashHex, b4.hashHex);
  t.same(fixture.faults, []);
  await fixture.end();
});

t.test('stops at a write error and reports it once, while blocks stay readable', async (t) => {
  const fixture = await openFixture();
  const { chain, store } = fixture;
  const blocks = buildChain(GENESIS, 3);
  await submitAll(fixture, blocks);
  await chain.commands.flush();
  store.batch = () => Promise.reject(new StoreError('STORE_DISK_FULL', 'no space left'));
  const next = buildBlock(blocks[2]!);
  t.equal((await chain.commands.submitBlock(next.bytes)).kind, 'accepted', 'its bytes are in the files');
  await t.rejects(chain.commands.submitBlock(buildBlock(next).bytes), { code: 'CHAIN_FAULT', message: /no space left/ });
  await t.rejects(chain.commands.submitHeader(buildBlock(blocks[2]!, { tag: 1 }).header), { code: 'CHAIN_FAULT' });
  await t.rejects(chain.commands.invalidateBlock(chain.view.tip), { code: 'CHAIN_FAULT' });
  await t.rejects(chain.view.testBlockValidity(parseBlock(buildBlock(blocks[2]!).bytes, crypto), { checkPow: false, checkMerkle: true }));
  t.equal(fixture.faults.length, 1);
  t.equal(chain.view.tip.height, 4);
  t.ok(await chain.blocks.readBlock(chain.view.tip), 'blocks can still be read');
  await fixture.end();
});

t.test('syncs block files before indexes read a block, at manual marks, and soon after a new tip', async (t) => {
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  const { chain } = fixture;
  const { files } = (chain as unknown as { ws: ChainWorkspace }).ws.blocks;
  let synced = 0;
  const { sync } = files;
  files.sync = async () => {
    await sync.call(files);
    synced++;
  };
  const blocks = buildChain(GENESIS, 3);
  await submitAll(fixture, blocks);
  await until('a block on the tip', () => synced > 0);
  synced = 0;
  await chain.commands.recorded(chain.view.tip);
  t.equal(synced, 1);
  await chain.commands.invalidateBlock(chain.view.tip);
  t.equal(synced, 2);
  await chain.commands.preciousBlock(chain.view.tip);
  t.equal(synced, 3);
  await fixture.end();
});

t.test('fails the check of a proposed block when script threads fail, and continues', async (t) => {
  const verifier = new InlineVerifier(crypto);
  const { verifyTxs } = verifier;
  verifier.verifyTxs = (batch) =>
    batch.klass === 'proposal' ? Promise.reject(new VerifierFaultError(new Error('out of memory'))) : verifyTxs.call(verifier, batch);
  const fixture = await openFixture({ verifier });
  const { chain } = fixture;
  const blocks = buildChain(GENESIS, 101);
  await submitAll(fixture, blocks);
  const paying = buildBlock(blocks[100]!, { txs: [spend([reward(blocks[0]!)], [{ value: 1, script: ANYONE }])] });
  await t.rejects(
    chain.view.testBlockValidity(parseBlock(paying.bytes, crypto), { checkPow: false, checkMerkle: true }),
    VerifierFaultError,
  );
  t.equal((await chain.commands.submitBlock(paying.bytes)).kind, 'accepted');
  t.equal(chain.view.tip.hashHex, paying.hashHex);
  t.same(fixture.faults, []);
  await fixture.end();
});

t.test('interrupts invalidateblock and scans of all coins at a shutdown', async (t) => {
  const stopping = new AbortController();
  const fixture = await openFixture({ deps: { stopping: stopping.signal } });
  const { chain } = fixture;
  await submitAll(fixture, buildChain(GENESIS, 250));
  const marking = chain.commands.invalidateBlock(chain.view.tip.ancestor(1)!);
  stopping.abort();
  await marking;
  t.ok(chain.view.tip.height >= 100, `the tip is left at ${chain.view.tip.height}`);
  await t.rejects(
    coinsStats(chain, { hashSerialized: null }, () => stopping.signal.aborted),
    { message: /interrupted because the node is shutting down/ },
  );
  await fixture.end();
});

t.test('computes statistics and a hash of all coins, and dumps them to a file', async (t) => {
  const stopping = new AbortController();
  const fixture = await openFixture({ deps: { stopping: stopping.signal } });
  const { chain } = fixture;
  const empty = await coinsStats(chain, { hashSerialized: 2 });
  t.same([empty.height, empty.transactions, empty.outputs, empty.totalSats, empty.bogoSize], [0, 0, 0, 0, 0]);
  const trunk = buildChain(GENESIS, 101);
  const coin = reward(trunk[0]!);
  const outs = [0, 1, 2].map((i) => ({ value: 1000 + i, script: ANYONE }));
  const last = buildBlock(trunk[100]!, { txs: [spend([coin], outs)], fees: coin.value - 3003 });
  await submitAll(fixture, [...trunk, last]);
  const stats = await coinsStats(chain, { hashSerialized: 2 });
  const rewards = [...trunk.slice(1), last].map((block) => block.txs[0]!.outs[0]!.value);
  t.equal(stats.transactions, 102);
  t.equal(stats.outputs, 104);
  t.equal(stats.totalSats, 3003 + rewards.reduce((sum, value) => sum + value, 0));
  t.equal(stats.bogoSize, 104 * (50 + 1));
  // Core's serialisation, written out: the tip, then for each transaction its id, 1, its outputs, and 0.
  const varint = (value: number): Buffer => {
    const groups = [value % 128];
    for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift(128 + (--rest % 128));
    return Buffer.from(groups);
  };
  const txs = new Map<string, { id: Buffer; outs: [number, number][] }>();
  for (const block of [...trunk.slice(1), last])
    txs.set(block.txids[0]!.toString('hex'), { id: block.txids[0]!, outs: [[0, block.txs[0]!.outs[0]!.value]] });
  txs.set(last.txids[1]!.toString('hex'), { id: last.txids[1]!, outs: [0, 1, 2].map((i) => [i, 1000 + i]) });
  const parts = [...txs.keys()].sort().flatMap((key) => {
    const { id, outs: list } = txs.get(key)!;
    return [
      id,
      Buffer.from([1]),
      ...list.map(([n, value]) => Buffer.concat([varint(n + 1), Buffer.from([1]), ANYONE, varint(value)])),
      Buffer.from([0]),
    ];
  });
  t.same(Buffer.from(stats.hashSerialized!), hash256(Buffer.concat([last.hash, ...parts])));
  t.equal((await coinsStats(chain, { hashSerialized: null })).hashSerialized, null);

  // The coins file, written out: block, number of coins, number of transactions in the chain, then each outpoint and
  // its coin in Core's compressed form.
  const compress = (value: number): number => {
    let exponent = 0;
    for (; exponent < 9 && value % 10 ** (exponent + 1) === 0; exponent++);
    const digits = value / 10 ** exponent;
    if (exponent === 9) return 1 + (digits - 1) * 10 + 9;
    return 1 + (Math.floor(digits / 10) * 9 + (digits % 10) - 1) * 10 + exponent;
  };
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const coins = [...trunk.slice(1), last].flatMap((block) =>
    block.txs.flatMap((tx, at) =>
      tx.outs.flatMap(({ value, script }, n) => {
        // An unspendable output is not a coin.
        if (script[0] === 0x6a) return [];
        const code = block.height * 2 + (at === 0 ? 1 : 0);
        const coinBytes = [varint(code), varint(compress(value)), varint(6 + 1), ANYONE];
        return [Buffer.concat([block.txids[at]!, u32(n), ...coinBytes])];
      }),
    ),
  );
  const file = join(mkdtempSync(join(tmpdir(), 'adit-coins-')), 'coins');
  t.teardown(() => rmSync(dirname(file), { recursive: true }));
  const written = chain.coins.dumpCoins(file, '0.21');
  t.equal(await chain.coins.dumpCoins(`${file}2`, '0.21'), null, 'one at a time');
  t.match(await written, { coins: 104, tip: { height: 102 }, hash: null });
  t.same(
    readFileSync(file),
    Buffer.concat([last.hash, u32(104), u32(0), u32(104), ...coins.sort((a, b) => Buffer.compare(a.subarray(0, 36), b.subarray(0, 36)))]),
  );
  // The form of releases since 28: the coins of a transaction stand together, and a hash covers all of them.
  const grouped = new Map<string, Buffer[]>();
  const sorted = coins.sort((a, b) => Buffer.compare(a.subarray(0, 36), b.subarray(0, 36)));
  for (const coin of sorted) {
    const txid = coin.toString('hex', 0, 32);
    const index = coin.readUInt32LE(32);
    grouped.set(txid, [...(grouped.get(txid) ?? []), Buffer.concat([Buffer.of(index), coin.subarray(36)])]);
  }
  const body = [...grouped].flatMap(([txid, list]) => [Buffer.from(txid, 'hex'), Buffer.of(list.length), ...list]);
  const newer = await chain.coins.dumpCoins(`${file}28`, '28');
  t.same(
    readFileSync(`${file}28`).toString('hex'),
    Buffer.concat([Buffer.from('7574786fff0200fabfb5da', 'hex'), last.hash, u32(104), u32(0), ...body]).toString('hex'),
  );
  const elements = [...trunk.slice(1), last].flatMap((block) =>
    block.txs.flatMap((tx, at) =>
      tx.outs.flatMap(({ value, script }, n) => {
        if (script[0] === 0x6a) return [];
        const sats = Buffer.alloc(8);
        sats.writeBigUInt64LE(BigInt(value));
        const code = u32(block.height * 2 + (at === 0 ? 1 : 0));
        return [Buffer.concat([block.txids[at]!, u32(n), code, sats, Buffer.of(script.length), script])];
      }),
    ),
  );
  const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
  const sum = sha256(sha256(Buffer.concat(elements.sort((a, b) => Buffer.compare(a.subarray(0, 36), b.subarray(0, 36))))));
  t.match(newer, { coins: 104, tip: { height: 102 } });
  t.equal(Buffer.from(newer!.hash!).toString('hex'), sum.toString('hex'));

  await t.rejects(chain.coins.dumpCoins(join(file, 'below'), '0.21'), /ENOTDIR/);
  mkdirSync(`${file}3`);
  await t.rejects(chain.coins.dumpCoins(`${file}3`, '28'), /EISDIR|ENOTEMPTY|EEXIST|EPERM/);
  stopping.abort();
  for (const form of ['0.21', '28'] as const)
    await t.rejects(chain.coins.dumpCoins(`${file}4`, form), /interrupted because the node is shutting down/);
  t.same(readdirSync(dirname(file)).sort(), ['coins', 'coins28', 'coins3'], 'nothing unfinished is left');
  await fixture.end();
});

t.test('reports a duplicate of an unspent transaction before any other fault of a block', async (t) => {
  for (const scriptThreads of [1, 4]) {
    const fixture = await openFixture({ scriptThreads });
    const trunk = buildChain(GENESIS, 101, { script: NO_ONE });
    await submitAll(fixture, trunk);
    const same = { coinbaseHeight: 101, script: NO_ONE };
    t.same(buildBlock(trunk[100]!, same).txids, trunk[100]!.txids, 'the coinbase of the block before once more');
    t.equal(await reasonOf(fixture, buildBlock(trunk[100]!, same)), 'bad-txns-BIP30');
    const coin = reward(trunk[0]!);
    const badScript = spend([coin], [{ value: coin.value, script: ANYONE }]);
    const missing = spend([{ txid: Buffer.alloc(32, 7), index: 0, value: 1 }], [{ value: 1, script: ANYONE }]);
    // Commitments to different transactions would make the coinbases differ, so these blocks have none.
    const bare = buildBlock(trunk[100]!, { commitment: false, script: NO_ONE, tag: 5 });
    t.equal(await reasonOf(fixture, bare), 'accepted');
    const again = { coinbaseHeight: 102, commitment: false, script: NO_ONE, tag: 5 };
    for (const txs of [[badScript], [missing], [badScript, missing]]) {
      const block = buildBlock(bare, { ...again, txs });
      t.same(block.txids[0], bare.txids[0]);
      t.equal(await reasonOf(fixture, block), 'bad-txns-BIP30');
    }
    await fixture.end();
  }
});

// If coinbases contain heights from the first block on, no valid block has a duplicate transaction, so the chain does
// not search for one in advance.
for (const bip34Height of [1, 500]) {
  t.test(`rejects a repeated payment when coinbases contain heights from block ${bip34Height} on`, async (t) => {
    const fixture = await openFixture({ deps: { params: { ...chainParams('regtest'), bip34Height } } });
    const trunk = buildChain(GENESIS, 101);
    await submitAll(fixture, trunk);
    const coin = reward(trunk[0]!);
    const payment = spend([coin], [{ value: coin.value, script: ANYONE }]);
    const first = buildBlock(trunk[100]!, { txs: [payment] });
    t.equal(await reasonOf(fixture, first), 'accepted');
    t.equal(await reasonOf(fixture, buildBlock(first, { txs: [payment] })), 'bad-txns-BIP30', 'its output is unspent');
    const onward = spend([{ txid: txid(payment), index: 0, value: coin.value }], [{ value: coin.value, script: ANYONE }]);
    const second = buildBlock(first, { txs: [onward] });
    t.equal(await reasonOf(fixture, second), 'accepted');
    t.equal(await reasonOf(fixture, buildBlock(second, { txs: [payment] })), 'bad-txns-inputs-missingorspent');
    await fixture.end();
  });
}

t.test('changes the coins of a block with many outputs in time slices, hidden until complete', async (t) => {
  const OUTPUTS = 30_000;
  const fixture = await openFixture();
  const { chain } = fixture;
  const trunk = buildChain(GENESIS, 102);
  await submitAll(fixture, trunk);
  const tip = trunk[101]!;
  const coin = reward(trunk[0]!);
  const outs = Array.from({ length: OUTPUTS }, () => ({ value: 1000, script: ANYONE }));
  const big = buildBlock(tip, { txs: [spend([coin], outs)], fees: coin.value - OUTPUTS * 1000 });
  const spent = outpoint(coin.txid, coin.index);
  const created = [0, OUTPUTS >> 1, OUTPUTS - 1].map((n) => outpoint(big.txids[1]!, n));
  await chain.view.coins.prefetch([spent, ...created]);
  const coinsNow = () => [spent, ...created].map((one) => chain.view.coins.get(one) !== undefined);
  const withBig = [false, true, true, true];
  const withoutBig = [true, false, false, false];
  const contains = () => {
    const node = chain.view.node(big.hash);
    return node !== undefined && chain.view.contains(node);
  };

  /**
   * Checks in every event-loop tick while the chain is changed.
   * @returns the number of ticks in which coins were changed that readers must not see yet
   */
  const watched = async (work: Promise<unknown>): Promise<number> => {
    let over = false;
    let unseen = 0;
    const ended = work.finally(() => {
      over = true;
    });
    while (!over) {
      const { hashHex } = chain.view.tip;
      const dirty = chain.view.coins.dirty.entries;
      if (JSON.stringify(coinsNow()) !== JSON.stringify(contains() ? withBig : withoutBig)) t.fail(`half of a change at ${hashHex}`);
      if (dirty > 1_000 && lastReceived !== chain.view.tip.hashHex) t.fail('the tip moved before its listeners were told');
      if (dirty > 1_000 && !contains()) unseen++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    return unseen;
  };
  let lastReceived = chain.view.tip.hashHex;
  chain.events.tip.add((node) => {
    lastReceived = node.hashHex;
    if (JSON.stringify(coinsNow()) !== JSON.stringify(contains() ? withBig : withoutBig)) t.fail(`listeners see half of ${node.hashHex}`);
  });

  await chain.commands.flush();
  const before = await coinsOf(fixture);
  const unseen = await countingReadings(() => watched(chain.commands.submitBlock(big.bytes)), 0.5);
  t.ok(unseen > 2, 'other work ran while coins were created');
  t.same(coinsNow(), withBig);
  const after = await coinsOf(fixture);
  t.equal(after.size, before.size + OUTPUTS, 'outputs and a coinbase came, a coin went');
  await watched(chain.commands.invalidateBlock(chain.view.tip));
  t.same(coinsNow(), withoutBig);
  t.same(await coinsOf(fixture), before);
  await watched(chain.commands.reconsiderBlock(chain.view.node(big.hash)!));
  t.same(await coinsOf(fixture), after);

  // A reorganisation to another branch and back.
  const rival = buildChain(tip, 2, { tag: 5 });
  t.same(await submitAll(fixture, [rival[0]!]), ['inconclusive']);
  await watched(chain.commands.submitBlock(rival[1]!.bytes));
  t.same([contains(), coinsNow()], [false, withoutBig]);
  const [next, further] = buildChain(big, 2, { tag: 6 });
  t.same(await submitAll(fixture, [next!]), ['inconclusive']);
  // Close the chain in the middle of the change.
  await countingReadings(async () => {
    let moved = false;
    const moving = chain.commands.submitBlock(further!.bytes).finally(() => {
      moved = true;
    });
    while (chain.view.coins.dirty.entries < 1_000 && !moved) await new Promise((resolve) => setImmediate(resolve));
    t.notOk(contains(), 'not yet');
    await chain.close();
    t.equal((await moving).kind, 'accepted');
  }, 0.5);
  const again = await openFixture({ store: fixture.store, dir: fixture.dir });
  t.equal(again.chain.view.tip.hashHex, further!.hashHex);
  t.equal((await coinsOf(again)).size, after.size + 2);
  t.equal(await again.chain.commands.verifyChain(4, 3), true);
  await again.end();
});
