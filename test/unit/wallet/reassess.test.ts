// Tests keys and scripts that are added to a wallet which already has transactions that pay them. For every order of
// imports, coins and sums equal those of calling isMine for every output of every transaction. An import reads only
// transactions that pay its scripts. If the process crashes, the check is repeated.

import t from 'tap';
import { encodeExtendedKey } from '../../../src/address/bip32/extended-codec.js';
import { masterFromSeed } from '../../../src/address/bip32/extended-key.js';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { buildMultisig, SCRIPT_ADDRESS_TYPES } from '../../../src/address/multisig.js';
import { scriptHashScript } from '../../../src/consensus/script/build-script.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, Store } from '../../../src/storage/store.js';
import { BUCKET } from '../../../src/wallet/coins/coin-table.js';
import { addForeignOutput, ordersPaying, removeForeignOutput } from '../../../src/wallet/coins/foreign-outputs.js';
import { outpointOf } from '../../../src/wallet/coins/outpoint.js';
import { TX_STATE, type TxPlace, UNCONFIRMED_PLACE } from '../../../src/wallet/coins/tx-table.js';
import { payToKey } from '../../../src/wallet/keys/destination.js';
import { payToKeyHash } from '../../../src/wallet/keys/is-mine.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { OWNERSHIP, type Ownership } from '../../../src/wallet/keys/ownership.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import { generateKeys } from '../../../src/wallet/manage/new-keys.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../../../src/wallet/storage/layout.js';
import { WalletBatch } from '../../../src/wallet/storage/wallet-batch.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { rounds } from '../../framework/depth.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { fc } from '../../framework/fast-check.js';
import { createMemoryWallet, crypto, type MemoryWallet, TIP } from '../../framework/memory-wallet.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { mostInATurn } from '../../framework/turns.js';

const { keys: curve } = descriptorContext('master', 'regtest');
const KEYS = 6;
/** Number of random orders; REASSESS_RUNS raises it. */
const RUNS = Number(process.env.REASSESS_RUNS ?? rounds(3, 25));
/** Random whole numbers from 0 to the limit, without the limit. */
const below = (seed: number): { below(limit: number): number } => {
  const next = pseudoRandom(seed);
  return { below: (limit) => Math.floor(next() * limit) };
};
const REASSESS_KEY = walletKey(WALLET_PREFIX.reassess);

interface TestKey {
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
}
const keys: TestKey[] = Array.from({ length: KEYS }, (_, i) => {
  const secret = crypto.sha256(Uint8Array.of(i, 1, 2, 3));
  return { secret, publicKey: curve.publicKey(secret, i !== KEYS - 1)! };
});
const multisigs = SCRIPT_ADDRESS_TYPES.flatMap((type) =>
  [[0, 1], [2], [1, 3, 4]].map((members) => {
    const made = buildMultisig(
      1,
      members.map((i) => keys[i].publicKey),
      type,
      crypto,
    );
    if ('error' in made) throw new Error(made.error);
    return made;
  }),
);
/** Every output script that any of the imports may make the wallet's own. */
const targets = [
  ...keys.flatMap(({ publicKey }) => {
    const id = crypto.hash160(publicKey);
    const program = keyHashProgram(id);
    return [payToKey(publicKey), payToKeyHash(id), program, scriptHashScript(crypto.hash160(program))];
  }),
  ...multisigs.map(({ outputScript }) => outputScript),
];

type Import = (wallet: Wallet, batch: WalletBatch) => void;
const imports: Import[] = [
  ...keys.flatMap(({ secret, publicKey }): Import[] => [
    (wallet, batch) => wallet.legacy!.importSecret(new Uint8Array(secret), publicKey, 1, batch),
    (wallet, batch) => wallet.legacy!.importPublicKey(publicKey, 1, { add: false, internal: false }, batch),
    (wallet, batch) => void wallet.legacy!.addScript(keyHashProgram(crypto.hash160(publicKey)), 0, batch),
  ]),
  ...multisigs.flatMap(({ script, witnessProgram, outputScript }): Import[] => [
    (wallet, batch) => void wallet.legacy!.addScript(script, 0, batch),
    (wallet, batch) => void (witnessProgram && wallet.legacy!.addScript(witnessProgram, 0, batch)),
    (wallet, batch) => wallet.legacy!.watchScript(outputScript, 1, batch),
    (wallet, batch) => wallet.legacy!.watchScript(script, 1, batch),
  ]),
  ...targets.map(
    (script): Import =>
      (wallet, batch) =>
        wallet.legacy!.watchScript(script, 1, batch),
  ),
];

/**
 * Adds transactions that pay the wallet and also scripts that may become its own. Some outputs of the latter are spent
 * again.
 */
