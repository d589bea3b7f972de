// Tests the events of the node that a wallet applies one by one: other work runs between them, every reply includes the
// events that came before its call, and a crash between two events loses nothing.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { COMPATS } from '../../../src/policy/compat.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import { Parameters } from '../../../src/rpc/declare/parameters.js';
import type { CallInfo, Run } from '../../../src/rpc/dispatch.js';
import { holding } from '../../../src/rpc/wallet/select.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import type { JsonValue } from '../../../src/rpc/wire/values.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { openStore } from '../../../src/storage/open-store.js';
import type { StoreEntry } from '../../../src/storage/store.js';
import { TX_STATE } from '../../../src/wallet/coins/tx-table.js';
import { catchUp, rollBack } from '../../../src/wallet/follow/catch-up.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { encryptWallet } from '../../../src/wallet/manage/encrypt-wallet.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import { type BlockFacts, MempoolTx, type NodeClient, type NodeEvent } from '../../../src/wallet/node-client.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../../../src/wallet/storage/layout.js';
import { unpackRow } from '../../../src/wallet/storage/rows.js';
import { databaseOf, newDatabaseOf } from '../../../src/wallet/storage/wallet-folder.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { clientOf, connected, disconnected, TestBlock } from '../../framework/chain-client.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { hex } from '../../framework/hex.js';
import { createMemoryWallet, crypto, type MemoryWallet } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { turnsDuring } from '../../framework/turns.js';
import { until } from '../../framework/until.js';
import { managerIn, PLAIN_WALLET } from '../../framework/wallet-manager.js';

const VALUE = 1000;
const PLAIN_BYTES = 32;
const call: CallInfo = { user: '', path: '/' };
const context = descriptorContext('master', 'regtest');
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let nonce = 0;
const fresh = (): Uint8Array => crypto.sha256(new Uint8Array(new Uint32Array([++nonce, 77]).buffer));
/** Builds a transaction whose inputs are not outputs of the wallet. */
function payment(scripts: readonly Uint8Array[], inputs = 1): TxView {
  const ins = Array.from({ length: inputs }, () => ({
    prevHash: fresh(),
    prevIndex: 0,
    scriptSig: new Uint8Array(0),
    sequence: 0xffffffff,
  }));
  const outputs = scripts.map((script) => ({ script, value: VALUE }));
  return parseTx(buildTx({ version: 2, inputs: ins, outputs, locktime: 0 }), crypto);
}
const many = (count: number, script: Uint8Array): TxView[] => Array.from({ length: count }, () => payment([script]));

/** Every block of the test, including blocks that are no longer in the chain. */
const known = new Map<string, TestBlock>();

class Block extends TestBlock {
  constructor(
    prev: BlockFacts,
    readonly txs: readonly TxView[],
  ) {
    super(fresh(), prev as TestBlock, prev.height + 1, 1_600_000_000);
    known.set(this.hashHex, this);
  }
}
function join(wallet: Wallet, txs: readonly TxView[], prev = wallet.tip!): Block {
  const node = new Block(prev, txs);
  wallet.events.push(connected(node, txs));
  return node;
}
const leave = (wallet: Wallet, node: Block): void => wallet.events.push(disconnected(node, node.txs));

/** Calls a method of a wallet and returns the result as the node would. */
async function ask(wallet: Wallet, method: string, ...params: JsonValue[]): Promise<unknown> {
  const ctx = {
    compat: COMPATS['0.21.1'],
    wallets: { selectWallet: () => wallet },
    client: clientOf({ tip: wallet.tip! }),
    descriptors: context,
    params: context.params,
    crypto,
    clock: { nowSeconds: () => 1_600_000_000 },
  } as unknown as WalletContext;
  return JSON.parse(encodeJson(await runMethod(method, ctx, params, call)));
}

