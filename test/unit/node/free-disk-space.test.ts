// The warning of a new node whose disk is too small.
import os from 'node:os';
import t from 'tap';
import { diskSpaceWarning, freeBytes } from '../../../src/node/free-disk-space.js';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const warns = (assumedBlocksGb: number, free: number | undefined, targetBytes?: number): boolean =>
  diskSpaceWarning({ blocksDir: '/blocks', prune: targetBytes === undefined ? null : { targetBytes } }, { assumedBlocksGb }, free) !== null;

t.test('names the folder and the size of the blocks in the warning', async (t) => {
  t.equal(
    diskSpaceWarning({ blocksDir: '/data/blocks', prune: null }, { assumedBlocksGb: 856 }, GIB),
    'Disk space for "/data/blocks" may not accommodate the block files. Approximately 856 GB of data will be stored in this directory.',
  );
});

t.test('warns when less is free than the blocks or the prune target need, plus 50 MiB', async (t) => {
  t.same([warns(10, 10 * GIB + 50 * MIB), warns(10, 10 * GIB + 50 * MIB - 1)], [false, true]);
  t.same([warns(10, 600 * MIB, 550 * MIB), warns(10, 600 * MIB - 1, 550 * MIB)], [false, true]);
  t.equal(warns(10, 9 * GIB, Number.POSITIVE_INFINITY), true, 'pruning by hand may keep everything');
  t.same([warns(0, 50 * MIB), warns(10, undefined)], [false, false]);
});

t.test('returns the free bytes of a folder, and undefined for a missing folder', async (t) => {
  t.ok((freeBytes(os.tmpdir()) ?? 0) > 0);
  t.equal(freeBytes('/nonexistent/folder'), undefined);
});
