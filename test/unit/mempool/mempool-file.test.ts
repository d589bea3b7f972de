// Tests mempool.dat: the file has Core's bytes, and loading it restores the mempool.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { hashToHex } from '../../../src/consensus/bytes/hex.js';
import { DecodeError } from '../../../src/consensus/bytes/reader.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { Mempool } from '../../../src/mempool/mempool.js';
import { decodePool, encodePool, plainPool, type SavedPart } from '../../../src/mempool/persist/mempool-file.js';
import { PoolFiles } from '../../../src/mempool/persist/pool-files.js';
import { restorePool } from '../../../src/mempool/persist/restore.js';
import { hex } from '../../framework/hex.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const script = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const pay = (outpoint: Uint8Array, value: number): TxView => spend(crypto, [outpoint], [{ value, script }]);
const never = new AbortController().signal;

async function savedFile(pool: Mempool): Promise<Buffer> {
  const saved = await pool.saved();
  const file = Buffer.concat([...encodePool(saved)]);
  saved.release();
  return file;
}

const figures = async (pool: Mempool): Promise<object[]> =>
  Array.from(await pool.snapshot(), ({ time, modifiedFee, ancestorCount, unbroadcast }) => ({
    time,
    modifiedFee,
    ancestorCount,
    unbroadcast,
  }));

t.test('writes and reads the bytes of Core’s format, versions 1 and 2', async (t) => {
  const tx = pay(new Uint8Array(36).fill(3), 7);
  const file = Buffer.concat([
    ...encodePool({
      count: 1,
      txs: [{ bytes: tx.bytes, time: 1_600_000_000, delta: -2 }],
      deltas: [[new Uint8Array(32).fill(9), 5]],
      unbroadcast: [tx.txid],
    }),
  ]);
  const u64 = (n: bigint): string => {
    const out = Buffer.alloc(8);
    out.writeBigInt64LE(n);
    return out.toString('hex');
  };
  t.equal(
    file.toString('hex'),
    `${u64(1n)}${u64(1n)}${hex(tx.bytes)}${u64(1_600_000_000n)}${u64(-2n)}01${'09'.repeat(32)}${u64(5n)}01${hex(tx.txid)}`,
  );
  const parts = [...decodePool(file, crypto)];
  t.same(
    parts.map(({ kind }) => kind),
    ['count', 'tx', 'delta', 'unbroadcast'],
  );
  // Files from before 0.21 end after the prioritisations.
  t.equal([...decodePool(file.subarray(0, file.length - 33), crypto)].length, 3);
  for (let length = 0; length < file.length; length++) {
    if (length !== file.length - 33) t.throws(() => [...decodePool(file.subarray(0, length), crypto)], DecodeError, `cut at ${length}`);
  }
  const other = Buffer.from(file);
  other[0] = 2;
  t.throws(() => [...decodePool(other, crypto)], DecodeError);

  // Version 2: the same bytes, combined with a key by XOR, where the offset in the file selects the byte of the key.
  const key = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  const keyed = Buffer.concat([other.subarray(0, 8), Buffer.of(8), key, file.subarray(8)]);
  for (let at = 17; at < keyed.length; at++) keyed[at] ^= key[at % 8];
  t.equal(Buffer.from(await plainPool(new Uint8Array(keyed))).toString('hex'), file.toString('hex'));
  t.equal(await plainPool(file), file, 'version 1 is as it is');
  const short = Buffer.concat([other.subarray(0, 8), Buffer.of(7), key, file.subarray(8)]);
  for (const broken of [short, keyed.subarray(0, 12), Buffer.alloc(3)]) {
    await t.rejects(plainPool(new Uint8Array(broken)), DecodeError);
  }
});