async function fill(
  { wallet, receive, address }: MemoryWallet,
  random: { below(limit: number): number },
  count: number,
): Promise<TxView[]> {
  const own = await address('bech32');
  const txs: TxView[] = [];
  for (let i = 0; i < count; i++) {
    const others = Array.from({ length: 1 + random.below(4) }, () => ({ script: targets[random.below(targets.length)], value: 1000 + i }));
    txs.push(await receive([{ script: own, value: 500 }, ...others], random.below(3) === 0 ? 0 : TIP - random.below(50)));
  }
  for (let i = 0; i < count; i += 5) {
    const input = { prevHash: txs[i].txid, prevIndex: 1, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
    const tx = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script: own, value: 300 }], locktime: 0 }), crypto);
    await wallet.change((batch) => wallet.ledger.syncTransaction(tx, UNCONFIRMED_PLACE, batch));
    txs.push(tx);
  }
  return txs;
}

/** Lists the faults of coins and sums. */
function faultsOf({ ledger, keys: source }: Wallet, txs: readonly TxView[]): string[] {
  const faults: string[] = [];
  const spent = new Set(
    txs.flatMap((tx) => Array.from({ length: tx.inputCount }, (_, i) => Buffer.from(tx.outpoint(i)).toString('latin1'))),
  );
  const sums = new Map<string, number>();
  for (const tx of txs) {
    const row = ledger.txs.find(tx.txid);
    for (let vout = 0; vout < tx.outputCount; vout++) {
      const outpoint = outpointOf(tx.txid, vout);
      const coin = ledger.coins.find(outpoint);
      const ownership = source.isMine(tx.outputScript(vout));
      const known: Ownership = coin < 0 ? OWNERSHIP.NO : ledger.coins.ownership(coin);
      if (known !== ownership) faults.push(`${Buffer.from(tx.outputScript(vout)).toString('hex')} counts as ${known}, is ${ownership}`);
      if (ownership === OWNERSHIP.NO || spent.has(Buffer.from(outpoint).toString('latin1'))) continue;
      const name = `${ledger.depth(row) > 0 ? BUCKET.CONFIRMED : BUCKET.PENDING}/${ownership}`;
      sums.set(name, (sums.get(name) ?? 0) + tx.outputValue(vout));
    }
  }
  for (const bucket of [BUCKET.CONFIRMED, BUCKET.PENDING]) {
    for (const ownership of [OWNERSHIP.SPENDABLE, OWNERSHIP.WATCH]) {
      const wanted = sums.get(`${bucket}/${ownership}`) ?? 0;
      const sum = ledger.coins.sum(bucket, ownership);
      if (sum !== wanted) faults.push(`sum of bucket ${bucket}, ownership ${ownership}: ${sum}, not ${wanted}`);
    }
  }
  return faults;
}

t.test('finds all coins of known transactions for any order of imports', async (t) => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = below(seed);
    const memory = await createMemoryWallet();
    const txs = await fill(memory, random, 60);
    const left = [...imports];
    const faults: string[] = [];
    while (left.length > 0 && faults.length === 0) {
      const [work] = left.splice(random.below(left.length), 1);
      if (random.below(4) === 0) txs.push(...(await fill(memory, random, 3)));
      await memory.wallet.reassessor.change((batch) => work(memory.wallet, batch));
      faults.push(...faultsOf(memory.wallet, txs));
    }
    t.same(faults, [], `seed ${seed}`);
    await memory.wallet.close();
  }
});

t.test('finds coins of known transactions when a descriptor is added', async (t) => {
  const context = descriptorContext('master', 'regtest');
  const memory = await createMemoryWallet({ descriptors: true });
  const { wallet } = memory;
  const own = await memory.address('bech32');
  const combo = addChecksum(`combo(${Buffer.from(keys[0].publicKey).toString('hex')})`);
  const tx = await memory.receive([{ script: own, value: 10 }, ...targets.map((script, i) => ({ script, value: 100 + i }))], TIP);
  const parsed = parseDescriptor(combo, context, { requireChecksum: true });
  if ('error' in parsed) throw new Error(parsed.error);
  const fresh = { descriptor: parsed.descriptors[0], secrets: [], time: 1, rangeStart: 0, rangeEnd: 1, nextIndex: 0 };
  await wallet.reassessor.change((batch) => wallet.descriptors!.addDescriptor(fresh, batch));
  t.same(faultsOf(wallet, [tx]), []);
  t.equal(wallet.ledger.coins.size, 5, 'the four scripts of a key');
  await wallet.close();
});

/** Counts the keys that belong to rows of transactions. */
const transactionsIn = (rows: readonly Uint8Array[]): number => rows.filter(([prefix]) => prefix === WALLET_PREFIX.txBytes).length;

