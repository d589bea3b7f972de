// Tests files of blocks in any order with little memory, and an index that is rebuilt from files while the process
// crashes at any write.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { ImportProgress } from '../../../src/chain/files/import-blocks.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp } from '../../../src/storage/store.js';
import { GENESIS_BYTES, writeBlocksFolder } from '../../framework/blocks-folder.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, IN_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

function planned(length: number): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 101);
  while (blocks.length < length) {
    const coin = reward(blocks[blocks.length - 101]!);
    blocks.push(buildBlock(blocks.at(-1)!, { txs: [spend([coin], [{ value: coin.value, script: ANYONE }])] }));
  }
  return blocks;
}
const blocks = planned(130);
const tip = blocks.at(-1)!;
const bytes = blocks.map((block) => block.bytes);

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'adit-import-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const random = pseudoRandom(seed);
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

t.test('imports files with blocks in reverse or random order within any memory limit', async (t) => {
  for (const [what, order] of [
    ['backwards', [...bytes].reverse()],
    ['shuffled', shuffle(bytes, 2)],
  ] as const) {
    const dir = folder(t);
    writeBlocksFolder(dir, [GENESIS_BYTES, ...order], { perFile: 30, xorKey: Buffer.from('0102030405060708', 'hex') });
    const paths = Array.from({ length: 5 }, (_, i) => join(dir, `blk0000${i}.dat`));
    for (const orphanBytes of [128 << 20, 1_000, 0]) {
      const fixture = await openFixture({ orphanBytes });
      const reports: ImportProgress[] = [];
      t.equal(
        await fixture.chain.commands.loadBlockFiles(paths, (progress) => reports.push(progress)),
        130,
        `${what}, ${orphanBytes} bytes`,
      );
      t.equal(fixture.chain.view.tip.hashHex, tip.hashHex);
      const last = reports.at(-1)!;
      t.match(last, { blocks: 130, height: 130, secondsLeft: 0 });
      t.equal(last.bytes, last.totalBytes);
      t.equal(await fixture.chain.commands.loadBlockFiles(paths), 0, 'nothing twice');
      await fixture.end();
    }
  }
});

t.test('imports lines of hex in reverse order by reading them from the beginning again', async (t) => {
  const path = join(folder(t), 'blocks.hex');
  writeFileSync(
    path,
    [...bytes]
      .reverse()
      .slice(0, 130)
      .map((block) => block.toString('hex'))
      .join('\n'),
  );
  const fixture = await openFixture({ orphanBytes: bytes[0]!.length * 20 });
  t.teardown(() => fixture.end());
  t.equal(await fixture.chain.commands.loadBlockFiles([path]), 130);
  t.equal(fixture.chain.view.tip.hashHex, tip.hashHex);
});

t.test('skips unrelated and damaged blocks of a file, and imports the good ones later', async (t) => {
  const other = buildChain(buildBlock(GENESIS, { tag: 77 }), 20).map((block) => block.bytes);
  for (const [what, at, count] of [
    // A byte of the coinbase's input. The transactions do not match the header, so the header and all blocks after it
    // stay unknown.
    ['a transaction', 100, 60],
    // A byte of the coinbase's witness. The header is valid, and the blocks after it wait in the tree.
    ['the witness', bytes[60]!.length - 6, 129],
  ] as const) {
    const dir = folder(t);
    const broken = Buffer.from(bytes[60]!);
    broken[at]! ^= 1;
    writeBlocksFolder(dir, [...other, ...bytes.slice(0, 60), broken, ...bytes.slice(61)]);
    const fixture = await openFixture({ orphanBytes: 0 });
    t.equal(await fixture.chain.commands.loadBlockFiles([join(dir, 'blk00000.dat')]), count, what);
    t.equal(fixture.chain.view.tip.height, 60);
    writeBlocksFolder(dir, bytes.slice(60));
    t.equal(await fixture.chain.commands.loadBlockFiles([join(dir, 'blk00000.dat')]), 130 - count, 'the whole ones');
    t.equal(fixture.chain.view.tip.hashHex, tip.hashHex);
    await fixture.end();
  }
});

