// Tests reading of a coins file from an untrusted source, compared with a simple encoder: every coin of files that need
// more than one read, and for each limit the last allowed value and the first refused one.

import { deepStrictEqual } from 'node:assert';
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { SnapshotFile } from '../../../src/chain/snapshot/snapshot-file.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { hex } from '../../framework/hex.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const folder = mkdtempSync(join(tmpdir(), 'adit-snapshot-file-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'coins.dat');
const params = chainParams('regtest');

interface PlainCoin {
  readonly index: number;
  readonly height: number;
  readonly coinbase: boolean;
  readonly value: number;
  readonly script: Uint8Array;
}
interface PlainTx {
  readonly txid: Uint8Array;
  readonly coins: readonly PlainCoin[];
}

const size = (value: number): Buffer => {
  if (value < 253) return Buffer.of(value);
  if (value < 65_536) return Buffer.of(253, value & 255, value >> 8);
  return Buffer.of(254, value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24);
};
/** Core's VARINT: groups of seven bits, the highest first; each group except the last is reduced by one. */
const varint = (value: bigint | number): Buffer => {
  let left = BigInt(value);
  const groups = [Number(left & 127n)];
  for (left >>= 7n; left > 0n; left >>= 7n) groups.unshift(Number(--left & 127n) + 128);
  return Buffer.from(groups);
};
/** Core's CompressAmount. */
const compressed = (value: number): bigint => {
  if (value === 0) return 0n;
  let left = BigInt(value);
  let zeros = 0n;
  for (; left % 10n === 0n && zeros < 9n; zeros++) left /= 10n;
  return 1n + zeros + 10n * (zeros === 9n ? left - 1n : (left / 10n) * 9n + (left % 10n) - 1n);
};
const coinBytes = ({ index, height, coinbase, value, script }: PlainCoin): Buffer =>
  Buffer.concat([
    size(index),
    varint(height * 2 + (coinbase ? 1 : 0)),
    varint(compressed(value)),
    // A script without a short form: its length plus 6, and its bytes.
    varint(script.length + 6),
    script,
  ]);
const BASE = new Uint8Array(32).map((_, i) => 100 + i);
function fileOf(txs: readonly PlainTx[], count = txs.reduce((sum, { coins }) => sum + coins.length, 0)): Buffer {
  const coins = Buffer.alloc(8);
  coins.writeBigUInt64LE(BigInt(count));
  const head = [Buffer.from('7574786fff0200fabfb5da', 'hex'), BASE, coins];
  return Buffer.concat([...head, ...txs.flatMap((tx) => [tx.txid, size(tx.coins.length), ...tx.coins.map(coinBytes)])]);
}

/** Reads a file to its end, at most `most` coins at a time. */
async function readAll(bytes: Uint8Array, most = 10, baseHeight = 1_000): Promise<{ coins: object[]; slices: number[] }> {
  writeFileSync(path, bytes);
  const file = await SnapshotFile.open(path);
  try {
    const head = await file.head(params);
    deepStrictEqual(head.base, BASE);
    const coins: object[] = [];
    const slices: number[] = [];
    for (;;) {
      const some = await file.next(head, baseHeight, most);
      slices.push(some.length);
      if (some.length === 0) return { coins, slices };
      for (const { outpoint, coin } of some) coins.push({ outpoint: hex(outpoint), ...coin, script: hex(coin.script) });
    }
  } finally {
    await file.close();
  }
}

const received = (txs: readonly PlainTx[]): object[] =>
  txs.flatMap(({ txid, coins }) =>
    coins.map(({ index, height, coinbase, value, script }) => {
      const outpoint = Buffer.alloc(36);
      outpoint.set(txid);
      outpoint.writeUInt32LE(index, 32);
      return { outpoint: hex(outpoint), value, script: hex(script), height, coinbase };
    }),
  );

const coin = (more: Partial<PlainCoin> = {}): PlainCoin => ({
  index: 0,
  height: 5,
  coinbase: false,
  value: 1,
  script: Uint8Array.of(0x51),
  ...more,
});
const tx = (...coins: PlainCoin[]): PlainTx => ({ txid: new Uint8Array(32).fill(coins.length), coins });

t.test('reads every coin of a file that spans several reads', async (t) => {
  const random = pseudoRandom(20261125);
  const below = (n: number): number => Math.floor(random() * n);
  const txs = Array.from(
    { length: 400 },
    (_, n): PlainTx => ({
      txid: new Uint8Array(32).map((_, i) => (n >> (8 * (i & 1))) ^ i),
      coins: Array.from({ length: 1 + below(5) }, (_, i) =>
        coin({
          index: below(2) === 0 ? i : below(70_000) + i,
          height: below(1_001),
          coinbase: n % 3 === 0,
          value: below(2) === 0 ? below(21e14) : below(2_100) * 1e10,
          script: new Uint8Array(below(3) === 0 ? 10_000 : 4_000 + below(6_000)).fill(0x60 + i),
        }),
      ),
    }),
  );
  const bytes = fileOf(txs);
  t.ok(bytes.length > 8 << 20, 'three pieces of 4 MB');
  const wanted = received(txs);
  const { coins, slices } = await readAll(bytes, 100);
  deepStrictEqual(coins, wanted);
  const rest = wanted.length % 100;
  t.same(slices, [...Array.from({ length: Math.floor(wanted.length / 100) }, () => 100), ...(rest === 0 ? [] : [rest]), 0]);
});

t.test('does not read far beyond the requested coins', async (t) => {
  const coins = Array.from({ length: 1_000 }, (_, index) => coin({ index, script: new Uint8Array(10_000).fill(0x51) }));
  writeFileSync(path, fileOf(Array.from({ length: 10 }, (_, i) => tx(...coins.slice(i * 100, i * 100 + 100)))));
  const file = await SnapshotFile.open(path);
  const head = await file.head(params);
  t.equal((await file.next(head, 5, 300)).length, 300);
  // Only 3 MB of 10 have been read, so a byte that is written to the end now is still read.
  const end = openSync(path, 'r+');
  writeSync(end, Uint8Array.of(0x52), 0, 1, fstatSync(end).size - 1);
  closeSync(end);
  const rest = await file.next(head, 5, 1_000);
  t.same([rest.length, rest.at(-1)?.coin.script.at(-1)], [700, 0x52]);
  await file.close();
});

t.test('accepts the last value of each bound, and rejects the next one', async (t) => {
  const taken = async (...txs: PlainTx[]): Promise<void> => {
    t.strictSame((await readAll(fileOf(txs))).coins, received(txs));
  };
  const refused = async (bytes: Uint8Array, message: string): Promise<void> => {
    await t.rejects(readAll(bytes), { name: 'Error', part: 'coins', message });
  };
  await taken(tx(coin({ height: 1_000 }), coin({ height: 1_000, coinbase: true }), coin({ height: 0 })));
  await refused(fileOf([tx(coin(), coin({ height: 1_001 }))]), 'Bad snapshot data after deserializing 1 coins');
  await taken(tx(coin({ value: 21e14 }), coin({ value: 0 })));
  await refused(fileOf([tx(coin({ value: 21e14 + 1 }))]), 'Bad snapshot data after deserializing 0 coins - bad tx out value');
  // Heights have 31 bits. A larger one makes the coin unreadable.
  const tall = Buffer.concat([fileOf([], 1), new Uint8Array(32), Buffer.of(1, 0), varint(2 ** 32), Buffer.of(0, 7, 0x51)]);
  await refused(tall, 'Bad snapshot format or truncated snapshot after deserializing 0 coins');
  // Two of three coins are read, so the second transaction may have one.
  await taken(tx(coin(), coin({ index: 1 })), tx(coin()));
  await refused(
    fileOf([tx(coin(), coin({ index: 1 })), tx(coin(), coin({ index: 1 }))], 3),
    'Mismatch in coins count in snapshot metadata and actual snapshot data',
  );
  t.strictSame((await readAll(fileOf([]))).slices, [0]);
});

t.test('caps a coin count beyond the safe integers', async (t) => {
  for (const [count, coins] of [
    [2n ** 53n - 1n, 2 ** 53 - 1],
    [2n ** 53n, 2 ** 53 - 1],
    [2n ** 64n - 1n, 2 ** 53 - 1],
    [12n, 12],
  ] as const) {
    const bytes = fileOf([]);
    bytes.writeBigUInt64LE(count, 43);
    writeFileSync(path, bytes);
    const file = await SnapshotFile.open(path);
    t.equal((await file.head(params)).coins, coins);
    await file.close();
  }
});