t.test('an import reads only transactions that pay its scripts', async (t) => {
  let reads = 0;
  class Counting extends MemoryStore {
    override getMany(wanted: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
      reads += transactionsIn(wanted);
      return super.getMany(wanted);
    }
  }
  const memory = await createMemoryWallet({ store: new Counting() });
  const { wallet } = memory;
  const own = await memory.address('bech32');
  const ids = keys.map(({ publicKey }) => payToKeyHash(crypto.hash160(publicKey)));
  const txs: TxView[] = [];
  for (let i = 0; i < 300; i++) {
    const other = i < 8 ? ids[0] : Uint8Array.of(0x51, i & 255, i >> 8);
    txs.push(
      await memory.receive(
        [
          { script: own, value: 10 },
          { script: other, value: 20 },
        ],
        TIP,
      ),
    );
  }
  const load = async (key: TestKey): Promise<number> => {
    reads = 0;
    await wallet.reassessor.change((batch) => wallet.legacy!.importSecret(new Uint8Array(key.secret), key.publicKey, 1, batch));
    return reads;
  };
  // Removes a transaction as removeprunedfunds does.
  const [forgotten] = txs.splice(0, 1);
  await wallet.change((batch) => wallet.ledger.removeTransaction(forgotten, batch));
  t.equal(await load(keys[2]), 0, 'a key without payments');
  t.equal(await load(keys[0]), 7, 'a key with payments');
  t.same(faultsOf(wallet, txs), []);
  t.equal(await wallet.storage.store.get(REASSESS_KEY), undefined, 'no check is due');
  reads = 0;
  await wallet.change((batch) => wallet.book.set(ids[3], 'x', 'receive', batch));
  await wallet.reassessor.change(() => {});
  t.equal(reads, 0);
  await wallet.close();

  const empty = await createMemoryWallet({ store: new Counting() });
  reads = 0;
  await empty.wallet.reassessor.change((batch) => empty.wallet.legacy!.watchScript(ids[0], 1, batch));
  t.equal(reads, 0);
  t.equal(await empty.wallet.storage.store.get(REASSESS_KEY), undefined, 'a wallet without transactions needs no check');
  await empty.wallet.close();
});

for (const [what, next] of [
  ['another import', keys[2]],
  ['the same import again', keys[0]],
] as const) {
  t.test(`${what} checks transactions that an earlier import could not read`, async (t) => {
    let failing = false;
    class Failing extends MemoryStore {
      override getMany(wanted: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
        return failing ? Promise.reject(new Error('bad disk')) : super.getMany(wanted);
      }
    }
    const { wallet, address, receive } = await createMemoryWallet({ store: new Failing() });
    const own = await address('bech32');
    const paid = payToKeyHash(crypto.hash160(keys[0].publicKey));
    const load = ({ secret, publicKey }: TestKey): Promise<void> =>
      wallet.reassessor.change((batch) => wallet.legacy!.importSecret(new Uint8Array(secret), publicKey, 1, batch));
    const txs: TxView[] = [];
    for (let i = 0; i < 5; i++) {
      const outputs = [own, paid].map((script) => ({ script, value: 20 }));
      txs.push(await receive(outputs, TIP));
    }
    await load(keys[1]);
    failing = true;
    await t.rejects(load(keys[0]), /bad disk/);
    t.not(faultsOf(wallet, txs).length, 0, 'the payments were not found yet');
    failing = false;
    t.ok(await wallet.storage.store.get(REASSESS_KEY), 'a check is due');
    await load(next);
    t.same(faultsOf(wallet, txs), []);
    t.equal(await wallet.storage.store.get(REASSESS_KEY), undefined, 'no check is due');
    await wallet.close();
  });
}

async function copyOf(store: Store, copy = new MemoryStore()): Promise<MemoryStore> {
  const rows: BatchOp[] = [];
  for await (const [key, value] of store.iterate()) rows.push({ type: 'put', key, value });
  await copy.batch(rows);
  return copy;
}
/** Writes the rows that a database needs to be loaded. */
const writeHead = ({ wallet }: MemoryWallet, schema = WALLET_SCHEMA): Promise<void> =>
  wallet.change((batch) => {
    batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(schema));
    wallet.record.write(batch);
  });
/** Loads a wallet from these rows, without checking its transactions. */
async function load({ surroundings }: MemoryWallet, store: Store): Promise<{ wallet: Wallet; reassessDue: boolean; isIndexed: boolean }> {
  const loaded = await loadWallet(surroundings, { name: 'w', folder: '/nowhere/w' }, store);
  loaded.wallet.ledger.setTip(TIP);
  loaded.wallet.ledger.classifyAllCoins();
  return loaded;
}
async function newAddress(wallet: Wallet): Promise<Uint8Array> {
  const made = await wallet.change((batch) => wallet.keys.newAddress('bech32', false, batch));
  if ('error' in made) throw new Error(made.error);
  return made.script;
}