t.test('rebuilds the index from files with damaged blocks, and forgets those when it connects them', async (t) => {
  const broken = (height: number, at: number): Buffer => {
    const copy = Buffer.from(bytes[height - 1]!);
    copy[at]! ^= 1;
    return copy;
  };
  const dir = folder(t);
  const records = bytes.slice();
  // A byte of a transaction, with a whole copy behind it; a byte of the parent's hash; a byte of the witness.
  records[29] = broken(30, 100);
  records[69] = broken(70, 10);
  records[99] = broken(100, bytes[99]!.length - 6);
  writeBlocksFolder(dir, [GENESIS_BYTES, ...records, bytes[29]!]);
  // The length of block 120 is wrong, so no other record begins at its end.
  const path = join(dir, 'blk00000.dat');
  const file = readFileSync(path);
  const at = file.indexOf(bytes[119]!) - 4;
  file.writeUInt32LE(bytes[119]!.length + 50, at);
  writeFileSync(path, file);
  const fixture = await openFixture({ dir, connectAtOpen: -1 });
  t.teardown(() => fixture.end());
  const { commands, view } = fixture.chain;
  t.equal(await commands.adoptStored(), 69, 'the blocks below the unknown header');
  await commands.connectStored();
  t.equal(view.tip.height, 69);
  await commands.submitBlock(new Uint8Array(bytes[69]!));
  await commands.adoptStored();
  await commands.connectStored();
  t.equal(view.tip.height, 99, 'the damaged witness');
  t.equal(view.node(blocks[99]!.hashHex)!.hasData, false);
  await commands.submitBlock(new Uint8Array(bytes[99]!));
  await commands.connectStored();
  t.equal(view.tip.height, 120);
  t.equal(view.node(blocks[120]!.hashHex), undefined, 'its record begins inside the one with a wrong length');
  t.equal(view.node(blocks[121]!.hashHex), undefined, 'and its children wait');
  for (const block of bytes.slice(120)) await commands.submitBlock(new Uint8Array(block));
  t.equal(view.tip.hashHex, tip.hashHex);
  t.equal(await commands.verifyChain(4, 0), true);
});

/** A store that rejects writes after some of them, as if the process had crashed. */
class DyingStore extends MemoryStore {
  left = Number.POSITIVE_INFINITY;
  override async batch(ops: readonly BatchOp[]): Promise<void> {
    if (this.left <= 0) throw new Error('dead');
    this.left--;
    return super.batch(ops);
  }
}

t.test('rebuilds the chain from block files after a crash at any write', async (t) => {
  const calm = await openFixture();
  t.teardown(() => calm.end());
  for (const block of blocks) await calm.chain.commands.submitBlock(new Uint8Array(block.bytes));
  const expected = await coinsOf(calm);
  let finished = 0;
  for (let life = 1; finished < 3 && life < 200; life += 3) {
    const dir = folder(t);
    writeBlocksFolder(dir, [GENESIS_BYTES, ...shuffle(bytes, life)], { perFile: 50 });
    const store = new DyingStore();
    let deaths = 0;
    for (;;) {
      store.left = deaths === 0 ? life : Number.POSITIVE_INFINITY;
      const options = { store, dir, connectAtOpen: -1, maxTipAge: IN_DOWNLOAD, flushBytes: 5_000 };
      const fixture = await openFixture(options).catch(() => null);
      try {
        if (fixture === null) throw new Error('dead at open');
        await fixture.chain.commands.adoptStored();
        await fixture.chain.commands.connectStored();
        t.equal(fixture.chain.view.tip.hashHex, tip.hashHex, `${life} writes`);
        t.equal(fixture.chain.view.storedAhead, 0);
        t.same(await coinsOf(fixture), expected);
        t.equal(await fixture.chain.commands.verifyChain(4, 0), true);
        if (deaths === 0) finished++;
        await fixture.chain.close();
        break;
      } catch (error) {
        deaths++;
        if (deaths > 1) throw error;
        await fixture?.chain.close().catch(() => {});
      }
    }
  }
  t.equal(finished, 3, 'the last lives were long enough');
});