t.test('reads a file back that was written in many pieces', async (t) => {
  const txs = Array.from({ length: 5_000 }, (_, i) => ({ bytes: pay(new Uint8Array(36).fill(i), i).bytes, time: i, delta: 0 }));
  const pieces = [...encodePool({ count: txs.length, txs, deltas: [], unbroadcast: [] })];
  t.ok(pieces.length > 1);
  const parts = [...decodePool(Buffer.concat(pieces), crypto)];
  t.equal(parts.filter(({ kind }) => kind === 'tx').length, 5_000);
});

t.test('restores transactions with their times, prioritisations and unbroadcast marks', async (t) => {
  const { pool, chain, clock } = createPool({ policy: NO_POLICY, expirySeconds: 1_000 });
  const parent = pay(chain.fund(50_000), 40_000);
  const child = pay(outpointOf(parent, 0), 30_000);
  const other = pay(chain.fund(50_000), 45_000);
  await pool.accept(parent);
  clock.seconds += 10;
  await pool.accept(child);
  await pool.accept(other);
  pool.prioritise(child.txid, 700);
  const absent = new Uint8Array(32).fill(1);
  pool.prioritise(absent, -5);
  pool.addUnbroadcast(other.txid);
  const file = await savedFile(pool);

  const second = createPool({ policy: NO_POLICY, expirySeconds: 1_000 });
  for (const [key, coin] of chain.coinMap) second.chain.coinMap.set(key, coin);
  second.clock.seconds = clock.seconds + 100;
  const options = { nowSeconds: second.clock.seconds, expirySeconds: 1_000, stopping: never };
  t.same(await restorePool(second.pool, decodePool(file, crypto), options), { restored: 3, failed: 0, expired: 0, alreadyThere: 0 });
  t.same(await figures(second.pool), await figures(pool));
  t.equal(second.pool.feeDelta(absent), -5);
  t.same(await savedFile(second.pool), file, 'saved again it is the same file');
  t.same(await restorePool(second.pool, decodePool(file, crypto), options), { restored: 0, failed: 0, expired: 0, alreadyThere: 3 });

  // Importing a file of another program: everything except the transactions may be ignored.
  const third = createPool({ policy: NO_POLICY, expirySeconds: 1_000 });
  for (const [key, coin] of chain.coinMap) third.chain.coinMap.set(key, coin);
  third.clock.seconds = clock.seconds + 5_000;
  const bare = { ...options, nowSeconds: third.clock.seconds, currentTime: true, feeDeltas: false, unbroadcast: false };
  t.same(await restorePool(third.pool, decodePool(file, crypto), bare), { restored: 3, failed: 0, expired: 0, alreadyThere: 0 });
  t.same([third.pool.feeDelta(absent), third.pool.feeDelta(child.txid)], [0, 0]);
  const all = (await figures(third.pool)) as { time: number; unbroadcast: boolean }[];
  t.ok(all.every(({ time, unbroadcast }) => time === third.clock.seconds && !unbroadcast));
});

t.test('skips expired and unspendable transactions, and ends on a truncated file or a stop', async (t) => {
  const { pool, chain, clock } = createPool({ policy: NO_POLICY });
  const old = pay(chain.fund(50_000), 40_000);
  const lost = pay(new Uint8Array(36).fill(3), 7);
  const good = pay(chain.fund(50_000), 40_000);
  const now = clock.seconds;
  const parts: SavedPart[] = [
    { kind: 'tx', tx: old, time: now - 500, delta: 3 },
    { kind: 'tx', tx: lost, time: now, delta: 0 },
    { kind: 'tx', tx: good, time: now - 499, delta: 0 },
  ];
  const options = { nowSeconds: now, expirySeconds: 500, stopping: never };
  t.same(await restorePool(pool, parts, options), { restored: 1, failed: 1, expired: 1, alreadyThere: 0 });
  t.equal(pool.feeDelta(old.txid), 3, 'the prioritisation outlives it, as in Core');
  // A file may contain a number that cannot be represented exactly.
  const beyond = new Uint8Array(32).fill(2);
  await restorePool(pool, [{ kind: 'delta', txid: beyond, delta: 2 ** 63 }], options);
  t.equal(pool.feeDelta(beyond), 2 ** 52);
  pool.prioritise(beyond, -7);
  t.equal(pool.feeDelta(beyond), 4_503_599_627_370_489);
  const stopped = new AbortController();
  stopped.abort();
  const more: SavedPart[] = [{ kind: 'tx', tx: pay(chain.fund(50_000), 1), time: now, delta: 0 }];
  t.equal((await restorePool(pool, more, { ...options, stopping: stopped.signal })).restored, 0);
});

