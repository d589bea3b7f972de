// Damaged block files: nothing may crash, hang, allocate beyond its input, or fail with anything but a StoreError.
// FUZZ_CASES and FUZZ_SEED change the number and the start.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createPureHashes } from '../../src/crypto/pure.js';
import { BlockFiles } from '../../src/storage/block-files.js';
import { scanBlocks } from '../../src/storage/scan-blocks.js';
import { StoreError } from '../../src/storage/store-error.js';
import { Dice } from './long/dice.js';

const FILE_CASES = Math.max(50, Math.floor(Number(process.env.FUZZ_CASES ?? 100_000) / 400));
const dice = new Dice(Number(process.env.FUZZ_SEED ?? 20_260_801));
const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda);
const hashes = createPureHashes();

/** Makes a file of records and damages it. */
function damagedFile(trailer: number): Uint8Array {
  const parts: number[] = [];
  for (let n = dice.below(6); n >= 0; n--) {
    const payload = dice.bytes(80 + dice.below(400));
    parts.push(...MAGIC, payload.length & 255, payload.length >> 8, 0, 0, ...payload, ...dice.bytes(trailer));
  }
  const bytes = Uint8Array.from(parts);
  return dice.oneIn(4) ? bytes : dice.mutate(bytes);
}

t.test('parses random block files without an exception', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'adit-fuzz-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  let blocks = 0;
  let opened = 0;
  for (let i = 0; i < FILE_CASES; i++) {
    const dir = mkdtempSync(join(root, 'case-'));
    const path = join(dir, 'blk00000.dat');
    const bytes = damagedFile(0);
    writeFileSync(path, bytes);
    writeFileSync(join(dir, 'rev00000.dat'), damagedFile(32));
    let end = 0;
    for await (const block of scanBlocks(path, { magic: MAGIC })) {
      if (block.pos < end || block.pos + block.bytes.length > bytes.length) t.fail('blocks lie in the file and do not overlap');
      end = block.pos + block.bytes.length;
      blocks++;
    }
    const known = dice.below(3) === 0 ? { file: 0, pos: dice.below(bytes.length + 20) } : dice.below(2) === 0 ? { file: 0, pos: 8 } : null;
    let files: BlockFiles;
    try {
      files = await BlockFiles.open({ dir, magic: MAGIC, lastKnown: known }, { hashes });
    } catch (error) {
      const refusal = error instanceof StoreError && error.code === 'STORE_CORRUPTION';
      // Without a block that the index contains, a file may be refused only because its first file has no complete
      // record.
      if (!refusal || (known === null && !error.message.includes('holds no blocks of this network'))) t.fail(`open: ${String(error)}`);
      continue;
    }
    opened++;
    // Whatever the file contained, a block written now can be read.
    const block = dice.bytes(100);
    const at = await files.appendBlock(block);
    if (!Buffer.from(await files.readBlock(at)).equals(block)) t.fail('the new block is not what was written');
    const undoPos = (await files.appendUndo(0, [{ undo: block, prevHash: hashes.sha256d(block) }]))[0];
    if (!Buffer.from(await files.readUndo({ file: 0, pos: undoPos }, hashes.sha256d(block))).equals(block))
      t.fail('the new undo data is not what was written');
    for (let n = 0; n < 4; n++) {
      const pos = { file: dice.below(2), pos: dice.below(bytes.length + 50) };
      const code = (error: unknown) => (error instanceof StoreError ? error.code : String(error));
      const outcomes = [
        await files.readBlock(pos).then((read) => (read.length <= files.sizeOnDisk ? 'read' : 'too long'), code),
        await files.readUndo(pos, block.subarray(0, 32)).then(() => 'read', code),
      ];
      for (const outcome of outcomes) if (!['read', 'STORE_CORRUPTION', 'STORE_NOT_FOUND'].includes(outcome)) t.fail(`read: ${outcome}`);
    }
    await files.close();
    rmSync(dir, { recursive: true });
  }
  t.ok(blocks > FILE_CASES && opened > FILE_CASES / 3, `${FILE_CASES} files, ${opened} opened, ${blocks} blocks found`);
});
