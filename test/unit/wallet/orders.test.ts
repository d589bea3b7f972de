// Compares the orders and chains of the wallet's tables with lists that are sorted again for every query.

import t from 'tap';
import { type HeaderNode, HeaderSlabs } from '../../../src/chain/tree/header-node.js';
import { firstBlockSince } from '../../../src/rpc/node/first-block-since.js';
import { CoinTable } from '../../../src/wallet/coins/coin-table.js';
import { HeightOrder } from '../../../src/wallet/coins/height-order.js';
import { outpointOf } from '../../../src/wallet/coins/outpoint.js';
import { SpendTable } from '../../../src/wallet/coins/spend-table.js';
import { TxidOrder } from '../../../src/wallet/coins/txid-order.js';
import { ByteTable } from '../../../src/wallet/tables/byte-table.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

function randomSource(seed: number): { below(limit: number): number; bytes(count: number): Uint8Array } {
  const next = pseudoRandom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, bytes: (count) => Uint8Array.from({ length: count }, () => below(256)) };
}

t.test('keeps rows sorted by height through blocks, rescans and reorganisations', async (t) => {
  const random = randomSource(7);
  const order = new HeightOrder();
  const model = new Map<number, [height: number, position: number]>();
  let tip = 0;
  for (let row = 0; row < 3000; row++) {
    const turn = random.below(10);
    if (turn < 6) tip += random.below(2);
    const height = turn === 9 ? random.below(tip + 1) : tip;
    order.add(row, height);
    model.set(row, [height, row % 50]);
    if (turn === 8) {
      // A block is disconnected: remove its transactions, from the first to the last.
      for (const [gone, [at]] of [...model].filter(([, [at]]) => at === tip).sort((a, b) => a[1][1] - b[1][1])) {
        order.remove(gone, at);
        model.delete(gone);
      }
    }
    if (row % 37 !== 0) continue;
    const above = random.below(tip + 2) - 1;
    const want = [...model].filter(([, [at]]) => at > above).sort((a, b) => a[1][0] - b[1][0]);
    const places = (rows: Iterable<number>): string => JSON.stringify([...rows].map((one) => model.get(one)?.[0]));
    const got = order.above(above);
    t.equal(places(got), places(want.map(([one]) => one)), `row ${row}, above ${above}`);
    t.equal(new Set(got).size, want.length);
    const filled = new HeightOrder();
    filled.fillRows(Int32Array.from(model.keys()), (one) => model.get(one)![0]);
    t.same(new Set(filled.above(above)), new Set(got));
  }
});

t.test('keeps rows sorted by txid', async (t) => {
  const random = randomSource(8);
  const ids = new ByteTable();
  const order = new TxidOrder(ids);
  let live: number[] = [];
  const hexOf = (row: number): string => Buffer.from(ids.key(row)).toString('hex');
  for (let i = 0; i < 400; i++) {
    for (let j = random.below(4); j > 0; j--) {
      const row = ids.add(random.bytes(32));
      order.add(row);
      live.push(row);
    }
    if (random.below(9) === 0 && live.length > 0) {
      const gone = live[random.below(live.length)];
      order.remove(gone);
      ids.remove(new Uint8Array(ids.key(gone)));
      live = live.filter((row) => row !== gone);
    }
    const want = live.map(hexOf).sort().join();
    t.equal([...order.rows()].map(hexOf).join(), want, `turn ${i}`);
  }
  t.ok(live.length > 100);
});

t.test('lists the coins of a transaction and of a script', async (t) => {
  const random = randomSource(9);
  const coins = new CoinTable();
  const scripts = Array.from({ length: 12 }, () => random.bytes(22));
  const model = new Map<string, { txRow: number; vout: number; script: Uint8Array; outpoint: Uint8Array }>();
  for (let i = 0; i < 600; i++) {
    const txRow = random.below(80);
    const vout = random.below(400);
    const outpoint = outpointOf(new Uint8Array(32).fill(txRow), vout);
    const key = Buffer.from(outpoint).toString('hex');
    if (model.has(key)) {
      coins.remove(outpoint);
      model.delete(key);
    } else {
      const script = scripts[random.below(scripts.length)];
      coins.add(outpoint, { txRow, vout, value: 1, ownership: 2, script });
      model.set(key, { txRow, vout, script, outpoint });
    }
  }
  for (let txRow = 0; txRow < 90; txRow++) {
    const want = [...model.values()].filter((coin) => coin.txRow === txRow).map((coin) => coin.vout);
    t.same(
      coins.ofTx(txRow).map((coin) => coins.vout(coin)),
      want.sort((a, b) => a - b),
    );
  }
  for (const script of scripts) {
    const want = [...model].filter(([, coin]) => coin.script === script).map(([key]) => key);
    const got = [...coins.ofScript(script)].map((coin) => Buffer.from(coins.outpoint(coin)).toString('hex'));
    t.same(got.sort(), want.sort());
  }
  t.same([...coins.ofScript(random.bytes(22))], []);
});

t.test('reports conflicts only for transactions that share an input', async (t) => {
  const spends = new SpendTable();
  const outpoints = [0, 1, 2].map((vout) => outpointOf(new Uint8Array(32), vout));
  spends.add(outpoints[0], 1);
  spends.add(outpoints[1], 2);
  spends.add(outpoints[0], 1);
  t.same([spends.hasConflicts(1), spends.hasConflicts(2)], [false, false]);
  spends.add(outpoints[0], 3);
  t.same(
    [1, 2, 3].map((row) => spends.hasConflicts(row)),
    [true, false, true],
  );
  t.same(spends.spenders(outpoints[0]).sort(), [1, 3]);
});

t.test('firstBlockSince finds the first block since a time in at most 11 reads', (t) => {
  const random = pseudoRandom(7);
  for (let round = 0; round < 50; round++) {
    const slabs = new HeaderSlabs();
    const nodes: HeaderNode[] = [];
    const times = Array.from({ length: 1 + Math.floor(random() * 300) }, (_, i) => 1_000_000 + i * 600 + Math.floor(random() * 9000));
    for (const time of times) {
      const header = new Uint8Array(80);
      new DataView(header.buffer).setUint32(68, time, true);
      nodes.push(slabs.createNode(nodes.at(-1) ?? null, 1n, header, new Uint8Array(32)));
    }
    let asked = 0;
    const chain = {
      tip: nodes.at(-1)!,
      atHeight: (height: number) => {
        asked++;
        return nodes[height];
      },
    };
    for (const since of [
      0,
      times[0],
      times.at(-1)!,
      Math.max(...times),
      Math.max(...times) + 1,
      1_000_000 + Math.floor(random() * 200_000),
    ]) {
      asked = 0;
      const wanted = times.findIndex((time) => time >= since);
      const found = firstBlockSince(chain, since);
      if ((found?.height ?? -1) !== wanted) t.fail(`${since}: ${found?.height}, not ${wanted}`);
      if (asked > 11) t.fail(`${asked} blocks asked for`);
    }
    t.equal(chain.tip.maxTime, Math.max(...times));
  }
  t.end();
});
