// Keys and scripts that come to a wallet which already knows transactions that pay them: coins and sums must be what
// asking isMine of every output of every transaction gives, in every order of imports; later imports read no more than
// they concern; a process that died in between makes up for it.
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
import { ForeignOutputs } from '../../../src/wallet/coins/foreign-outputs.js';
import { outpointOf } from '../../../src/wallet/coins/outpoint.js';
import { NOWHERE, type TxPlace } from '../../../src/wallet/coins/tx-table.js';
import { payToKey } from '../../../src/wallet/keys/destination.js';
import { payToKeyHash } from '../../../src/wallet/keys/is-mine.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { OWNERSHIP, type Ownership } from '../../../src/wallet/keys/ownership.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import { generateKeys } from '../../../src/wallet/manage/new-keys.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../../../src/wallet/storage/layout.js';
import type { WalletBatch } from '../../../src/wallet/storage/wallet-batch.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto, type MemoryWallet, TIP } from '../../framework/memory-wallet.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { mostInATurn } from '../../framework/turns.js';

const { keys: curve } = descriptorContext('master', 'regtest');
const KEYS = 6;
/** Whole numbers from 0 up to but without a limit. */
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
/** Every output script that any import may make ours. */
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
    (wallet, batch) => wallet.legacy!.watch(outputScript, 1, batch),
    (wallet, batch) => wallet.legacy!.watch(script, 1, batch),
  ]),
  ...targets.map(
    (script): Import =>
      (wallet, batch) =>
        wallet.legacy!.watch(script, 1, batch),
  ),
];

/**
 * Transactions that pay the wallet and, beside it, scripts that may become its own; some outputs of those are spent
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
    await wallet.change((batch) => wallet.ledger.sync(tx, NOWHERE, batch));
    txs.push(tx);
  }
  return txs;
}

/** What is wrong with coins and sums; empty when nothing is. */
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

t.test('any order of imports', async (t) => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = below(seed);
    const memory = await createMemoryWallet();
    const txs = await fill(memory, random, 60);
    const left = [...imports];
    const faults: string[] = [];
    while (left.length > 0 && faults.length === 0) {
      const [work] = left.splice(random.below(left.length), 1);
      if (random.below(4) === 0) txs.push(...(await fill(memory, random, 3)));
      await memory.wallet.changeKeys((batch) => work(memory.wallet, batch));
      faults.push(...faultsOf(memory.wallet, txs));
    }
    t.same(faults, [], `seed ${seed}`);
    await memory.wallet.close();
  }
});

t.test('a descriptor wallet', async (t) => {
  const context = descriptorContext('master', 'regtest');
  const memory = await createMemoryWallet({ descriptors: true });
  const { wallet } = memory;
  const own = await memory.address('bech32');
  const combo = addChecksum(`combo(${Buffer.from(keys[0].publicKey).toString('hex')})`);
  const tx = await memory.receive([{ script: own, value: 10 }, ...targets.map((script, i) => ({ script, value: 100 + i }))], TIP);
  const parsed = parseDescriptor(combo, context, { requireChecksum: true });
  if ('error' in parsed) throw new Error(parsed.error);
  const fresh = { descriptor: parsed.descriptors[0], secrets: [], time: 1, rangeStart: 0, rangeEnd: 1, nextIndex: 0 };
  await wallet.changeKeys((batch) => wallet.descriptors!.add(fresh, batch));
  t.same(faultsOf(wallet, [tx]), []);
  t.equal(wallet.ledger.coins.size, 5, 'the four scripts of a key');
  await wallet.close();
});

