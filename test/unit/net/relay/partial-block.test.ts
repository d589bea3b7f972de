// Tests blocks that are completed from a compact block: the work that one may cause before anything about it is known.
import t from 'tap';
import { chainParams } from '../../../../src/consensus/params/networks.js';
import { parseTx } from '../../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../../src/crypto/native/index.js';
import { workClock } from '../../../../src/lib/work-clock.js';
import type { NetContext } from '../../../../src/net/context.js';
import { PartialBlock } from '../../../../src/net/relay/partial-block.js';
import { WtxidIndex } from '../../../../src/net/relay/wtxid-index.js';
import { ShortIds } from '../../../../src/net/wire/compact-block.js';
import { merkleRoot, serializeTx } from '../../../framework/messages.js';
import { spend } from '../../../framework/model-chain.js';
import { createPool, NO_POLICY } from '../../../framework/pool-under-test.js';

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

/** Commands that compute ids and merkle roots only when they are requested. */
const commands = { identify: async () => undefined };

t.test('rejects a compact block larger than the block size limit before it hashes anything', async (t) => {
  t.equal(tx.totalSize, 100_000);
  let hashed = 0;
  const counting: typeof crypto = {
    ...crypto,
    sha256dPairs: (from, at, count, to, toAt) => {
      hashed += count;
      crypto.sha256dPairs(from, at, count, to, toAt);
    },
  };
  const context = { commands, crypto: counting, wtxids: { search: () => [] } } as unknown as NetContext;
  const finish = async (count: number): Promise<{ outcome: unknown; hashed: number }> => {
    const prefilled = Array.from({ length: count }, (_, index) => ({ index, tx }));
    const partial = await PartialBlock.fromCompactBlock({ header: new Uint8Array(80), nonce: 0n, shortIds: [], prefilled }, context, []);
    if (!(partial instanceof PartialBlock)) throw new Error(partial);
    hashed = 0;
    const outcome = await partial.finish([], 1, context);
    return { outcome, hashed };
  };
  const most = await finish(40);
  t.equal(most.outcome, 'mismatch', 'no block: its merkle root is another');
  t.ok(most.hashed > 0, 'which takes hashing to find out');
  t.same(await finish(41), { outcome: 'mismatch', hashed: 0 });
});

for (const lacking of [0, 1]) {
  t.test(`keeps ids and fees of mempool transactions in a compact block, ${lacking} requested`, async (t) => {
    const { chain, pool } = createPool({ policy: NO_POLICY });
    const script = new Uint8Array(40).fill(0x51);
    const known = [9_000, 8_000, 7_000].map((value) => spend(crypto, [chain.fund(10_000)], [{ value, script }]));
    for (const tx of known) t.equal((await pool.accept(tx)).reject, null);
    const foreign = spend(crypto, [chain.fund(10_000)], [{ value: 6_000, script }]);
    const coinbase = spend(crypto, [], [{ value: 1, script }]);
    const rest = [known[2]!, ...(lacking === 0 ? [] : [foreign]), known[0]!];
    const header = new Uint8Array(80);
    header.set(merkleRoot([coinbase, ...rest].map(({ txid }) => Buffer.from(txid))), 36);
    const ids = new ShortIds(header, 3n, crypto);
    const shortIds = rest.map(({ wtxid }) => ids.of(wtxid));
    const context = { commands, crypto, params: chainParams('regtest'), wtxids: new WtxidIndex(pool) } as unknown as NetContext;
    const partial = await PartialBlock.fromCompactBlock(
      { header, nonce: 3n, shortIds, prefilled: [{ index: 0, tx: coinbase }] },
      context,
      [],
    );
    if (!(partial instanceof PartialBlock)) throw new Error(partial);
    t.same(partial.missing(), lacking === 0 ? [] : [2]);
    t.equal(partial.sources.mempool, 2);
    // Transactions that were found stay with the block, whatever happens to the mempool meanwhile.
    if (lacking > 0) chain.connect(known);
    const block = await partial.finish(lacking === 0 ? [] : [foreign], 1, context);
    if (typeof block === 'string') throw new Error(block);
    t.same(
      block.txs.map(({ bytes }) => Buffer.from(bytes).toString('hex')),
      [coinbase, ...rest].map(({ bytes }) => Buffer.from(bytes).toString('hex')),
    );
    for (const [i, tx] of [coinbase, ...rest].entries()) {
      t.same([block.txs[i]!.txid, block.txs[i]!.wtxid], [new Uint8Array(tx.txid), new Uint8Array(tx.wtxid)]);
      t.notOk(block.txs[i]!.txid.buffer instanceof SharedArrayBuffer, 'ids of its own');
    }
    t.same(
      block.txs.map(({ facts }) => facts?.fee ?? null),
      lacking === 0 ? [null, 3_000, 1_000] : [null, 3_000, null, 1_000],
    );
  });
}

t.test('stops the mempool search once the block is no longer wanted', async (t) => {
  let ms = 0;
  const { now } = workClock;
  workClock.now = () => ++ms;
  t.teardown(() => {
    workClock.now = now;
  });
  let steps = 0;
  function* search(): Generator<void> {
    for (; steps < 1_000; steps++) yield;
  }
  const context = { crypto, wtxids: { search } } as unknown as NetContext;
  let asked = 0;
  await PartialBlock.fromCompactBlock(
    { header: new Uint8Array(80), nonce: 0n, shortIds: [1], prefilled: [] },
    context,
    [],
    () => ++asked < 3,
  );
  t.equal(asked, 3);
  t.ok(steps < 20, `${steps} steps`);
});