t.test('applies many blocks one by one and yields to other work in between', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const script = await address('bech32');
  const base = wallet.tip!.height;
  let tip = wallet.tip!;
  for (let i = 0; i < 100; i++) tip = join(wallet, many(2, script), tip);
  const seen = new Set<number>();
  let torn = 0;
  const turns = await turnsDuring(
    async () => wallet.events.applyPending(),
    undefined,
    () => {
      const { size } = wallet.ledger.txs;
      seen.add(size);
      if (size !== 2 * (wallet.tip!.height - base)) torn++;
      return true;
    },
  );
  t.ok(turns > 5 && seen.size > 5, `${turns} turns`);
  t.equal(torn, 0, 'no call sees a part of a block');
  t.equal(wallet.tip, tip);
  t.equal(wallet.ledger.txs.size, 200);
  await wallet.close();
});

t.test('applies a block with few payments at once', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const node = join(wallet, many(10, await address('bech32')));
  t.equal(wallet.events.applyPending(), undefined);
  t.equal(wallet.tip, node);
  t.equal(wallet.ledger.txs.size, 10);
  await wallet.close();
});

t.test('applies the contents of the mempool in several slices', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const script = await address('bech32');
  const [gone, stays, ...fresh] = many(300, script);
  for (const tx of [gone!, stays!]) wallet.events.push({ kind: 'entered', tx });
  await wallet.events.applyPending();
  wallet.events.push({ kind: 'pool', txs: [stays!, ...fresh].map(({ txid, bytes }) => new MempoolTx(txid, bytes, crypto)) });
  const sizes = new Set<number>();
  await turnsDuring(
    async () => wallet.events.applyPending(),
    undefined,
    () => Boolean(sizes.add(wallet.ledger.txs.size)),
  );
  t.ok(sizes.size > 3);
  const { txs } = wallet.ledger;
  const inPool = (tx: TxView): boolean => txs.inMempool(txs.find(tx.txid));
  t.notOk(inPool(gone!));
  t.ok([stays!, ...fresh].every(inPool));
  await wallet.close();
});

t.test('a call sees all blocks that came before it, and each later one as a whole or not at all', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const script = await address('bech32');
  const sum = async (): Promise<number> => ((await ask(wallet, 'getbalance')) as number) * 1e8;
  join(wallet, many(1000, script));
  t.equal(Math.round(await sum()), 1000 * VALUE, 'a call knows the block that was there before');
  const before = (await ask(wallet, 'listtransactions', '*' as JsonValue)) as { txid: string }[];
  t.equal(before.length, 10);

  // The replies to calls that come after a block include all of the block.
  const node = join(wallet, many(1000, script));
  const answers = Array.from({ length: 5 }, sum);
  const lists = Array.from({ length: 3 }, () => ask(wallet, 'listunspent'));
  t.same([...new Set((await Promise.all(answers)).map(Math.round))], [2000 * VALUE]);
  for (const list of await Promise.all(lists)) t.equal((list as unknown[]).length, 2000);

  // The reply to a call that is already running when the block arrives includes all of the block or nothing.
  const long = ask(wallet, 'listsinceblock');
  await turn();
  const next = join(wallet, many(1000, script));
  const whole = (await long) as { transactions: unknown[]; lastblock: string };
  t.ok(
    [`2000 ${node.hashHex}`, `3000 ${next.hashHex}`].includes(`${whole.transactions.length} ${whole.lastblock}`),
    'none or all of the next',
  );
  await wallet.close();
});

t.test('answers calls while events arrive faster than the wallet applies them', async (t) => {
  const store = new MemoryStore();
  const { wallet, address } = await createMemoryWallet({ store });
  const script = await address('bech32');
  const asked = 150;
  const answers: Promise<unknown>[] = [];
  const size: Run<WalletContext> = () => wallet.ledger.txs.size;
  const ctx = { compat: COMPATS['0.21.1'], wallets: { selectWallet: () => wallet }, client: { sync() {} } } as unknown as WalletContext;
  let tip = wallet.tip!;
  let answeredEarly = 0;
  /** A block and a call come. */
  const arrive = (): void => {
    if (answers.length === asked) return;
    const blocks = answers.length + 1;
    tip = join(wallet, many(1, script), tip);
    const answer = Promise.resolve(holding(size, 'wallet')(new Parameters([]), ctx, call)).then((known) => {
      if (answers.length < asked) answeredEarly++;
      t.ok((known as number) >= blocks, 'knows of everything that came before it');
    });
    answers.push(answer);
  };
  // The next block comes before the wallet has written the one before, so that it always has one to apply.
  const write = store.batch.bind(store);
  store.batch = async (ops, options) => {
    arrive();
    await write(ops, options);
  };
  arrive();
  await until('all blocks have come', () => answers.length === asked);
  await Promise.all(answers);
  t.ok(answeredEarly > asked / 2, `${answeredEarly} of ${asked}`);
  await wallet.events.applyPending();
  t.equal(wallet.tip, tip);
  await wallet.close();
});