t.test('later imports read what they concern', async (t) => {
  let reads = 0;
  class Counting extends MemoryStore {
    override getMany(wanted: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
      reads += wanted.length;
      return super.getMany(wanted);
    }
  }
  // So that nothing is answered from what was read lately.
  const big = new Uint8Array(5000);
  const memory = await createMemoryWallet({ store: new Counting() });
  const { wallet } = memory;
  const own = await memory.address('bech32');
  const ids = keys.map(({ publicKey }) => payToKeyHash(crypto.hash160(publicKey)));
  const txs: TxView[] = [];
  for (let i = 0; i < 300; i++) {
    const other = i < 7 ? ids[0] : Uint8Array.of(0x51, i & 255, i >> 8);
    txs.push(
      await memory.receive(
        [
          { script: own, value: 10 },
          { script: other, value: 20 },
          { script: big, value: 0 },
        ],
        TIP,
      ),
    );
  }
  const load = async (key: TestKey): Promise<number> => {
    reads = 0;
    await wallet.changeKeys((batch) => wallet.legacy!.importSecret(new Uint8Array(key.secret), key.publicKey, 1, batch));
    return reads;
  };
  // As after loading.
  wallet.ledger.foreign = null;
  t.equal(await load(keys[1]), 300, 'the first one reads every transaction');
  t.equal(await load(keys[2]), 0, 'a key that nobody paid');
  t.equal(await load(keys[0]), 7, 'a key that was paid');
  t.same(faultsOf(wallet, txs), []);
  t.equal(await wallet.store.get(REASSESS_KEY), undefined, 'nothing is due');
  reads = 0;
  await wallet.change((batch) => wallet.book.set(ids[3], 'x', 'receive', batch));
  await wallet.changeKeys(() => {});
  t.equal(reads, 0);
  await wallet.close();

  const empty = await createMemoryWallet({ store: new Counting() });
  reads = 0;
  await empty.wallet.changeKeys((batch) => empty.wallet.legacy!.watch(ids[0], 1, batch));
  t.equal(reads, 0);
  t.equal(await empty.wallet.store.get(REASSESS_KEY), undefined, 'a wallet without transactions has nothing to look at');
  await empty.wallet.close();
});

for (const [what, next] of [
  ['another import', keys[2]],
  ['the same import again', keys[0]],
] as const) {
  t.test(`an import whose transactions could not be read, and ${what}`, async (t) => {
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
      wallet.changeKeys((batch) => wallet.legacy!.importSecret(new Uint8Array(secret), publicKey, 1, batch));
    const txs: TxView[] = [];
    for (let i = 0; i < 5; i++) {
      const outputs = [own, paid, new Uint8Array(5000)].map((script) => ({ script, value: 20 }));
      txs.push(await receive(outputs, TIP));
    }
    await load(keys[1]);
    failing = true;
    await t.rejects(load(keys[0]), /bad disk/);
    t.not(faultsOf(wallet, txs).length, 0, 'payments are not known of');
    failing = false;
    t.ok(await wallet.store.get(REASSESS_KEY), 'the look is due');
    await load(next);
    t.same(faultsOf(wallet, txs), []);
    t.equal(await wallet.store.get(REASSESS_KEY), undefined, 'nothing is due');
    await wallet.close();
  });
}

for (const descriptors of [false, true]) {
  t.test(`keys that another copy gave out before, ${descriptors ? 'of descriptors' : 'from a pool'}`, async (t) => {
    let reads = 0;
    class Counting extends MemoryStore {
      override getMany(wanted: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
        reads += wanted.length;
        return super.getMany(wanted);
      }
    }
    const copyOf = async (store: Store): Promise<Counting> => {
      const copy = new Counting();
      const rows: BatchOp[] = [];
      for await (const [key, value] of store.iterate()) rows.push({ type: 'put', key, value });
      await copy.batch(rows);
      return copy;
    };
    const first = await createMemoryWallet({ descriptors, wallet: { keypool: 2 } });
    await first.wallet.change((batch) => {
      batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
      first.wallet.record.write(batch);
    });
    const load = async (store: Store): Promise<Wallet> => {
      const { wallet } = await loadWallet(first.surroundings, { name: 'w', folder: '/nowhere/w' }, store);
      wallet.ledger.setTip(TIP);
      await wallet.ledger.judgeAll();
      return wallet;
    };
    const wallet = await load(await copyOf(first.wallet.store));
    const given: Uint8Array[] = [];
    for (let i = 0; i < 12; i++) given.push(await first.address('bech32'));
    const txs: TxView[] = [];
    const tell = async (to: Wallet, tx: TxView): Promise<void> => {
      const { ledger } = first.wallet;
      await to.change((batch) => to.ledger.sync(tx, ledger.txs.place(ledger.txs.find(tx.txid)), batch));
      txs.push(tx);
    };
    // Too large for what was read lately to stay in memory.
    const big = { script: new Uint8Array(50_000), value: 0 };
    const pay = (...indices: number[]): Promise<TxView> =>
      first.receive([...indices.map((i) => ({ script: given[i], value: 100 + i })), big], TIP);
    await tell(wallet, await pay(0, 11));
    for (let i = 0; i < 100; i++) await tell(wallet, await pay(0));
    await tell(wallet, await pay(1, 6));
    reads = 0;
    await wallet.noticeKeys();
    t.same(faultsOf(wallet, txs), [], 'what came while it was loaded');
    t.equal(reads, txs.length, 'all is read once');
    const before = wallet.ledger.coins.size;
    for (let i = 2; i < 12; i++) {
      const made = await wallet.change((batch) => wallet.keys.newAddress('bech32', false, batch));
      if ('error' in made) throw new Error(made.error);
      await wallet.looked();
      const faults = faultsOf(wallet, txs);
      if (faults.length > 0) t.same(faults, [], `address ${i}`);
    }
    t.equal(wallet.ledger.coins.size, before + 2, 'outputs that nobody knew of are there');
    t.equal(reads, txs.length + 2, 'and only their transactions were read');
    await tell(wallet, await pay(11));
    t.equal(await wallet.store.get(REASSESS_KEY), undefined, 'nothing is due');

    const again = await load(await copyOf(wallet.store));
    await again.noticeKeys();
    reads = 0;
    await again.change((batch) => generateKeys(again, descriptorContext('master', 'regtest'), batch));
    for (let i = 0; i < 5; i++) await again.change((batch) => again.keys.newAddress('bech32', false, batch));
    await again.looked();
    t.equal(reads, 0, 'keys of a seed that was made at random were never paid');
    t.equal(await again.store.get(REASSESS_KEY), undefined);
    for (const one of [first.wallet, wallet, again]) await one.close();
  });
}

