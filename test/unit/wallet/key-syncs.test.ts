// Tests that acknowledged imports and new addresses are on disk. A power failure loses everything after the last fsync,
// and keys that cannot be derived again must survive it. Also, the same address must not be given to two payers.
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import type { Run } from '../../../src/rpc/dispatch.js';
import { WALLET_RUNS } from '../../../src/rpc/wallet/runs.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions } from '../../../src/storage/store.js';
import { WALLET_PREFIX } from '../../../src/wallet/storage/layout.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';
import { ranged, run, XPUB } from '../../framework/wallet-calls.js';

const { key, script, watched, descriptor, pool, address } = WALLET_PREFIX;
const PREFIXES: ReadonlySet<number> = new Set([key, script, watched, descriptor, pool, address]);

/** Counts rows of keys, scripts and labels that were written without fsync. */
class NotingStore extends MemoryStore {
  unsynced = 0;
  override async batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    await super.batch(ops, options);
    if (options?.sync === true) this.unsynced = 0;
    else this.unsynced += ops.filter((op) => PREFIXES.has(op.key[0])).length;
  }
}

const PUBLIC = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const WIF = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
const {
  getnewaddress,
  getrawchangeaddress,
  importmulti,
  importdescriptors,
  importprivkey,
  importpubkey,
  importaddress,
  addmultisigaddress,
} = WALLET_RUNS;
const calls: [string, Run<WalletContext, never>, readonly unknown[], boolean][] = [
  ['importmulti', importmulti, [[ranged([0, 9])], { rescan: false }], false],
  ['importprivkey', importprivkey, [WIF, 'mine', false], false],
  ['importpubkey', importpubkey, [PUBLIC, 'seen', false], false],
  ['importaddress', importaddress, ['51', 'script', false], false],
  ['addmultisigaddress', addmultisigaddress, [1, [PUBLIC]], false],
  ['getnewaddress', getnewaddress, ['a label'], false],
  ['getnewaddress', getnewaddress, [], true],
  ['getrawchangeaddress', getrawchangeaddress, [], false],
  ['importdescriptors', importdescriptors, [[{ desc: addChecksum(`wpkh(${XPUB}/*)`), range: [0, 9], timestamp: 'now' }]], true],
];

for (const [name, method, params, descriptors] of calls) {
  t.test(`${name} syncs its changes to disk before it returns${descriptors ? ', descriptors' : ''}`, async (t) => {
    const store = new NotingStore();
    const { wallet } = await createMemoryWallet({ descriptors, store });
    if (method === importdescriptors) wallet.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
    store.unsynced = 0;
    let writes = 0;
    const batch = store.batch.bind(store);
    store.batch = (ops, options) => {
      writes += ops.length;
      return batch(ops, options);
    };
    await run(wallet, method, ...params);
    t.ok(writes > 0, 'the call wrote something');
    t.equal(store.unsynced, 0);
  });
}

/** A store whose writes wait until the test releases them. */
class HeldStore extends MemoryStore {
  held: { readonly sync: boolean; go(): void }[] | null = null;
  override async batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    const { held } = this;
    if (held !== null) await new Promise<void>((resolve) => held.push({ sync: options?.sync === true, go: resolve }));
    await super.batch(ops, options);
  }
}

t.test('calls that arrive during a write share the next fsync', async (t) => {
  const store = new HeldStore();
  const { wallet } = await createMemoryWallet({ store, wallet: { keypool: 100 } });
  const held: NonNullable<HeldStore['held']> = [];
  store.held = held;
  let answered = 0;
  const ask = async (method: Run<WalletContext, never>, ...params: unknown[]): Promise<void> => {
    await run(wallet, method, ...params);
    answered++;
  };
  const first = ask(getnewaddress);
  await turn();
  t.same([held.length, answered], [1, 0]);
  const calls = Array.from({ length: 50 }, (_, i) =>
    i % 5 === 0 ? ask(importaddress, `51${(81 + i).toString(16)}`, '', false) : ask(getnewaddress),
  );
  // A change that no caller waits for is written with the next batch.
  const plain = wallet.change((batch) => batch.put(Uint8Array.of(0x7a), Uint8Array.of(1)));
  await turn();
  t.same([held.length, answered], [1, 0], 'they wait for the running write');
  held[0]!.go();
  await first;
  await turn();
  t.same([held.length, held[1]!.sync, answered], [2, true, 1], 'nothing is answered before it is written');
  t.equal(await store.get(Uint8Array.of(0x7a)), undefined);
  held[1]!.go();
  await Promise.all([...calls, plain]);
  t.same([held.length, answered], [2, 51]);
  // Work that uses the database exclusively runs after the writes before it and before the writes after it.
  held.length = 0;
  let begun: number | undefined;
  const all = [
    ask(getnewaddress),
    turn().then(() =>
      wallet.storage.queueWrite(async () => {
        begun = held.length;
      }),
    ),
    turn().then(() => ask(getnewaddress)),
  ];
  for (let i = 0; i < 2; i++) {
    while (held.length <= i) await turn();
    held[i]!.go();
  }
  await Promise.all(all);
  t.equal(begun, 1);
});

t.test('a failed write rejects every call that shares it', async (t) => {
  const store = new HeldStore();
  const faults: unknown[] = [];
  const { wallet } = await createMemoryWallet({ store, onFault: (error) => faults.push(error) });
  store.batch = async () => {
    throw new Error('disk full');
  };
  const done = await Promise.allSettled([run(wallet, getnewaddress), run(wallet, getnewaddress), run(wallet, getrawchangeaddress)]);
  t.same(
    done.map((one) => one.status === 'rejected' && one.reason.message),
    ['disk full', 'disk full', 'disk full'],
  );
  t.equal(faults.length, 1);
});