for (const descriptors of [false, true]) {
  t.test(`finds payments to keys that another copy gave out, ${descriptors ? 'descriptors' : 'key pool'}`, async (t) => {
    let reads = 0;
    class Counting extends MemoryStore {
      override getMany(wanted: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
        reads += transactionsIn(wanted);
        return super.getMany(wanted);
      }
    }
    const first = await createMemoryWallet({ descriptors, wallet: { keypool: 2 } });
    await writeHead(first);
    const { wallet } = await load(first, await copyOf(first.wallet.storage.store, new Counting()));
    const given: Uint8Array[] = [];
    for (let i = 0; i < 12; i++) given.push(await first.address('bech32'));
    const txs: TxView[] = [];
    const tell = async (to: Wallet, tx: TxView): Promise<void> => {
      const { ledger } = first.wallet;
      await to.change((batch) => to.ledger.syncTransaction(tx, ledger.txs.place(ledger.txs.find(tx.txid)), batch));
      txs.push(tx);
    };
    const pay = (...indices: number[]): Promise<TxView> =>
      first.receive(
        indices.map((i) => ({ script: given[i], value: 100 + i })),
        TIP,
      );
    await tell(wallet, await pay(0, 3, 11));
    for (let i = 0; i < 100; i++) await tell(wallet, await pay(0));
    await tell(wallet, await pay(1, 6));
    t.not(faultsOf(wallet, txs).length, 0, 'no transaction is checked while the wallet is loading');
    reads = 0;
    await wallet.reassessor.startReassessing();
    t.same(faultsOf(wallet, txs), [], 'what came while it was loaded');
    t.equal(reads, 1);
    const before = wallet.ledger.coins.size;
    for (let i = 2; i < 12; i++) {
      await newAddress(wallet);
      await wallet.reassessor.whenIdle();
      const faults = faultsOf(wallet, txs);
      if (faults.length > 0) t.same(faults, [], `address ${i}`);
    }
    t.equal(wallet.ledger.coins.size, before + 2, "the new keys' outputs are found");
    // A key's scripts come with the pool, and those of its address once more when it is given out.
    t.equal(reads, descriptors ? 3 : 6, 'and only their transactions were read');
    await tell(wallet, await pay(11));
    await wallet.reassessor.whenIdle();
    await wallet.change(() => {});
    t.equal(await wallet.storage.store.get(REASSESS_KEY), undefined, 'no check is due');

    const { wallet: again } = await load(first, await copyOf(wallet.storage.store, new Counting()));
    await again.reassessor.startReassessing();
    reads = 0;
    await again.change((batch) => generateKeys(again, descriptorContext('master', 'regtest'), batch));
    for (let i = 0; i < 5; i++) await newAddress(again);
    await again.reassessor.whenIdle();
    t.equal(reads, 0, 'keys that were never paid');
    for (const one of [first.wallet, wallet, again]) await one.close();
  });

  t.test(`finds all outputs of a payment to two copies of a wallet, ${descriptors ? 'descriptors' : 'key pool'}`, async (t) => {
    const first = await createMemoryWallet({ descriptors, wallet: { keypool: 2 } });
    await writeHead(first);
    const { wallet } = await load(first, await copyOf(first.wallet.storage.store));
    await wallet.reassessor.startReassessing();
    const given: Uint8Array[] = [];
    for (let i = 0; i < 8; i++) given.push(await first.address('bech32'));
    t.same(await newAddress(wallet), given[0], 'both gave out the first address');
    const { ledger } = first.wallet;
    const txs: TxView[] = [];
    for (let i = 0; i < 5001; i++) txs.push(await first.receive([{ script: given[0], value: 10 }], TIP));
    txs.push(
      await first.receive(
        [given[0], given[7]].map((script) => ({ script, value: 100 })),
        TIP,
      ),
    );
    await wallet.change((batch) => {
      for (const tx of txs) wallet.ledger.syncTransaction(tx, ledger.txs.place(ledger.txs.find(tx.txid)), batch);
    });
    for (let i = 1; i < 8; i++) await newAddress(wallet);
    await wallet.reassessor.whenIdle();
    t.same(faultsOf(wallet, txs), [], 'the address that one copy alone gave out was paid too');
    for (const one of [first.wallet, wallet]) await one.close();
  });
}