t.test('a range that is cut, of scripts that another descriptor gives too', async (t) => {
  const context = descriptorContext('master', 'regtest');
  const memory = await createMemoryWallet({ descriptors: true });
  const { wallet } = memory;
  await wallet.change((batch) => {
    batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
    wallet.record.write(batch);
  });
  const xpub = encodeExtendedKey(masterFromSeed(new Uint8Array(32).fill(5), context)!.key, context.params, context);
  const add = async (form: string, rangeEnd: number, to = wallet): Promise<void> => {
    const parsed = parseDescriptor(addChecksum(`${form}(${xpub}/*)`), context, { requireChecksum: true });
    if ('error' in parsed) throw new Error(parsed.error);
    const fresh = { descriptor: parsed.descriptors[0], secrets: [], time: 1, rangeStart: 0, rangeEnd, nextIndex: 0 };
    await to.changeKeys((batch) => to.descriptors!.add(fresh, batch));
  };
  await add('wpkh', 20);
  const script = [...wallet.descriptors!.all()].at(-1)!.descriptor.scripts(15, {})![0];
  await add('combo', 20);
  const tx = await memory.receive([{ script, value: 77 }], TIP);
  await add('wpkh', 5);
  t.equal(wallet.isMine(script), OWNERSHIP.SPENDABLE, 'the one that came later still gives it');
  t.same(faultsOf(wallet, [tx]), []);
  await add('wpkh', 20);
  await add('wpkh', 5);
  t.same(faultsOf(wallet, [tx]), []);

  const rows: BatchOp[] = [];
  for await (const [key, value] of wallet.store.iterate()) rows.push({ type: 'put', key, value });
  await wallet.close();
  for (const [what, heal] of [
    ['a scan', async (loaded, place) => loaded.change((batch) => loaded.ledger.sync(tx, place, batch))],
    ['the first import', (loaded) => add('tr', 5, loaded)],
  ] as readonly [string, (loaded: Wallet, place: TxPlace) => Promise<unknown>][]) {
    const left = new MemoryStore();
    await left.batch(rows);
    const { wallet: loaded } = await loadWallet(memory.surroundings, { name: 'w', folder: '/nowhere/w' }, left);
    loaded.ledger.setTip(TIP);
    await loaded.ledger.judgeAll();
    t.equal(loaded.isMine(script), OWNERSHIP.SPENDABLE);
    await heal(loaded, loaded.ledger.txs.place(loaded.ledger.txs.find(tx.txid)));
    t.same(faultsOf(loaded, [tx]), [], `${what} finds that the coin is ours`);
    await loaded.close();
  }
});

