// Tests a chain that starts from the coins of a snapshot: requirements for the file, the tip that is set at once, the
// validation of the history below it, limits for both meanwhile, and crashes at every write.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { SnapshotFile } from '../../../src/chain/snapshot/snapshot-file.js';
import { hashToHex } from '../../../src/consensus/bytes/hex.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { COIN_SETS_KEY, FIRST_COINS, SECOND_COINS } from '../../../src/storage/layout.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions, StoreEntry } from '../../../src/storage/store.js';
import { StoreError } from '../../../src/storage/store-error.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, type Fixture, type FixtureOptions, IN_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';
import { reachings } from '../../framework/depth.js';
import { until } from '../../framework/until.js';

const BASE_HEIGHT = 110;
const trunk = buildChain(GENESIS, 104);
const pay = (i: number) => {
  const coin = reward(trunk[i]!);
  return spend([coin], [{ value: coin.value, script: ANYONE }]);
};
/** Blocks 1 to 120, some of which spend coins of earlier ones. */
const chain120 = [...trunk];
for (let i = 0; i < 16; i++) chain120.push(buildBlock(chain120.at(-1)!, i % 3 === 0 ? { txs: [pay(i / 3)] } : {}));
const base = chain120[BASE_HEIGHT - 1]!;
const upTo = (height: number): BuiltBlock[] => chain120.slice(0, height);