t.test('each wallet applies a block in its own event-loop tick, without waiting for a call', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-follow-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const { wallet: some, surroundings } = await createMemoryWallet();
  let tell: (event: NodeEvent) => void = () => {};
  const listen: NodeClient['listen'] = async (listener) => {
    tell = listener;
    return () => {};
  };
  const manager = managerIn({ dir, surroundings, tip: some.tip!, deps: { client: clientOf({ tip: some.tip! }, {}, { listen }) } });
  const wallets: Wallet[] = [];
  for (const name of ['a', 'b', 'c', 'd']) wallets.push((await manager.createWallet({ ...PLAIN_WALLET, name })).wallet);
  const scripts = wallets.map(({ legacy }) => keyHashProgram([...legacy!.pool.entries()][0]!.id));
  const txs = scripts.flatMap((script) => many(20, script));
  const node = new Block(some.tip!, txs);
  tell(connected(node, txs));
  t.ok(
    wallets.every(({ tip }) => tip !== node),
    'no wallet applies the block in the tick that delivers it',
  );
  const done: number[] = [];
  while (done.at(-1) !== wallets.length) {
    await turn();
    done.push(wallets.filter(({ tip }) => tip === node).length);
  }
  t.same([...new Set(done)].filter(Boolean), [1, 2, 3, 4]);
  for (const { ledger } of wallets) t.equal(ledger.txs.size, 20);
  await manager.close();
  await some.close();
});

t.test('stores all pending events before a wallet is closed', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-follow-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const store = await openStore({ path: databaseOf(folder) });
  const made = await createMemoryWallet({ folder, store });
  const { wallet } = made;
  await begin(wallet);
  const node = join(wallet, many(1000, await made.address('bech32')));
  await wallet.close();
  const loaded = await loadWallet(made.surroundings, { name: 'w', folder }, await openStore({ path: databaseOf(folder) }));
  t.equal(loaded.wallet.ledger.txs.size, 1000);
  t.same(loaded.locator.subarray(0, 32), node.hash);
  await loaded.wallet.close();
});

t.test('applies a block that arrives during encryption afterwards, with encrypted keys only', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-follow-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const store = await openStore({ path: databaseOf(folder) });
  const { wallet } = await createMemoryWallet({ folder, store });
  // Payments to the pool's last keys make the wallet derive more of them.
  const pooled = wallet.legacy!.pool.entries().filter((entry) => !entry.internal);
  const encrypted = encryptWallet(wallet, Buffer.from('correct horse'), context);
  while (!fs.existsSync(newDatabaseOf(folder))) await turn();
  const node = join(
    wallet,
    pooled.map(({ id }) => payment([keyHashProgram(id)])),
  );
  const followed = wallet.events.applyPending()!.then(() => wallet.access.isExclusive);
  for (let i = 0; i < 5; i++) await turn();
  t.not(wallet.tip, node, 'the block waits for the end of encryption');
  await encrypted;
  t.equal(await followed, false);
  t.equal(wallet.tip, node);
  await wallet.storage.queueWrite(async () => {});
  t.equal(wallet.ledger.txs.size, pooled.length);
  let keys = 0;
  for await (const [, value] of wallet.storage.store.iterate({
    gte: Uint8Array.of(WALLET_PREFIX.key),
    lt: Uint8Array.of(WALLET_PREFIX.key + 1),
  })) {
    const secret = unpackRow(value)[2];
    if (!(secret instanceof Uint8Array)) continue;
    keys++;
    if (secret.length === PLAIN_BYTES) t.fail('a private key is plain');
  }
  t.ok(keys > 10);
  await wallet.close();
});