t.test('keeps a script while another descriptor still gives it when a range is shortened', async (t) => {
  const context = descriptorContext('master', 'regtest');
  const memory = await createMemoryWallet({ descriptors: true });
  const { wallet } = memory;
  await writeHead(memory);
  const xpub = encodeExtendedKey(masterFromSeed(new Uint8Array(32).fill(5), context)!.key, context.params, context);
  const add = async (form: string, rangeEnd: number, to = wallet): Promise<void> => {
    const parsed = parseDescriptor(addChecksum(`${form}(${xpub}/*)`), context, { requireChecksum: true });
    if ('error' in parsed) throw new Error(parsed.error);
    const fresh = { descriptor: parsed.descriptors[0], secrets: [], time: 1, rangeStart: 0, rangeEnd, nextIndex: 0 };
    await to.reassessor.change((batch) => to.descriptors!.addDescriptor(fresh, batch));
  };
  await add('wpkh', 20);
  const script = [...wallet.descriptors!.all()].at(-1)!.descriptor.scripts(15, {})![0];
  await add('combo', 20);
  const tx = await memory.receive([{ script, value: 77 }], TIP);
  await add('wpkh', 5);
  t.equal(wallet.keys.isMine(script), OWNERSHIP.SPENDABLE, 'the later descriptor still contains it');
  t.same(faultsOf(wallet, [tx]), []);
  await add('wpkh', 20);
  await add('wpkh', 5);
  t.same(faultsOf(wallet, [tx]), []);

  const later = await memory.receive([{ script, value: 78 }], TIP);
  t.same(faultsOf(wallet, [tx, later]), [], 'independent of the order of descriptors');

  const { wallet: loaded } = await load(memory, await copyOf(wallet.storage.store));
  await loaded.reassessor.startReassessing();
  t.equal(loaded.keys.isMine(script), OWNERSHIP.SPENDABLE);
  t.same(faultsOf(loaded, [tx, later]), []);
  for (const one of [wallet, loaded]) {
    for (const form of ['wpkh', 'combo']) await add(form, 5, one);
    t.equal(one.keys.isMine(script), OWNERSHIP.NO, 'until no descriptor contains it');
    t.same(faultsOf(one, [tx, later]), []);
    await one.close();
  }
});

t.test('finds the coins of an import after a crash', async (t) => {
  const random = below(99);
  let left: MemoryStore | undefined;
  class Dying extends MemoryStore {
    override async batch(ops: readonly BatchOp[], options?: Parameters<Store['batch']>[1]): Promise<void> {
      await super.batch(ops, options);
      if (left !== undefined || !ops.some(({ type, key }) => type === 'put' && Buffer.compare(key, REASSESS_KEY) === 0)) return;
      left = await copyOf(this);
    }
  }
  const memory = await createMemoryWallet({ store: new Dying() });
  const txs = await fill(memory, random, 80);
  await memory.wallet.reassessor.whenIdle();
  await writeHead(memory);
  await memory.wallet.reassessor.change((batch) => {
    for (const work of imports) work(memory.wallet, batch);
  });
  t.same(faultsOf(memory.wallet, txs), [], 'while it lives');
  const { wallet, reassessDue, isIndexed } = await load(memory, left!);
  t.equal(reassessDue, true, 'the import that was cut off is known of');
  t.not(faultsOf(wallet, txs).length, 0, 'no transaction was checked yet');
  await wallet.reassessor.finishPending(isIndexed);
  t.same(faultsOf(wallet, txs), []);
  t.equal(await wallet.storage.store.get(REASSESS_KEY), undefined);
  await wallet.close();
  await memory.wallet.close();
});

for (const descriptors of [false, true]) {
  t.test(`checks transactions for several key changes after a crash, ${descriptors ? 'descriptors' : 'legacy keys'}`, async (t) => {
    const first = await createMemoryWallet({ descriptors, wallet: { keypool: 2 } });
    await writeHead(first);
    let stuck = false;
    class Stuck extends MemoryStore {
      override getMany(wanted: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
        return stuck && wanted[0][0] === WALLET_PREFIX.foreign ? new Promise(() => {}) : super.getMany(wanted);
      }
    }
    const { wallet } = await load(first, await copyOf(first.wallet.storage.store, new Stuck()));
    await wallet.reassessor.startReassessing();
    const own = await newAddress(wallet);
    const given: Uint8Array[] = [];
    for (let i = 0; i < 7; i++) given.push(await first.address('bech32'));
    const tx = await first.receive(
      [own, given[5], given[6]].map((script) => ({ script, value: 5 })),
      0,
    );
    await wallet.change((batch) => wallet.ledger.syncTransaction(tx, UNCONFIRMED_PLACE, batch));
    stuck = true;
    for (let i = 0; i < 7; i++) await newAddress(wallet);
    t.not(faultsOf(wallet, [tx]).length, 0, 'no transaction was checked');
    const left = await load(first, await copyOf(wallet.storage.store));
    t.equal(left.reassessDue, true);
    await left.wallet.reassessor.finishPending(left.isIndexed);
    t.same(faultsOf(left.wallet, [tx]), []);
    for (const one of [first.wallet, left.wallet]) await one.close();
  });
}

