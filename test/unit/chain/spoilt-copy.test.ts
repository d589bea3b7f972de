// Tests copies of blocks with another witness, which have the hash of the original. By whatever way and at whatever
// time the copy arrives, the chain connects the bytes that it checked and stored, and the verdict on the copy never
// becomes the verdict on the block.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { BlockOutcome } from '../../../src/chain/connect/outcome.js';
import { type HeaderNode, NodeStatus } from '../../../src/chain/tree/header-node.js';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import type { BuiltBlock } from '../../framework/chain-builder.js';
import { allConnected, crypto, type Fixture, IN_DOWNLOAD, OUT_OF_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';
import { copyStory } from '../../framework/spoilt-copy.js';

const view = (bytes: Uint8Array) => parseBlock(new Uint8Array(bytes), crypto);

/** A way in which a block reaches the chain. */
type Road = (fixture: Fixture, bytes: Uint8Array) => Promise<BlockOutcome | boolean | number>;

/** A file in -loadblock's form: magic, length, block. */
async function load({ chain }: Fixture, bytes: Uint8Array): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'adit-copy-'));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  const path = join(dir, 'blocks.dat');
  writeFileSync(path, Buffer.concat([chain.view.params.magic, length, bytes]));
  try {
    return await chain.commands.loadBlockFiles([path]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const roads: Record<string, Road> = {
  'submitblock, bytes': ({ chain }, bytes) => chain.commands.submitBlock(new Uint8Array(bytes)),
  'a peer, unasked': ({ chain }, bytes) => chain.commands.submitBlock(view(bytes), { force: false }),
  'a peer, asked': ({ chain }, bytes) => chain.commands.submitBlock(view(bytes), { force: true }),
  '-loadblock': load,
};

const nodeOf = ({ chain }: Fixture, block: BuiltBlock): HeaderNode => chain.view.node(block.hash) as HeaderNode;

for (const good of [true, false]) {
  const { trunk, before, target, copy, after } = copyStory(good);
  const [first, ...rest] = before as [BuiltBlock, ...BuiltBlock[]];
  const height = good ? 116 : 112;

  /** A chain in initial download that has stored all blocks from the target on and lacks the first block. */
  const waiting = async (): Promise<Fixture> => {
    const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD });
    for (const block of trunk) await fixture.chain.commands.submitBlock(block.bytes);
    await fixture.chain.commands.submitHeaders([...before, target, ...after].map(({ header }) => header));
    await Promise.all([target, ...rest].map(({ bytes }) => fixture.chain.commands.submitBlock(bytes)));
    return fixture;
  };

  for (const [name, road] of Object.entries(roads)) {
    t.test(`keeps the result of ${good ? 'a good' : 'a bad'} stored block when a mutated copy comes by ${name}`, async (t) => {
      for (const when of ['before the missing block', 'with the missing block', 'after it']) {
        const fixture = await waiting();
        const { chain } = fixture;
        t.equal(nodeOf(fixture, target).has(NodeStatus.HAVE_DATA), true);
        if (when === 'before the missing block') await road(fixture, copy);
        const missing = chain.commands.submitBlock(first.bytes);
        if (when === 'with the missing block') await road(fixture, copy);
        await missing;
        if (when === 'after it') await road(fixture, copy);
        await allConnected(fixture);
        for (const { bytes } of after) await chain.commands.submitBlock(bytes);
        await chain.commands.settled();
        t.equal(nodeOf(fixture, target).failed, !good, when);
        t.equal(chain.view.tip.height, height, when);
        t.same(fixture.faults, []);
        await fixture.end();
      }
    });

    t.test(`judges ${good ? 'a good' : 'a bad'} block by itself although its mutated copy came before it, by ${name}`, async (t) => {
      const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
      const { chain } = fixture;
      for (const block of [...trunk, ...before]) await chain.commands.submitBlock(block.bytes);
      await chain.commands.submitHeader(target.header);
      await road(fixture, copy);
      t.equal(nodeOf(fixture, target).failed, false, 'a mutated block says nothing about its hash');
      t.equal(nodeOf(fixture, target).has(NodeStatus.HAVE_DATA), false);
      const [outcome] = await Promise.all([chain.commands.submitBlock(target.bytes), road(fixture, copy)]);
      t.equal(outcome.kind, good ? 'accepted' : 'invalid');
      if (!good) t.equal(outcome.reject?.reason, 'block-validation-failed');
      for (const { bytes } of after) await chain.commands.submitBlock(bytes);
      t.equal(chain.view.tip.height, height);
      t.same(fixture.faults, []);
      await fixture.end();
    });
  }
}

t.test('does not remember a mutated copy after a restart', async (t) => {
  const { trunk, before, target, copy, after } = copyStory(true);
  const first = await openFixture({ maxTipAge: IN_DOWNLOAD });
  for (const block of trunk) await first.chain.commands.submitBlock(block.bytes);
  await first.chain.commands.submitHeaders([...before, target].map(({ header }) => header));
  await Promise.all([target, ...before.slice(1)].map(({ bytes }) => first.chain.commands.submitBlock(bytes)));
  await first.chain.commands.submitBlock((before[0] as BuiltBlock).bytes);
  await first.chain.commands.submitBlock(view(copy), { force: false });
  await first.chain.commands.settled();
  await first.chain.close();
  const second = await openFixture({ maxTipAge: IN_DOWNLOAD, store: first.store, dir: first.dir });
  t.equal(nodeOf(second, target).failed, false);
  t.equal(second.chain.view.tip.height, 113);
  t.equal((await second.chain.commands.submitHeaders(after.map(({ header }) => header))).verdict, null);
  await second.end();
});

t.test('answers a block submission by its own result although a mutated copy fails meanwhile', async (t) => {
  const { trunk, before, target } = copyStory(true);
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  const { chain } = fixture;
  for (const block of [...trunk, ...before]) await chain.commands.submitBlock(block.bytes);
  // Changing a transaction makes the merkle root fail. The copy is checked outside the queue of changes, after the
  // verdict on the block and before its reply.
  const broken = Buffer.from(target.bytes);
  broken[broken.length - 1]! ^= 1;
  let copies: Promise<BlockOutcome> | undefined;
  chain.events.tip.add(() => {
    copies = chain.commands.submitBlock(view(broken));
  });
  const outcome = await chain.commands.submitBlock(target.bytes);
  t.equal(outcome.kind, 'accepted');
  t.equal((await copies)?.reject?.reason, 'bad-txnmrklroot');
  await fixture.end();
});