const folder = mkdtempSync(join(tmpdir(), 'adit-snapshot-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'coins.dat');

/** Parameters that contain the snapshot. At first they are the network's own, which differ in nothing else. */
let params = chainParams('regtest');
/** Coins at the tip of a node without a snapshot. */
let straightCoins: Map<string, string>;
let content: Buffer;

t.before(async () => {
  const straight = await openFixture();
  for (const block of upTo(BASE_HEIGHT)) await straight.chain.commands.submitBlock(block.bytes);
  const dumped = await straight.chain.coins.dumpCoins(file, '28');
  const { readFileSync } = await import('node:fs');
  content = readFileSync(file);
  const coinsHash = hashToHex(dumped!.hash!);
  params = {
    ...params,
    assumedCoins: [{ height: BASE_HEIGHT, blockHash: base.hashHex, coinsHash, chainTxCount: dumped!.tip.chainTxCount }],
  };
  for (const block of chain120.slice(BASE_HEIGHT)) await straight.chain.commands.submitBlock(block.bytes);
  straightCoins = await coinsOf(straight);
  await straight.end();
});

const open = (options: FixtureOptions = {}): Promise<Fixture> => openFixture({ ...options, deps: { params, ...options.deps } });

/** Makes a chain that has blocks up to one height and headers up to another. */
async function begun(height: number, headers = 120, options: FixtureOptions = {}): Promise<Fixture> {
  const fixture = await open(options);
  for (const block of upTo(height)) await fixture.chain.commands.submitBlock(block.bytes);
  await fixture.chain.commands.submitHeaders(upTo(headers).map(({ header }) => header));
  return fixture;
}

async function load({ chain }: Fixture, path = file, poolSize = 0): Promise<void> {
  const opened = await SnapshotFile.open(path);
  try {
    await chain.commands.loadSnapshot(opened, await opened.head(params), () => poolSize);
  } finally {
    await opened.close();
  }
}

/** Returns the coins of one set in the form of a node without snapshots. */
async function coinsOfSet({ store }: Fixture, set: typeof FIRST_COINS): Promise<Map<string, string>> {
  const coins = new Map<string, string>();
  for await (const [key, value] of store.iterate(set.coins)) {
    coins.set(`43${Buffer.from(key.subarray(1)).toString('hex')}`, Buffer.from(value).toString('hex'));
  }
  return coins;
}

const settled = async ({ chain }: Fixture): Promise<void> => {
  await until('the history ended', () => chain.view.history === null);
  await chain.commands.settled();
};

t.test('moves the tip to the snapshot at once, and validates the history below it', async (t) => {
  const fixture = await begun(50);
  const { chain, store } = fixture;
  const tips: [number, number][] = [];
  chain.events.tip.add((tip, { connected }) => tips.push([tip.height, connected.length]));
  await load(fixture);
  t.same(tips, [[110, 0]]);
  t.equal(chain.view.tip.hashHex, base.hashHex);
  t.equal(chain.view.history!.tip.height, 50);
  t.equal(chain.view.validTip.height, 50);
  t.same(chain.view.snapshot, { base: chain.view.tip, validated: false });
  t.equal(chain.view.tip.chainTxCount, params.assumedCoins[0]!.chainTxCount);
  t.equal(await chain.commands.verifyStored(4, 0), null, 'no further than there are blocks');
  for (const block of chain120.slice(110, 115)) t.equal((await chain.commands.submitBlock(block.bytes)).kind, 'accepted');
  t.equal(chain.view.tip.height, 115);
  t.equal(chain.view.tip.chainTxCount, 115 + 1 + 4, 'counted from what the parameters say');
  // The blocks arrive out of order; the snapshot's own block comes first.
  for (const block of [...chain120.slice(50, 110)].reverse()) await chain.commands.submitBlock(block.bytes);
  await settled(fixture);
  t.same(chain.view.snapshot, { base: chain.view.node(base.hash), validated: true });
  t.equal(chain.view.validTip, chain.view.tip);
  for (const block of chain120.slice(115)) await chain.commands.submitBlock(block.bytes);
  await chain.commands.flush();
  t.same(await coinsOfSet(fixture, SECOND_COINS), straightCoins);
  t.equal((await coinsOfSet(fixture, FIRST_COINS)).size, 0, 'the other set is deleted');
  t.equal(await chain.commands.verifyStored(4, 0), null);
  await chain.close();
  const again = await open({ store, dir: fixture.dir });
  t.equal(again.chain.view.tip.height, 120);
  t.equal(again.chain.view.snapshot, null);
  t.equal(again.chain.view.tip.chainTxCount, 120 + 1 + 6);
  // A second snapshot could use the free set of coins, but this one has no more work than the chain.
  await t.rejects(load(again), { message: 'Work does not exceed active chainstate.' });
  t.same(await coinsOfSet(again, SECOND_COINS), straightCoins);
  await again.end();
});

t.test('continues both the tip and the history after a restart', async (t) => {
  const fixture = await begun(50);
  await load(fixture);
  for (const block of chain120.slice(110, 115)) await fixture.chain.commands.submitBlock(block.bytes);
  for (const block of chain120.slice(50, 70)) await fixture.chain.commands.submitBlock(block.bytes);
  await fixture.chain.close();
  const { store, dir } = fixture;
  const again = await open({ store, dir });
  t.equal(again.chain.view.tip.height, 115);
  t.equal(again.chain.view.history!.tip.height, 70);
  await t.rejects(load(again), { message: "Can't activate a snapshot-based chainstate more than once" });
  for (const block of [...chain120.slice(70, 110), ...chain120.slice(115)]) await again.chain.commands.submitBlock(block.bytes);
  await settled(again);
  await again.chain.commands.flush();
  t.same(await coinsOfSet(again, SECOND_COINS), straightCoins);
  await again.end();
});

t.test('validates the history at the next start when the last run stopped at the base', async (t) => {
  const stopping = new AbortController();
  const fixture = await begun(50, 120, { deps: { stopping: stopping.signal } });
  await load(fixture);
  for (const block of chain120.slice(50, 109)) await fixture.chain.commands.submitBlock(block.bytes);
  await until('the history moved', () => fixture.chain.view.history!.tip.height === 109);
  stopping.abort();
  await fixture.chain.commands.submitBlock(base.bytes);
  await fixture.chain.close();
  const again = await open({ store: fixture.store, dir: fixture.dir });
  await settled(again);
  t.same(again.chain.view.snapshot!.validated, true);
  await again.end();
});

t.test('loads a snapshot while the tip is on another branch in the initial block download', async (t) => {
  const fixture = await begun(50, 50, { maxTipAge: IN_DOWNLOAD });
  const { chain } = fixture;
  const beside = buildChain(chain120[49]!, 20, { tag: 9 });
  for (const block of beside) await chain.commands.submitBlock(block.bytes);
  await chain.commands.submitHeaders(chain120.map(({ header }) => header));
  await load(fixture);
  t.equal(chain.view.history!.tip.height, 70);
  t.equal(chain.view.history!.from.height, 50);
  t.ok(chain.view.history!.wants(chain.view.node(chain120[50]!.hash)!));
  t.notOk(chain.view.history!.wants(chain.view.node(beside[0]!.hash)!));
  t.notOk(chain.view.history!.wants(chain.view.node(chain120[49]!.hash)!));
  for (const block of chain120.slice(50)) t.ok((await chain.commands.submitBlock(block.bytes)).isNew);
  await settled(fixture);
  await until('the history moved', () => chain.view.tip.height === 120);
  await chain.commands.flush();
  t.same(await coinsOfSet(fixture, SECOND_COINS), straightCoins);
  await fixture.end();
});

t.test('rejects invalid snapshot files, and leaves the chain unchanged', async (t) => {
  const fixture = await begun(50);
  const { chain } = fixture;
  const bad = join(folder, 'bad.dat');
  const refused = async (bytes: Uint8Array, message: string) => {
    writeFileSync(bad, bytes);
    await t.rejects(load(fixture, bad), { message });
    t.equal(chain.view.tip.height, 50);
    t.equal(chain.view.history, null);
    t.equal((await coinsOfSet(fixture, SECOND_COINS)).size, 0);
    t.equal(await fixture.store.get(COIN_SETS_KEY), undefined);
  };
  const put = (at: number, bytes: readonly number[]): Buffer => {
    const copy = Buffer.from(content);
    copy.set(bytes, at);
    return copy;
  };
  const coins = Number(content.readBigUInt64LE(43));
  const count = (n: number): Buffer => {
    const copy = Buffer.from(content);
    copy.writeBigUInt64LE(BigInt(n), 43);
    return copy;
  };
  const END = 'AutoFile::read: end of file: unspecified iostream_category error';
  for (const length of [0, 4, 6, 10, 50]) await refused(content.subarray(0, length), END);
  await refused(
    put(0, [0]),
    'Invalid UTXO set snapshot magic bytes. Please check if this is indeed a snapshot file or if you are using an outdated snapshot format.',
  );
  await refused(put(5, [3, 0]), 'Version of snapshot 3 does not match any of the supported versions.');
  await refused(put(7, [0xf9, 0xbe, 0xb4, 0xd9]), 'The network of the snapshot (main) does not match the network of this node (regtest).');
  await refused(
    put(7, [0, 0, 0, 0]),
    'This snapshot has been created for an unrecognized network. This could be a custom signet, a new testnet or possibly caused by data corruption.',
  );
  await refused(
    put(11, [...chain120[108]!.hash]),
    `assumeutxo block hash in snapshot metadata not recognized (hash: ${chain120[108]!.hashHex}). The following snapshot heights are available: 110`,
  );
  await refused(content.subarray(0, 51), 'Bad snapshot format or truncated snapshot after deserializing 0 coins');
  await refused(
    content.subarray(0, content.length - 1),
    `Bad snapshot format or truncated snapshot after deserializing ${coins - 1} coins`,
  );
  await refused(count(coins + 1), `Bad snapshot format or truncated snapshot after deserializing ${coins} coins`);
  await refused(count(coins - 1), `Bad snapshot - coins left over after deserializing ${coins - 1} coins`);
  await refused(Buffer.concat([content, Buffer.of(0)]), `Bad snapshot - coins left over after deserializing ${coins} coins`);
  await refused(put(51 + 32, [0xfd, 0xff, 0xff]), 'Mismatch in coins count in snapshot metadata and actual snapshot data');
  await refused(put(51 + 34, [0x84, 0x58]), 'Bad snapshot data after deserializing 0 coins');
  // Every single bit of the parameters' hash matters.
  const { coinsHash } = params.assumedCoins[0]!;
  for (const at of [51, 51 + 33, 51 + 34, content.length - 1]) {
    writeFileSync(bad, put(at, [content[at]! ^ 1]));
    await t.rejects(load(fixture, bad), new RegExp(`^Bad snapshot content hash: expected ${coinsHash}, got [0-9a-f]{64}$`));
  }
  await fixture.end();
});

t.test('rejects a snapshot without its header, with a non-empty mempool, or with too little work', async (t) => {
  const without = await begun(50, 50);
  await t.rejects(load(without), {
    message: `The base block header (${base.hashHex}) must appear in the headers chain. Make sure all headers are syncing, and call loadtxoutset again`,
  });
  await without.chain.commands.submitHeaders(chain120.map(({ header }) => header));
  await t.rejects(load(without, file, 1), { message: "Can't activate a snapshot when mempool not empty" });
  const rival = buildChain(chain120[60]!, 70, { tag: 8 });
  await without.chain.commands.submitHeaders(rival.map(({ header }) => header));
  await t.rejects(load(without), {
    message:
      'A forked headers-chain with more work than the chain with the snapshot base block header exists. Please proceed to sync without AssumeUtxo.',
  });
  await without.end();
  const there = await begun(110);
  await t.rejects(load(there), { message: 'Work does not exceed active chainstate.' });
  await there.chain.commands.invalidateBlock(there.chain.view.node(base.hash)!);
  await t.rejects(load(there), { message: `The base block header (${base.hashHex}) is part of an invalid chain` });
  await there.end();
});

t.test('does not switch to a branch below the snapshot before its history is validated', async (t) => {
  const fixture = await begun(50);
  const { chain } = fixture;
  await load(fixture);
  const rival = buildChain(chain120[59]!, 70, { tag: 7 });
  for (const block of [...chain120.slice(50, 60), ...rival]) await chain.commands.submitBlock(block.bytes);
  t.equal(chain.view.tip.height, 110);
  await chain.commands.invalidateBlock(chain.view.node(chain120[54]!.hash)!);
  t.equal(chain.view.tip.height, 110, 'blocks below the snapshot cannot be disconnected');
  for (const block of chain120.slice(60, 110)) await chain.commands.submitBlock(block.bytes);
  await settled(fixture);
  t.equal(chain.view.tip.hashHex, rival.at(-1)!.hashHex, 'and then like any other');
  t.equal(fixture.faults.length, 0);
  await fixture.end();
});

t.test('stops when the history contradicts the snapshot, and discards the snapshot at the next start', async (t) => {
  const straight = await openFixture();
  for (const block of upTo(BASE_HEIGHT - 1)) await straight.chain.commands.submitBlock(block.bytes);
  // The coins of the previous block are presented as those of the snapshot's block, as if the parameters had been
  // changed too.
  const wrong = join(folder, 'wrong.dat');
  const dumped = await straight.chain.coins.dumpCoins(wrong, '28');
  await straight.end();
  const { readFileSync } = await import('node:fs');
  const bytes = readFileSync(wrong);
  bytes.set(base.hash, 11);
  writeFileSync(wrong, bytes);
  const [only] = params.assumedCoins;
  const deceived = { ...params, assumedCoins: [{ ...only!, coinsHash: hashToHex(dumped!.hash!) }] };
  const fixture = await begun(50, 120, { deps: { params: deceived } });
  const { chain, store, dir, faults } = fixture;
  await load(fixture, wrong);
  t.equal(chain.view.tip.height, 110);
  for (const block of chain120.slice(50, 110)) await chain.commands.submitBlock(block.bytes);
  await until('the history moved', () => faults.length > 0);
  t.match(faults[0]!.message, /failed to validate the -assumeutxo snapshot state.*from 110 to 110/);
  await chain.close();
  const again = await open({ store, dir });
  t.equal(again.chain.view.snapshot, null);
  for (const block of chain120.slice(110)) await again.chain.commands.submitBlock(block.bytes);
  t.same(await coinsOf(again), straightCoins);
  t.equal((await coinsOfSet(again, SECOND_COINS)).size, 0);
  await again.end();
});

/** A store whose writes fail from the chosen one on. The chosen write may or may not reach the disk. */
class FusedStore extends MemoryStore {
  at = Number.POSITIVE_INFINITY;
  reaches = false;
  writes = 0;
  override batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    return this.#pass(() => super.batch(ops, options));
  }
  override clear(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    return this.#pass(() => super.clear(gte, lt));
  }
  async #pass(write: () => Promise<void>): Promise<void> {
    if (++this.writes < this.at) return write();
    if (this.writes === this.at && this.reaches) await write();
    throw new StoreError('STORE_IO', 'the process died');
  }
}