t.test('checks known transactions for many new keys and yields to other work', async (t) => {
  const SIZE = 4000;
  const seed = new Uint8Array(32).fill(77);
  const fill = (one: Wallet): Promise<unknown> => one.change((batch) => one.keys.topUp(SIZE, batch));
  const reseed = (one: Wallet, bytes: Uint8Array): Promise<void> =>
    one.change((batch) => {
      one.legacy!.setSeed(bytes, batch, true);
      one.legacy!.startNewPool(batch);
    });
  const pooled = async (one: Wallet): Promise<Uint8Array[]> => {
    await fill(one);
    const ids = [...one.legacy!.pool.entries()].map(({ id }) => id);
    t.equal(ids.length, 2 * SIZE);
    return ids;
  };
  const first = await createMemoryWallet();
  await reseed(first.wallet, new Uint8Array(seed));
  const ids = await pooled(first.wallet);
  await first.wallet.close();

  let dueWith = 0;
  const { wallet, address, receive } = await createMemoryWallet();
  const own = await address('bech32');
  // Scripts of the first and the last key that the wallet will get later.
  const paid = [ids[0], ids.at(-1)!].map(keyHashProgram);
  const txs = [
    await receive(
      [...paid, own].map((script, i) => ({ script, value: 10 + i })),
      TIP,
    ),
  ];
  await reseed(wallet, new Uint8Array(seed));
  await wallet.reassessor.whenIdle();
  const commit = wallet.commit.bind(wallet);
  wallet.commit = (batch, sync) => {
    const written = commit(batch, sync);
    if (batch.ops.some(({ type, key }) => type === 'put' && Buffer.compare(key, REASSESS_KEY) === 0)) dueWith = batch.ops.length;
    return written;
  };
  let scripts = 0;
  const legacy = wallet.legacy!;
  const newScripts = legacy.newScripts.bind(legacy);
  legacy.newScripts = function* (cursor) {
    for (const script of newScripts(cursor)) {
      scripts++;
      yield script;
    }
  };
  const { most, all } = await mostInATurn(
    async () => {
      await fill(wallet);
      await wallet.reassessor.whenIdle();
    },
    () => scripts,
  );
  t.ok(all > 7 * SIZE && most < all / 4, `${most} of ${all} in one turn`);
  t.ok(dueWith > 2 * SIZE, 'the row comes with the keys');
  t.equal(wallet.keys.isMine(paid[1]), OWNERSHIP.SPENDABLE);
  t.same(faultsOf(wallet, txs), []);
  await wallet.change(() => {});
  t.equal(await wallet.storage.store.get(REASSESS_KEY), undefined, 'no check is due');
  await wallet.close();
});

t.test('marks a check of transactions as due only if the wallet knows a transaction', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet();
  wallet.reassessor.finishLoading(undefined);
  const own = await address('bech32');
  t.equal(await wallet.storage.store.get(REASSESS_KEY), undefined, 'no transaction could pay the new keys');
  await receive([{ script: own, value: 10 }], TIP);
  await address('bech32');
  t.ok(await wallet.storage.store.get(REASSESS_KEY), 'a check is due');
  await wallet.reassessor.change((batch) => wallet.legacy!.watchScript(targets[0], 1, batch));
  t.ok(await wallet.storage.store.get(REASSESS_KEY), 'a check is still due after an import');
  await wallet.reassessor.startReassessing();
  t.equal(await wallet.storage.store.get(REASSESS_KEY), undefined);
  await wallet.close();
});

// Descriptors that overlap each other. The ranges of some are cut when another one is imported.
const descriptorImports: Import[] = (() => {
  const context = descriptorContext('master', 'regtest');
  const xpub = encodeExtendedKey(masterFromSeed(new Uint8Array(32).fill(6), context)!.key, context.params, context);
  const texts: (readonly [text: string, rangeEnd: number])[] = [];
  for (const { publicKey } of keys.slice(0, 3)) {
    for (const form of ['combo', 'wpkh', 'pkh']) texts.push([`${form}(${Buffer.from(publicKey).toString('hex')})`, 1]);
  }
  for (const form of ['wpkh', 'combo']) for (const end of [2, 5, 9]) texts.push([`${form}(${xpub}/*)`, end]);
  return texts.map(([text, rangeEnd]): Import => {
    const parsed = parseDescriptor(addChecksum(text), context, { requireChecksum: true });
    if ('error' in parsed) throw new Error(parsed.error);
    const fresh = { descriptor: parsed.descriptors[0], secrets: [], time: 1, rangeStart: 0, rangeEnd, nextIndex: 0 };
    return (wallet, batch) => void wallet.descriptors!.addDescriptor(fresh, batch);
  });
})();
const rangeScripts = ((): Uint8Array[] => {
  const context = descriptorContext('master', 'regtest');
  const xpub = encodeExtendedKey(masterFromSeed(new Uint8Array(32).fill(6), context)!.key, context.params, context);
  const parsed = parseDescriptor(addChecksum(`combo(${xpub}/*)`), context, { requireChecksum: true });
  if ('error' in parsed) throw new Error(parsed.error);
  return [1, 4, 6, 10, 12].flatMap((index) => parsed.descriptors[0].scripts(index, {})!);
})();