/** Writes the rows without which a wallet cannot be loaded. */
async function begin(wallet: Wallet): Promise<void> {
  await wallet.change((batch) => {
    batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
    wallet.record.write(batch);
    wallet.position.writeLocator(batch);
  });
}

/** Returns every state that the database has during `work`, including the first one. */
async function statesDuring(store: MemoryStore, work: () => Promise<unknown>): Promise<StoreEntry[][]> {
  const rowsOf = async (): Promise<StoreEntry[]> => {
    const rows: StoreEntry[] = [];
    for await (const row of store.iterate()) rows.push(row);
    return rows;
  };
  const states = [await rowsOf()];
  const write = store.batch.bind(store);
  store.batch = async (ops, options) => {
    await write(ops, options);
    states.push(await rowsOf());
  };
  await work();
  return states;
}
/** Makes a chain that ends with this tip. @param read called with the height of every block that is read */
function chainOf(tip: BlockFacts, read: (height: number) => void = () => {}): NodeClient {
  const nodes = new Map<string, TestBlock>();
  for (let at = tip as TestBlock | null; at; at = at.prev) nodes.set(at.hashHex, at);
  // The blocks below the first block contain nothing for the wallet, so blocks without content stand for them.
  const base = [...nodes.values()].find(({ prev }) => prev === null)!;
  return clientOf({
    tip,
    node: (hash) => nodes.get(Buffer.from(hash).reverse().toString('hex')) ?? known.get(Buffer.from(hash).reverse().toString('hex')),
    atHeight: (height) =>
      height < base.height ? new TestBlock(base.hash, null, height, base.time) : [...nodes.values()].find((node) => node.height === height),
    contains: (node) => nodes.has(node.hashHex),
    readBlock: async (node) => {
      read(node.height);
      return { txs: (node as Block).txs };
    },
  });
}
/** Loads a wallet from rows and brings it to a tip. */
async function reload(made: MemoryWallet, rows: readonly StoreEntry[], tip: BlockFacts): Promise<{ wallet: Wallet; store: MemoryStore }> {
  const store = new MemoryStore();
  await store.batch(rows.map(([key, value]) => ({ type: 'put', key, value })));
  const { wallet, locator } = await loadWallet(made.surroundings, { name: 'w', folder: '' }, store);
  const client = chainOf(tip);
  await rollBack(wallet, locator, client);
  await catchUp(wallet, { client }, () => false);
  return { wallet, store };
}
/** Returns the content of a wallet as text. */
function knowledge({ ledger }: Wallet): string[] {
  const { txs, coins, spends } = ledger;
  const lines: string[] = [];
  for (const row of txs.rows()) {
    lines.push(
      `tx ${hex(txs.txid(row))} ${txs.state(row)} ${txs.height(row)} ${txs.position(row)} ${hex(txs.blockHash(row))} ${txs.spendsOurs(row)}`,
    );
    for (const coin of coins.ofTx(row)) {
      const spenders = spends.spenders(coins.outpoint(coin)).map((spender) => hex(txs.txid(spender)));
      lines.push(`coin ${hex(coins.outpoint(coin))} ${coins.bucket(coin)} ${spenders.sort()}`);
    }
  }
  return lines.sort();
}