t.test('a process that dies after an import', async (t) => {
  const random = below(99);
  let left: MemoryStore | undefined;
  class Dying extends MemoryStore {
    override async batch(ops: readonly BatchOp[], options?: Parameters<Store['batch']>[1]): Promise<void> {
      await super.batch(ops, options);
      if (left !== undefined || !ops.some(({ type, key }) => type === 'put' && Buffer.compare(key, REASSESS_KEY) === 0)) return;
      left = new MemoryStore();
      const rows: BatchOp[] = [];
      for await (const [key, value] of this.iterate()) rows.push({ type: 'put', key, value });
      await left.batch(rows);
    }
  }
  const memory = await createMemoryWallet({ store: new Dying() });
  await memory.wallet.change((batch) => batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA)));
  const txs = await fill(memory, random, 80);
  await memory.wallet.changeKeys((batch) => {
    for (const work of imports) work(memory.wallet, batch);
  });
  t.same(faultsOf(memory.wallet, txs), [], 'while it lives');
  const { wallet, reassessDue } = await loadWallet(memory.surroundings, { name: 'w', folder: '/nowhere/w' }, left!);
  t.equal(reassessDue, true, 'the import that was cut off is known of');
  wallet.ledger.setTip(TIP);
  await wallet.ledger.judgeAll();
  t.not(faultsOf(wallet, txs).length, 0, 'nothing was looked at yet');
  await wallet.reassessAll();
  t.same(faultsOf(wallet, txs), []);
  t.equal(await wallet.store.get(REASSESS_KEY), undefined);
  await wallet.close();
  await memory.wallet.close();
});

t.test('many keys in one change', async (t) => {
  const SIZE = 4000;
  const seed = new Uint8Array(32).fill(77);
  const fill = (one: Wallet): Promise<unknown> =>
    one.changeExclusively(async (batch) => {
      while (one.keys.topUp(SIZE, batch, () => false) === 'paused');
    });
  const reseed = (one: Wallet, bytes: Uint8Array): Promise<void> =>
    one.change((batch) => {
      one.legacy!.setSeed(bytes, batch, true);
      one.legacy!.newPool(batch);
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

  for (const { what, fresh, table } of [
    { what: 'of an old seed', fresh: false, table: true },
    { what: 'of an old seed, nothing read yet', fresh: false, table: false },
    { what: 'of a fresh seed', fresh: true, table: true },
    { what: 'of a fresh seed, nothing read yet', fresh: true, table: false },
  ]) {
    let dueWith = 0;
    const { wallet, address, receive } = await createMemoryWallet();
    const own = await address('bech32');
    // The first and the last of the keys that are to come.
    const paid = [ids[0], ids.at(-1)!].map(keyHashProgram);
    const txs = [
      await receive(
        [...paid, own].map((script, i) => ({ script, value: 10 + i })),
        TIP,
      ),
    ];
    if (fresh) await wallet.change((batch) => generateKeys(wallet, descriptorContext('master', 'regtest'), batch));
    else {
      await reseed(wallet, new Uint8Array(seed));
      await wallet.looked();
      wallet.freshSeed = false;
    }
    if (!table) wallet.ledger.foreign = null;
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
        await wallet.looked();
      },
      () => scripts,
    );
    if (fresh && !table) t.equal(all, 0, `${what}: nothing to look at`);
    else {
      t.ok(all > 7 * SIZE && most < all / 4, `${what}: ${most} of ${all} in one turn`);
      t.ok(dueWith > 2 * SIZE, `${what}: the row comes with the keys`);
    }
    t.equal(wallet.isMine(paid[1]), fresh ? OWNERSHIP.NO : OWNERSHIP.SPENDABLE);
    t.same(faultsOf(wallet, txs), [], what);
    t.equal(await wallet.store.get(REASSESS_KEY), undefined, 'nothing is due');
    await wallet.close();
  }
});

t.test('keys that come while a wallet is loaded, before and after its first transaction', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet();
  wallet.loaded(false);
  const own = await address('bech32');
  t.equal(await wallet.store.get(REASSESS_KEY), undefined, 'nothing could have paid them');
  await receive([{ script: own, value: 10 }], TIP);
  await address('bech32');
  t.ok(await wallet.store.get(REASSESS_KEY), 'a look is due');
  await wallet.changeKeys((batch) => wallet.legacy!.watch(targets[0], 1, batch));
  await address('bech32');
  t.ok(await wallet.store.get(REASSESS_KEY), 'and still is after the look for an import');
  await wallet.noticeKeys();
  t.equal(await wallet.store.get(REASSESS_KEY), undefined);
  await wallet.close();
});

t.test('more foreign outputs than the table takes', async (t) => {
  const table = new ForeignOutputs(false, 3000);
  const script = (i: number): Uint8Array => Uint8Array.of(0x51, i & 255, i >> 8);
  for (let i = 0; i < 2999; i++) table.add(script(i % 1000), i);
  t.same([...table.rowsOf(script(5))], [2005, 1005, 5]);
  t.same([...table.rowsOf(script(2000))], []);
  t.equal(table.overflown, false);
  table.add(script(1), 2999);
  t.equal(table.overflown, true);
  table.add(script(1), 3000);
  t.same([...table.rowsOf(script(5))], []);
});
