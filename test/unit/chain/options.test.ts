// Tests the conversion of -dbbatchsize to a number of coins.
import t from 'tap';
import { batchBounds } from '../../../src/chain/options.js';

t.test('converts -dbbatchsize to numbers of coins per flush', async (t) => {
  t.same(batchBounds(16 << 20), { atomicFlushEntries: 199_729, flushChunkEntries: 4_000 }, 'the default: more than any one block changes');
  t.same(batchBounds(100_000), { atomicFlushEntries: 1_191, flushChunkEntries: 1_191 });
  t.same(batchBounds(1), { atomicFlushEntries: 1, flushChunkEntries: 1 });
});
