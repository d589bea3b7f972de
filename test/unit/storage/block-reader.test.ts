// Blocks read by a thread that knows only their places.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { BlockFiles } from '../../../src/storage/block-files.js';
import { BlockReader } from '../../../src/storage/block-reader.js';
import { hex } from '../../framework/hex.js';

const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda);
const hashes = createPureHashes();
const block = (length: number, seed: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7 + seed) & 0xff);
const hashOf = (bytes: Uint8Array): Uint8Array => hashes.sha256d(bytes.subarray(0, 80));

for (const key of [null, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)]) {
  t.test(`reads whole blocks and parts of them ${key ? 'with' : 'without'} an XOR key`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'adit-reader-'));
    t.teardown(() => rmSync(dir, { recursive: true, force: true }));
    if (key) writeFileSync(join(dir, 'xor.dat'), key);
    const reader = new BlockReader(dir, MAGIC, hashes);
    const files = await BlockFiles.open({ dir, magic: MAGIC, lastKnown: null }, { hashes });
    const blocks = [block(300, 1), block(80, 2), block(200, 3)];
    const places = await files.appendBlocks(blocks);
    for (const [i, bytes] of blocks.entries()) {
      t.equal(hex((await reader.read(places[i], hashOf(bytes), null))!), hex(bytes));
    }
    const [place] = places;
    const hash = hashOf(blocks[0]);
    const part = (offset: number, size: number) => reader.read(place, hash, { offset, size });
    t.equal(hex((await part(20, 100))!), hex(blocks[0].subarray(20, 120)));
    t.equal(hex((await part(299, 1))!), hex(blocks[0].subarray(299)));
    for (const [offset, size] of [
      [0, 0],
      [0, 301],
      [300, 1],
      [2 ** 64, 2 ** 64],
    ] as const)
      t.equal(await part(offset, size), null);

    // A block that was appended since is there too.
    const [later] = await files.appendBlocks([block(500, 9)]);
    t.equal((await reader.read(later, hashOf(block(500, 9)), null))?.length, 500);

    await t.rejects(reader.read(places[1], hash, null), { code: 'STORE_CORRUPTION' }, 'another block lies there');
    await t.rejects(reader.read({ file: 0, pos: place.pos + 1 }, hash, null), { code: 'STORE_CORRUPTION' });
    await t.rejects(reader.read({ file: 0, pos: 1e6 }, hash, null), { code: 'STORE_NOT_FOUND' });
    // No handle is kept: a file that went away is missed at once.
    renameSync(join(dir, 'blk00000.dat'), join(dir, 'away'));
    await t.rejects(reader.read(place, hash, null), { code: 'STORE_NOT_FOUND' });
    await files.close();
  });
}
