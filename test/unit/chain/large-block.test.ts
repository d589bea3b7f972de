// Tests large blocks, whose ids and roots other threads compute: verdicts equal those of a chain that computes them
// itself, also when a thread fails.
import t from 'tap';
import { type BlockView, parseBlock } from '../../../src/consensus/block/block-view.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { checkMutation } from '../../../src/consensus/rules/block-mutation.js';
import { workClock } from '../../../src/lib/work-clock.js';
import type { BlockHasher } from '../../../src/parallel/block-hasher.js';
import { PooledBlockHasher } from '../../../src/parallel/block-hasher.js';
import { WorkPool } from '../../../src/parallel/pool.js';
import { ANYONE, type BlockPlan, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { crypto, openFixture } from '../../framework/chain-fixture.js';
import { compactSize, serializeTx } from '../../framework/messages.js';

const trunk = buildChain(GENESIS, 102);
const tip = trunk[101] as BuiltBlock;
const payments = [0, 1].map((i) => {
  const coin = reward(trunk[i] as BuiltBlock);
  return spend([coin], [{ value: coin.value, script: ANYONE }]);
});
/** The coinbase has many outputs, which make the block large. */
const outs = Array.from({ length: 60 }, () => ({ value: 0, script: Buffer.concat([Buffer.from([0x6a]), Buffer.alloc(9_000, 1)]) }));
const large = (plan: BlockPlan = {}): BuiltBlock => buildBlock(tip, { txs: payments, outs, ...plan });

/** Returns the block with the last of its three transactions twice. The root is the same (CVE-2012-2459). */
function repeating({ header, txs }: BuiltBlock): Buffer {
  const list = [...txs, txs[2]!];
  return Buffer.concat([header, compactSize(list.length), ...list.map((tx) => serializeTx(tx))]);
}

const BLOCKS: Readonly<Record<string, readonly [Buffer, string]>> = {
  'a valid block': [large().bytes, 'accepted'],
  'a header of other transactions': [large({ breakMerkle: true }).bytes, 'bad-txnmrklroot'],
  'transactions that come twice': [repeating(large({ commitment: false })), 'bad-txns-duplicate'],
  'a commitment to other witnesses': [large({ breakCommitment: true }).bytes, 'bad-witness-merkle-match'],
};

const pool = new WorkPool({ threads: 2 });
t.teardown(() => pool.close());
const pooled = new PooledBlockHasher(pool);

const HASHERS: Readonly<Record<string, BlockHasher | null>> = {
  'on threads': pooled,
  'on threads that fail': { hash: async () => false },
  'on the main thread': null,
};

t.test('computes the merkle roots of a large block once', async (t) => {
  let hashed = 0;
  const hash = async (): Promise<boolean> => {
    hashed++;
    return false;
  };
  const fixture = await openFixture({ deps: { blockHasher: { hash } } });
  for (const { bytes } of trunk) await fixture.chain.commands.submitBlock(bytes);
  const block = parseBlock(new Uint8Array(large().bytes), crypto);
  await fixture.chain.commands.identify(block);
  t.equal(hashed, 1);
  t.equal(checkMutation(block, tip.height + 1, chainParams('regtest')), null);
  await fixture.chain.commands.identify(block);
  t.equal((await fixture.chain.commands.submitBlock(block)).kind, 'accepted');
  t.equal(hashed, 1);
  await fixture.end();
});

t.test('does not send blocks with too many transactions to the hashing threads', async (t) => {
  const fixture = await openFixture({ deps: { blockHasher: { hash: () => Promise.reject(new Error('it was')) } } });
  const [, payment] = large().txs;
  // These transactions have neither inputs nor outputs. By weight 60,000 of them would fit in a block, but a block
  // cannot have so many transactions.
  const tiny = { version: 1, ins: [], outs: [], locktime: 0 };
  for (const txs of [Array.from({ length: 60_000 }, () => tiny), Array.from({ length: 20_000 }, () => payment!)]) {
    const bytes = Buffer.concat([tip.header, compactSize(txs.length), ...txs.map((tx) => serializeTx(tx))]);
    const block = parseBlock(new Uint8Array(bytes), crypto);
    await fixture.chain.commands.identify(block);
    t.equal(block.roots, null);
    t.ok(block.txs.every(({ identified }) => identified));
  }
  await fixture.end();
});

for (const [where, hasher] of Object.entries(HASHERS)) {
  t.test(`returns the correct verdict on large blocks that are hashed ${where}`, async (t) => {
    for (const [what, [bytes, verdict]] of Object.entries(BLOCKS)) {
      const hashed: BlockView[] = [];
      const hash = async (block: BlockView): Promise<boolean> => {
        hashed.push(block);
        return (await hasher?.hash(block)) ?? false;
      };
      const fixture = await openFixture({ deps: hasher === null ? {} : { blockHasher: { hash } } });
      for (const block of trunk) await fixture.chain.commands.submitBlock(block.bytes);
      t.equal(hashed.length, 0, 'small blocks make their own');
      const block = parseBlock(new Uint8Array(bytes), crypto);
      const { kind, reject } = await fixture.chain.commands.submitBlock(block);
      t.equal(reject?.reason ?? kind, verdict, what);
      t.equal(hashed.length, hasher === null ? 0 : 1, 'once');
      t.equal(block.roots !== null, hasher === pooled, 'by threads');
      await fixture.end();
    }
  });
}

t.test('connects a large child after its parent when the parent is hashed more slowly', async (t) => {
  const parent = large();
  const child = buildBlock(parent, { outs });
  for (const slow of ['known transactions', 'ids'] as const) {
    const view = parseBlock(new Uint8Array(parent.bytes), crypto);
    let childHashed: () => void = () => {};
    const waiting = new Promise<void>((resolve) => (childHashed = resolve));
    const hash = async (block: BlockView): Promise<boolean> => {
      if (block !== view) childHashed();
      else if (slow === 'ids') {
        await waiting;
        // Wait long enough for the child block to be processed, if nothing holds it.
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
      for (const tx of block.txs) void [tx.txid, tx.wtxid];
      return true;
    };
    const fixture = await openFixture({ deps: { blockHasher: { hash } } });
    for (const { bytes } of trunk) await fixture.chain.commands.submitBlock(bytes);
    fixture.chain.commands.useCheckedTransactions({
      size: slow === 'known transactions' ? 1 : 0,
      // Each call takes one event-loop tick.
      recognise: (tx) => {
        for (const end = workClock.now() + 20; view.txs.includes(tx) && workClock.now() < end; );
      },
    });
    const outcomes = await Promise.all([view, new Uint8Array(child.bytes)].map((block) => fixture.chain.commands.submitBlock(block)));
    t.same(
      outcomes.map(({ kind }) => kind),
      ['accepted', 'accepted'],
      slow,
    );
    await fixture.end();
  }
});
