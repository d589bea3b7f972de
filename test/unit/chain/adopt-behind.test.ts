// Tests a database that is older than its block files. All blocks that only the files contain are connected, in any
// order and number, and damaged ones are forgotten.
import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Logger } from '../../../src/log/logger.js';
import { silentLogger } from '../../../src/log/logger.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { GENESIS_BYTES, writeBlocksFolder } from '../../framework/blocks-folder.js';
import { buildBlock, buildChain, GENESIS } from '../../framework/chain-builder.js';
import { coinsOf, openFixture } from '../../framework/chain-fixture.js';

const KNOWN = 40;
const blocks = buildChain(GENESIS, 400);
const bytes = blocks.map((block) => block.bytes);
const side = buildChain(buildBlock(blocks[KNOWN - 1]!, { tag: 9 }), 5);

/**
 * Makes a chain of the first blocks, adds these records to its files, and opens it again. Returns the log lines of the
 * opening.
 */
async function reopened(t: Test, records: readonly Buffer[]) {
  const first = await openFixture({ store: new MemoryStore() });
  for (const block of bytes.slice(0, KNOWN)) await first.chain.commands.submitBlock(block);
  await first.chain.close();
  writeBlocksFolder(first.dir, [GENESIS_BYTES, ...bytes.slice(0, KNOWN), ...records]);
  const lines: string[] = [];
  const addLine = (text: string): void => {
    lines.push(text);
  };
  const log: Logger = { ...silentLogger, info: addLine, warn: addLine };
  const store = new MemoryStore();
  const rows: { type: 'put'; key: Uint8Array; value: Uint8Array }[] = [];
  for await (const [key, value] of first.store.iterate({})) rows.push({ type: 'put', key, value });
  await store.batch(rows);
  const fixture = await openFixture({ store, dir: first.dir, log });
  t.teardown(() => fixture.end());
  return { fixture, lines };
}

t.test('connects all blocks that the files hold beyond the database, in any order', async (t) => {
  const behind = bytes.slice(KNOWN);
  const mixed = behind.map((block, i) => ({ block, at: createHash('sha1').update(String(i)).digest('hex') }));
  mixed.sort((a, b) => (a.at < b.at ? -1 : 1));
  for (const [what, records] of [
    ['as they came', behind],
    ['backwards', [...behind].reverse()],
    ['mixed, with some whose parent is nowhere', [...side.map((block) => block.bytes), ...mixed.map(({ block }) => block)]],
  ] as const) {
    const { fixture, lines } = await reopened(t, records);
    t.equal(fixture.chain.view.tip.hashHex, blocks.at(-1)!.hashHex, what);
    t.equal((await coinsOf(fixture)).size, blocks.length);
    t.match(lines.join('\n'), new RegExp(`Added ${records.length - (records.length > 360 ? side.length : 0)} blocks`), what);
  }
});

t.test('forgets a damaged block beyond the database when it connects the block, and keeps those before it', async (t) => {
  // The count of transactions is larger than the number of transactions in the bytes.
  const broken = bytes.map((block, i) => {
    const copy = Buffer.from(block);
    if (i >= 300) copy[80] = 0xfc;
    return copy;
  });
  const { fixture, lines } = await reopened(t, broken.slice(KNOWN, 301));
  t.equal(fixture.chain.view.tip.height, 300);
  t.equal(lines.filter((line) => /Stored block .* cannot be read/.test(line)).length, 1);
  t.equal(fixture.chain.view.node(blocks[300]!.hashHex)!.hasData, false);
  const forks = Array.from({ length: 20 }, (_, i) => {
    const copy = Buffer.from(buildBlock(blocks[KNOWN - 1]!, { tag: 100 + i }).bytes);
    copy[80] = 0xfc;
    return copy;
  });
  const many = await reopened(t, [...forks, ...bytes.slice(KNOWN)]);
  t.equal(many.fixture.chain.view.tip.height, 400);
  t.equal(await many.fixture.chain.commands.verifyChain(4, 0), true);
});