/** A wallet, a copy of it that has more keys, and all transactions that the wallet received. */
class World {
  txs: TxView[] = [];
  readonly #spent = new Set<string>();

  private constructor(
    readonly memory: MemoryWallet,
    public wallet: Wallet,
    readonly scripts: readonly Uint8Array[],
    readonly works: readonly Import[],
  ) {}

  static async create(descriptors: boolean): Promise<World> {
    const memory = await createMemoryWallet({ descriptors, wallet: { keypool: 2 } });
    await writeHead(memory);
    const { wallet } = await load(memory, await copyOf(memory.wallet.storage.store));
    await wallet.reassessor.startReassessing();
    const ahead: Uint8Array[] = [];
    for (let i = 0; i < 10; i++) ahead.push(await memory.address('bech32'));
    const others = descriptors ? [...targets.slice(0, 12), ...rangeScripts] : targets;
    return new World(memory, wallet, [...ahead, ...ahead, ...others], descriptors ? descriptorImports : imports);
  }

  at<T>(list: readonly T[], n: number): T {
    return list[n % list.length];
  }
  async tell(tx: TxView, place: TxPlace): Promise<void> {
    await this.wallet.change((batch) => this.wallet.ledger.syncTransaction(tx, place, batch));
    if (!this.txs.includes(tx) && this.wallet.ledger.txs.has(tx.txid)) this.txs.push(tx);
  }
  readonly steps: Readonly<Record<string, (n: number, m: number) => Promise<unknown>>> = {
    receive: async (n, m) => {
      const outputs = Array.from({ length: 1 + (n % 4) }, (_, i) => ({ script: this.at(this.scripts, m + i * n), value: 1000 + n }));
      const tx = await this.memory.receive(outputs, TIP);
      const { txs } = this.memory.wallet.ledger;
      const row = txs.find(tx.txid);
      // The copy may already have the transaction, because it has keys that the wallet lacks.
      if (row >= 0) await this.tell(tx, n % 3 === 0 ? UNCONFIRMED_PLACE : txs.place(row));
    },
    spend: async (n, m) => {
      if (this.txs.length === 0) return;
      const from = this.at(this.txs, n);
      const input = { prevHash: from.txid, prevIndex: m % from.outputCount, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
      const name = `${Buffer.from(from.txid).toString('hex')}:${input.prevIndex}`;
      if (this.#spent.has(name)) return;
      this.#spent.add(name);
      const outputs = [{ script: this.at(this.scripts, m), value: 300 + n }];
      await this.tell(parseTx(buildTx({ version: 2, inputs: [input], outputs, locktime: 0 }), crypto), UNCONFIRMED_PLACE);
    },
    bring: (n) => this.wallet.reassessor.change((batch) => this.at(this.works, n)(this.wallet, batch)),
    refill: (n) => this.wallet.change((batch) => this.wallet.keys.topUp(1 + (n % 5), batch)),
    give: () => newAddress(this.wallet),
    forget: async (n) => {
      const [tx] = this.txs.splice(n % Math.max(this.txs.length, 1), 1);
      if (tx) await this.wallet.change((batch) => this.wallet.ledger.removeTransaction(tx, batch));
    },
    // Transactions of a disconnected block become unconfirmed, and the next block confirms unconfirmed ones.
    reorganise: async (n) => {
      for (const [i, tx] of this.txs.entries()) {
        if (i % 3 !== n % 3) continue;
        const { txs } = this.wallet.ledger;
        const hash = new Uint8Array(32).fill(9);
        const place = { state: TX_STATE.CONFIRMED, height: TIP - (n % 5), blockHash: hash, blockTime: 1_600_000_000, position: i };
        await this.tell(tx, txs.state(txs.find(tx.txid)) === TX_STATE.CONFIRMED ? UNCONFIRMED_PLACE : place);
      }
    },
    // The process crashes, or the wallet is unloaded.
    reload: async (n) => {
      if (n % 2 === 0) await this.wallet.reassessor.whenIdle();
      const left = await copyOf(this.wallet.storage.store);
      await this.wallet.close();
      const { wallet, isIndexed } = await load(this.memory, left);
      this.wallet = wallet;
      await wallet.reassessor.finishPending(isIndexed);
      await wallet.reassessor.startReassessing();
    },
  };
}

const STEPS = 'receive receive receive receive spend bring bring refill give give forget reorganise reload'.split(' ');

for (const descriptors of [false, true]) {
  t.test(`finds all coins for random orders of imports and payments, ${descriptors ? 'descriptors' : 'legacy keys'}`, async () => {
    const number = fc.nat({ max: 999 });
    const step = fc.tuple(fc.constantFrom(...STEPS), number, number);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const world = await World.create(descriptors);
        for (const [name, n, m] of steps) {
          await world.steps[name](n, m);
          // Sometimes the next step comes before the check has ended.
          if (n % 4 === 0) continue;
          await world.wallet.reassessor.whenIdle();
          const faults = faultsOf(world.wallet, world.txs);
          if (faults.length > 0) throw new Error(`after ${name}: ${faults.join(', ')}`);
        }
        await world.wallet.reassessor.whenIdle();
        const faults = faultsOf(world.wallet, world.txs);
        if (faults.length > 0) throw new Error(faults.join(', '));
        for (const one of [world.memory.wallet, world.wallet]) await one.close();
      }),
      { numRuns: RUNS },
    );
  });
}