t.test('reads only the new branch when the chain is reorganised while a wallet catches up', async (t) => {
  const { wallet, address } = await createMemoryWallet();
  const script = await address('bech32');
  const base = wallet.tip!;
  const branch = (from: BlockFacts, count: number): Block[] => {
    const made: Block[] = [];
    for (let i = 0; i < count; i++) made.push(new Block(made.at(-1) ?? from, [payment([script])]));
    return made;
  };
  const common = branch(base, 5);
  const old = branch(common[4]!, 3);
  const fresh = branch(common[4]!, 4);
  const follow = async (tip: Block): Promise<number[]> => {
    const read: number[] = [];
    t.ok(await catchUp(wallet, { client: chainOf(tip, (height) => read.push(height)) }, () => false));
    return read;
  };
  t.same(await follow(old[2]!), [1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008]);
  t.same(await follow(fresh[3]!), [1006, 1007, 1008, 1009]);
  const { txs } = wallet.ledger;
  for (const { txs: of, height } of [...common, ...fresh]) t.equal(txs.height(txs.find(of[0]!.txid)), height);
  for (const { txs: of } of old) t.equal(txs.state(txs.find(of[0]!.txid)), TX_STATE.UNCONFIRMED);
});

t.test('catches up after a crash between two blocks, also after a reorganisation', async (t) => {
  const store = new MemoryStore();
  const made = await createMemoryWallet({ store });
  const { wallet } = made;
  const script = await made.address('bech32');
  await begin(wallet);
  const source = payment(Array.from({ length: 70 }, () => script));
  const spender = parseTx(
    buildTx({
      version: 2,
      inputs: Array.from({ length: 70 }, (_, i) => ({ prevHash: source.txid, prevIndex: i, scriptSig: new Uint8Array(0), sequence: 1 })),
      outputs: [{ script, value: VALUE }],
      locktime: 0,
    }),
    crypto,
  );
  const wide = payment([script], 60);
  const first = wallet.tip!;
  const written = async (): Promise<void> => {
    await wallet.events.applyPending();
    await wallet.storage.queueWrite(async () => {});
  };
  let one: Block | undefined;
  let two: Block | undefined;
  let node: Block | undefined;
  const states = await statesDuring(store, async () => {
    one = join(wallet, [...many(20, script), source, wide], first);
    await written();
    two = join(wallet, [...many(30, script), spender], one);
    await written();
  });
  t.equal(states.length, 3, 'a batch for each block');
  const want = knowledge(wallet);
  for (const rows of states) {
    const again = await reload(made, rows, two!);
    t.same(knowledge(again.wallet), want, 'knows what it would know otherwise');
    // The rows written after loading must contain the same.
    await again.wallet.storage.queueWrite(async () => {});
    const saved: StoreEntry[] = [];
    for await (const row of again.store.iterate()) saved.push(row);
    t.same(knowledge((await reload(made, saved, two!)).wallet), want, 'for good');
    // Now another block replaces the second one. Transactions of the replaced block must count as unconfirmed.
    const { wallet: turned } = await reload(made, rows, new Block(one!, []));
    const { txs, spends } = turned.ledger;
    for (const row of txs.rows()) if (txs.height(row) > one!.height) t.fail('a record names the block that was cut off');
    const row = txs.find(spender.txid);
    if (row < 0) continue;
    t.equal(txs.state(row), TX_STATE.UNCONFIRMED);
    for (let i = 0; i < spender.inputCount; i++) if (!spends.spenders(spender.outpoint(i)).includes(row)) t.fail(`input ${i} is forgotten`);
  }

  // Both blocks are disconnected and others are connected.
  const replaced = await statesDuring(store, async () => {
    leave(wallet, two!);
    await written();
    leave(wallet, one!);
    await written();
    node = join(wallet, [source, ...many(20, script)], first);
    await written();
  });
  t.equal(replaced.length, 4);
  for (const rows of replaced) {
    // Load each state with the old chain, which has both blocks. Nothing of them may be missing.
    const { wallet: back } = await reload(made, rows, two!);
    const confirmed = knowledge(back).filter((line) => line.startsWith('tx ') && line.includes(` ${TX_STATE.CONFIRMED} `));
    t.equal(confirmed.length, want.filter((line) => line.startsWith('tx ')).length, 'all of both blocks');
    const { wallet: gone } = await reload(made, rows, node!);
    const { txs } = gone.ledger;
    t.equal(txs.state(txs.find(source.txid)), TX_STATE.CONFIRMED);
    t.equal(txs.state(txs.find(wide.txid)), TX_STATE.UNCONFIRMED, 'both blocks of the new branch');
  }
});
