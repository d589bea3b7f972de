// A block that is put together from a compact block: what it may cost before anything about it is known.
import t from 'tap';
import { parseTx } from '../../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../../src/crypto/native/index.js';
import type { NetContext } from '../../../../src/net/context.js';
import { PartialBlock } from '../../../../src/net/relay/partial-block.js';
import { serializeTx } from '../../../framework/messages.js';

const crypto = createNativeCrypto();
const tx = parseTx(
  serializeTx({
    version: 2,
    ins: [{ txid: Buffer.alloc(32, 1), index: 0, script: Buffer.alloc(0), sequence: 0, witness: [] }],
    outs: [{ value: 1, script: Buffer.alloc(100_000 - 64, 0x51) }],
    locktime: 0,
  }),
  crypto,
);

t.test('more bytes than a block may have are not put together', async (t) => {
  t.equal(tx.totalSize, 100_000);
  let hashed = 0;
  const counting = {
    ...crypto,
    sha256d: (data: Uint8Array) => {
      hashed++;
      return crypto.sha256d(data);
    },
  };
  const context = { crypto: counting, wtxids: { all: () => [] } } as unknown as NetContext;
  const finish = async (count: number): Promise<{ outcome: unknown; hashed: number }> => {
    const prefilled = Array.from({ length: count }, (_, index) => ({ index, tx }));
    const partial = await PartialBlock.begin({ header: new Uint8Array(80), nonce: 0n, shortIds: [], prefilled }, context, []);
    if (!(partial instanceof PartialBlock)) throw new Error(partial);
    hashed = 0;
    return { outcome: partial.finish([], 1, context), hashed };
  };
  const most = await finish(40);
  t.equal(most.outcome, 'mismatch', 'no block: its merkle root is another');
  t.ok(most.hashed > 0, 'which takes hashing to find out');
  t.same(await finish(41), { outcome: 'mismatch', hashed: 0 });
});