t.test('saves the mempool as it was when saving began', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const txs = Array.from({ length: 3 }, () => pay(chain.fund(50_000), 40_000));
  for (const tx of txs) await pool.accept(tx);
  pool.prioritise(txs[2].txid, 7);
  const saving = pool.saved();
  chain.connect([txs[0], txs[2]]);
  const late = pay(chain.fund(50_000), 39_000);
  await pool.accept(late);
  pool.prioritise(txs[1].txid, 9);
  const saved = await saving;
  const parts = [...decodePool(Buffer.concat([...encodePool(saved)]), crypto)];
  saved.release();
  const found = parts.flatMap((part) => (part.kind === 'tx' ? [[hashToHex(part.tx.txid), part.delta]] : []));
  t.same(found.sort(), [txs[0], txs[1], txs[2]].map((tx) => [hashToHex(tx.txid), tx === txs[2] ? 7 : 0]).sort());
});

t.test('saves transactions that return from a disconnected block before those that spend them', async (t) => {
  const { pool, chain, clock } = createPool({ policy: NO_POLICY });
  const first = pay(chain.fund(50_000), 49_000);
  const second = pay(outpointOf(first, 0), 48_000);
  const third = pay(outpointOf(second, 0), 47_000);
  chain.connect([first]);
  chain.connect([second]);
  await pool.accept(third);
  const absent = new Uint8Array(32).fill(1);
  pool.prioritise(absent, -5);
  chain.reorg(2, [[], []]);
  pool.prioritise(second.txid, 700);
  clock.seconds += 100;
  t.ok(pool.returning);
  t.notOk(pool.has(first.txid));
  const saving = pool.saved();
  await pool.settled();
  const saved = await saving;
  const file = Buffer.concat([...encodePool(saved)]);
  saved.release();
  const parts = [...decodePool(file, crypto)];
  t.match(parts[0], { kind: 'count', count: 3 });
  const found = parts.flatMap((part) => (part.kind === 'tx' ? [[hashToHex(part.tx.txid), part.delta]] : []));
  t.same(found, [
    [hashToHex(first.txid), 0],
    [hashToHex(second.txid), 700],
    [hashToHex(third.txid), 0],
  ]);
  t.same(
    parts.filter(({ kind }) => kind === 'delta'),
    [{ kind: 'delta', txid: absent, delta: -5 }],
  );

  const other = createPool({ policy: NO_POLICY });
  for (const [key, coin] of chain.coinMap) other.chain.coinMap.set(key, coin);
  const options = { nowSeconds: clock.seconds, expirySeconds: 1_000, stopping: never };
  t.same(await restorePool(other.pool, parts, options), { restored: 3, failed: 0, expired: 0, alreadyThere: 0 });
  t.equal(other.pool.feeDelta(second.txid), 700);
});

t.test('saves transactions that are returning from a disconnected block when the node stops', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'adit-pool-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const { pool, chain, clock } = createPool({ policy: NO_POLICY });
  const tx = pay(chain.fund(50_000), 49_000);
  chain.connect([tx]);
  pool.loaded = true;
  chain.reorg(1, [[]]);
  t.ok(pool.returning);
  await new PoolFiles({ dir, hashes: crypto, clock, log: silentLogger }).close(pool, true);
  const [count] = decodePool(readFileSync(join(dir, 'mempool.dat')), crypto);
  t.match(count, { kind: 'count', count: 1 });
});