t.test('continues after a crash at any write', async (t) => {
  const start = await begun(104, 120);
  await start.chain.close();
  const rows: StoreEntry[] = [];
  for await (const row of start.store.iterate()) rows.push(row);
  const last = await dyingAt(t, Number.POSITIVE_INFINITY, false, rows, start.dir);
  for (let at = 1; at <= last; at++) for (const reaches of reachings(at)) await dyingAt(t, at, reaches, rows, start.dir);
  rmSync(start.dir, { recursive: true, force: true });
});

/** @returns the number of writes that were made */
async function dyingAt(t: Test, at: number, reaches: boolean, rows: readonly StoreEntry[], from: string): Promise<number> {
  const store = new FusedStore();
  await store.batch(rows.map(([key, value]) => ({ type: 'put', key, value })));
  const dir = mkdtempSync(join(tmpdir(), 'adit-snapshot-'));
  cpSync(from, dir, { recursive: true });
  const story = async (fixture: Fixture): Promise<void> => {
    const { chain } = fixture;
    if (chain.view.snapshot === null && chain.view.tip.height < BASE_HEIGHT) await load(fixture);
    for (const block of chain120.slice(104)) await chain.commands.submitBlock(block.bytes);
    await until('the history moved', () => chain.view.history === null || chain.fault !== null);
    await chain.commands.settled();
    if (chain.fault !== null) throw chain.fault;
  };
  const counted = store.writes;
  store.at = counted + at;
  store.reaches = reaches;
  const options = { store, dir, flushChunkEntries: 40 };
  const first = await open(options).catch(() => null);
  if (first !== null) {
    await story(first).catch(() => undefined);
    await first.chain.close().catch(() => undefined);
  }
  const writes = store.writes - counted;
  store.at = Number.POSITIVE_INFINITY;
  const again = await open(options);
  await story(again);
  await again.chain.commands.flush();
  const name = `write ${at}, ${reaches ? 'reached' : 'lost'}`;
  t.equal(again.chain.view.tip.height, 120, name);
  const used = (await coinsOfSet(again, SECOND_COINS)).size > 0 ? SECOND_COINS : FIRST_COINS;
  t.same(await coinsOfSet(again, used), straightCoins, name);
  t.equal((await coinsOfSet(again, used === FIRST_COINS ? SECOND_COINS : FIRST_COINS)).size, 0, `${name}: one set`);
  t.equal(await again.chain.commands.verifyStored(4, 0), null, name);
  await again.end();
  return writes;
}
