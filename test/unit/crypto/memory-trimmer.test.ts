// Memory that the C library keeps for later returns to the system.

import t from 'tap';
import { koffi } from '../../../src/crypto/native/koffi.js';
import { createMemoryTrimmer, returnLargeBlocks } from '../../../src/crypto/native/memory-trimmer.js';

const PIECE = 65_536;
const PIECES = 1_000;

const giveBack = createMemoryTrimmer();

t.test(
  'returns free pages between used blocks to the system',
  { skip: giveBack === null && 'this C library has no malloc_trim' },
  async (t) => {
    const library = koffi().load(null);
    const malloc = library.func('malloc', 'size_t', ['size_t']);
    const free = library.func('free', 'void', ['size_t']);
    const memset = library.func('memset', 'size_t', ['size_t', 'int', 'size_t']);
    const pieces = Array.from({ length: PIECES }, () => Number(malloc(PIECE)));
    for (const piece of pieces) memset(piece, 1, PIECE);
    // The last one stays, or free would give back what lies before it by itself.
    const last = pieces.pop();
    for (const piece of pieces) free(piece);
    const before = process.memoryUsage.rss();
    await giveBack!();
    const returned = before - process.memoryUsage.rss();
    t.ok(returned > (PIECE * PIECES) / 2, `${returned} bytes were given back`);
    free(last);
  },
);

t.test(
  'returns large blocks when they are freed, or keeps them',
  { skip: giveBack === null && 'this C library has no mallopt' },
  async (t) => {
    const library = koffi().load(null);
    const malloc = library.func('malloc', 'size_t', ['size_t']);
    const free = library.func('free', 'void', ['size_t']);
    const memset = library.func('memset', 'size_t', ['size_t', 'int', 'size_t']);
    const large = 4 << 20;
    const returned = (): number => {
      const blocks = Array.from({ length: 20 }, () => ({ block: Number(malloc(large)), next: Number(malloc(3 * PIECE)) }));
      for (const { block } of blocks) memset(block, 1, large);
      const before = process.memoryUsage.rss();
      // In an arena, the smaller blocks between them keep the memory resident.
      for (const { block } of blocks) free(block);
      const freed = before - process.memoryUsage.rss();
      for (const { next } of blocks) free(next);
      return freed;
    };
    t.teardown(() => returnLargeBlocks(false));
    returnLargeBlocks(true);
    t.ok(returned() > 10 * large);
    returnLargeBlocks(false);
    t.ok(returned() < 10 * large);
  },
);