t.test('upgrades a wallet of an earlier version, also after a crash during the upgrade', async (t) => {
  const random = below(7);
  for (const schema of [1, 2]) {
    const memory = await createMemoryWallet();
    const txs = await fill(memory, random, 600);
    await memory.wallet.reassessor.whenIdle();
    await writeHead(memory, schema);
    const left = new MemoryStore();
    for await (const [key, value] of memory.wallet.storage.store.iterate()) {
      if (key[0] !== WALLET_PREFIX.foreign) await left.batch([{ type: 'put', key, value }]);
    }
    // If the process dies before it has all rows, the next one starts again from the beginning.
    let batches = 3;
    class Dying extends MemoryStore {
      override async batch(ops: readonly BatchOp[]): Promise<void> {
        if (batches-- <= 0) throw new Error('dead');
        await super.batch(ops);
      }
    }
    const dying = await copyOf(left, new Dying());
    const cut = await load({ ...memory, surroundings: { ...memory.surroundings, onFault: () => {} } }, dying);
    await t.rejects(cut.wallet.reassessor.finishPending(cut.isIndexed), /dead/);

    const { wallet, reassessDue, isIndexed } = await load(memory, await copyOf(dying));
    t.same([reassessDue, isIndexed], [true, false]);
    await wallet.reassessor.finishPending(isIndexed);
    await wallet.reassessor.startReassessing();
    for (const work of imports) {
      await wallet.reassessor.change((batch) => work(wallet, batch));
      const faults = faultsOf(wallet, txs);
      if (faults.length > 0) t.same(faults, []);
    }
    t.same(await wallet.storage.store.get(walletKey(WALLET_PREFIX.schema)), Uint8Array.of(3));
    const again = await load(memory, await copyOf(wallet.storage.store));
    t.same([again.reassessDue, again.isIndexed], [false, true]);
    t.same(faultsOf(again.wallet, txs), []);
    for (const one of [memory.wallet, wallet, again.wallet]) await one.close();
  }
});

t.test('stores rows of foreign outputs in the format of other versions', async (t) => {
  const store = new MemoryStore();
  const script = (i: number): Uint8Array => Uint8Array.of(0x51, i & 255, i >> 8);
  const write = async (note: typeof addForeignOutput, ...pairs: readonly [script: number, order: number][]): Promise<void> => {
    const batch = new WalletBatch();
    for (const [i, order] of pairs) note(script(i), order, batch);
    await store.batch(batch.ops);
  };
  await write(addForeignOutput, [5, 0], [5, 7], [6, 7], [5, 7], [7, 0xffff_fffe]);
  t.same(await ordersPaying(store, [script(5)]), [0, 7]);
  t.same(await ordersPaying(store, [script(8), script(6), script(7)]), [7, 0xffff_fffe]);
  await write(removeForeignOutput, [5, 7], [6, 7], [8, 1]);
  t.same(await ordersPaying(store, [script(5), script(6), script(8)]), [0]);
  const rows: string[] = [];
  for await (const [key] of store.iterate()) rows.push(Buffer.from(key).toString('hex'));
  t.same(rows, ['6623e7c4a3', '6623e7c4a300000000', '66d0760b60', '66d8744846', '66d8744846fffffffe'], 'as other versions write them');
});
