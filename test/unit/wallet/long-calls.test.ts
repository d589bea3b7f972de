// Tests calls whose work grows with a range, a key pool or an address book: other work runs between their slices, and
// the result equals that of many short calls.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { encodeAddress } from '../../../src/address/address.js';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { encodeWif } from '../../../src/address/wif.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import type { KeyMath } from '../../../src/crypto/key-math.js';
import { getaddressesbylabel } from '../../../src/rpc/methods/wallet/getaddressesbylabel.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { importmulti } from '../../../src/rpc/methods/wallet/importmulti.js';
import { keypoolrefill } from '../../../src/rpc/methods/wallet/keypoolrefill.js';
import { listaddressgroupings } from '../../../src/rpc/methods/wallet/listaddressgroupings.js';
import { listlabels } from '../../../src/rpc/methods/wallet/listlabels.js';
import { listreceivedbyaddress } from '../../../src/rpc/methods/wallet/listreceivedbyaddress.js';
import { sethdseed } from '../../../src/rpc/methods/wallet/sethdseed.js';
import type { Amount, RawJson } from '../../../src/rpc/wire/values.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp } from '../../../src/storage/store.js';
import { fillPool } from '../../../src/wallet/keys/fill-pool.js';
import type { AddressResult } from '../../../src/wallet/keys/key-source.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { createMemoryWallet, crypto, TIP } from '../../framework/memory-wallet.js';
import { mostInATurn, turnsDuring } from '../../framework/turns.js';
import { allRows, encrypt, masterKey, ranged, rowsOf, run, XPRV } from '../../framework/wallet-calls.js';
import { managerIn, PLAIN_WALLET } from '../../framework/wallet-manager.js';

const outcome = [{ success: true }];

t.test('importmulti of a long range yields and imports the same as many short ones', async (t) => {
  const { wallet } = await createMemoryWallet();
  const { wallet: other } = await createMemoryWallet();
  const before = [await rowsOf(wallet), await rowsOf(other)];
  const last = 1199;
  const turns = await turnsDuring(async () => t.same(await run(wallet, importmulti, [ranged([0, last])], { rescan: false }), outcome));
  t.ok(turns > 10, `${turns} turns`);
  for (let from = 0; from <= last; from += 100) await run(other, importmulti, [ranged([from, from + 99])], { rescan: false });
  const rows = await rowsOf(wallet, before[0]);
  t.ok(rows.length > 4 * last);
  t.strictSame(rows, await rowsOf(other, before[1]));
});

t.test('importmulti imports nothing when the wallet is locked or closed while it reads', async (t) => {
  const cases = {
    lock: (wallet: Wallet) => wallet.encryption.lock(),
    close: (wallet: Wallet) => wallet.close(),
  };
  for (const [name, act] of Object.entries(cases)) {
    const { wallet } = await createMemoryWallet();
    await encrypt(wallet);
    const before = await rowsOf(wallet);
    const script = crypto.hash160(new Uint8Array(20));
    let acted = false;
    const work = () =>
      run(wallet, importmulti, [ranged([0, 2999]), { scriptPubKey: `0014${Buffer.from(script).toString('hex')}`, timestamp: 'now' }], {
        rescan: false,
      });
    const failed = t.rejects(
      turnsDuring(work, () => {
        acted = true;
        return act(wallet);
      }),
      { code: name === 'lock' ? -13 : -18 },
    );
    await failed;
    t.ok(acted, name);
    t.equal(wallet.legacy!.watches, false, 'nothing was imported');
    if (name === 'lock') t.same(await rowsOf(wallet), before);
  }
});

for (const step of ['*', "*'"]) {
  t.test(`importdescriptors of a long range yields and imports the same as short ones, /${step}`, async (t) => {
    const request = (range: [number, number], more = {}) => ({
      desc: addChecksum(`wpkh(${XPRV}/${step})`),
      range,
      timestamp: 'now',
      ...more,
    });
    const { wallet } = await createMemoryWallet({ descriptors: true });
    const { wallet: other } = await createMemoryWallet({ descriptors: true });
    const before = [await rowsOf(wallet), await rowsOf(other)];
    const more = { active: true, next_index: 700 };
    const turns = await turnsDuring(async () => t.same(await run(wallet, importdescriptors, [request([0, 999], more)]), outcome));
    t.ok(turns > 10, `${turns} turns`);
    for (let last = 9; last < 999; last += 50) await run(other, importdescriptors, [request([0, last])]);
    await run(other, importdescriptors, [request([0, 999], more), request([0, 999], more)]);
    const rows = await rowsOf(wallet, before[0]);
    t.ok(rows.length > 1000);
    t.strictSame(rows, await rowsOf(other, before[1]));
    const both = [request([0, 1299]), request([0, 9])];
    t.same(await run(wallet, importdescriptors, both), [...outcome, ...outcome], 'longer and shorter in one call');
    t.same(await run(other, importdescriptors, [request([0, 9])]), outcome);
    // Rows of derived keys are left out of the comparison: those of hardened indices stay when a range is cut.
    t.strictSame(
      (await rowsOf(wallet, before[0])).filter((row) => !row.startsWith('64')),
      (await rowsOf(other, before[1])).filter((row) => !row.startsWith('64')),
    );
  });
}

t.test('importmulti rejects more than 300,000 indices of ranges in one call', async (t) => {
  const { wallet } = await createMemoryWallet();
  const before = await rowsOf(wallet);
  const bound = { success: false, error: { code: -8, message: 'One call imports 300000 indices of ranges at most' } };
  t.match(await run(wallet, importmulti, [ranged([5, 300_005])], { rescan: false }), [bound]);
  t.same(await rowsOf(wallet), before);
  t.match(await run(wallet, importmulti, [ranged([0, 9]), ranged([0, 299_995]), ranged([10, 19])], { rescan: false }), [
    { success: true },
    bound,
    { success: true },
  ]);
});

t.test('importdescriptors adds and shortens a range, and rejects too long ones', async (t) => {
  const { wallet } = await createMemoryWallet({ descriptors: true });
  const request = (range: [number, number]) => ({ desc: addChecksum(`wpkh(${XPRV}/7/*)`), range, timestamp: 'now' });
  t.same(await run(wallet, importdescriptors, [request([0, 2_999])]), outcome);
  const rows = await rowsOf(wallet);
  t.same(await run(wallet, importdescriptors, [request([0, 10])]), outcome);
  t.equal(
    rows.length - (await rowsOf(wallet)).length,
    3_000 - Math.max(11, wallet.parts.options.keypool),
    'all but those of the range and the pool',
  );
  const before = await rowsOf(wallet);
  for (const range of [
    [2_147_483_000, 2_147_483_646],
    [2_000_000, 2_000_100],
  ] as [number, number][]) {
    t.match(await run(wallet, importdescriptors, [{ ...request(range), desc: addChecksum(`wpkh(${XPRV}/8/*)`) }]), [
      { success: false, error: { code: -8, message: /^One call brings 2000000 scripts at most/ } },
    ]);
  }
  t.same(await rowsOf(wallet), before, 'nothing of the rejected import is stored');
});

t.test('importdescriptors of many keys yields and imports the same as many short calls', async (t) => {
  const request = (i: number) => {
    const key = encodeWif({ key: crypto.sha256(Buffer.from(`key ${i}`)), compressed: true }, chainParams('regtest'), crypto);
    return { desc: addChecksum(`${['wpkh', 'pkh', 'combo', 'tr'][i % 4]}(${key})`), timestamp: 1000 - (i % 7), label: `label ${i % 3}` };
  };
  const requests = Array.from({ length: 200 }, (_, i) => request(i % 160));
  const { wallet } = await createMemoryWallet({ descriptors: true });
  const { wallet: other } = await createMemoryWallet({ descriptors: true });
  const before = [await rowsOf(wallet), await rowsOf(other)];
  const turns = await turnsDuring(async () =>
    t.same(
      await run(wallet, importdescriptors, requests),
      requests.map(() => outcome[0]),
    ),
  );
  t.ok(turns > 10, `${turns} turns`);
  for (let from = 0; from < requests.length; from += 20) await run(other, importdescriptors, requests.slice(from, from + 20));
  t.strictSame(await rowsOf(wallet, before[0]), await rowsOf(other, before[1]));
});

t.test('importdescriptors imports nothing when the wallet is locked or closed while it reads', async (t) => {
  for (const closes of [false, true]) {
    const { wallet } = await createMemoryWallet({ descriptors: true });
    await encrypt(wallet);
    const before = await rowsOf(wallet);
    const known = wallet.descriptors!.count;
    const work = () => run(wallet, importdescriptors, [{ desc: addChecksum(`wpkh(${XPRV}/*)`), range: [0, 1999], timestamp: 'now' }]);
    const act = () => (closes ? wallet.close() : wallet.encryption.lock());
    await t.rejects(turnsDuring(work, act), { code: closes ? -18 : -13 });
    t.equal(wallet.descriptors!.count, known);
    if (!closes) t.same(await rowsOf(wallet), before);
  }
});

for (const descriptors of [false, true]) {
  t.test(`keypoolrefill of a large pool yields and loses no key${descriptors ? ', descriptors' : ''}`, async (t) => {
    const { wallet, surroundings, address } = await createMemoryWallet({ descriptors });
    const size = descriptors ? 250 : 500;
    const pooled = () => wallet.legacy?.pool.entries().map(({ index, id, internal }) => [index, Buffer.from(id).toString('hex'), internal]);
    await wallet.storage.queueWrite(async () => {});
    // A copy of the wallet, whose pool is filled in one go.
    const store = new MemoryStore();
    await store.batch((await allRows(wallet)).map(([key, value]): BatchOp => ({ type: 'put', key, value })));
    const { wallet: other } = await loadWallet(surroundings, { name: 'w', folder: '' }, store);

    const turns = await turnsDuring(async () => t.equal(await run(wallet, keypoolrefill, size), null));
    t.ok(turns > 10, `${turns} turns`);
    t.equal(await other.change((batch) => other.keys.topUp(size, batch)), 'full');
    t.strictSame(await rowsOf(wallet), await rowsOf(other));
    if (!descriptors) t.equal(pooled()!.length, 2 * size);
    t.equal(await run(wallet, keypoolrefill, size), null, 'it is full');

    // During the refill an address is given out, and then the wallet is locked. The keys made so far must be complete.
    await encrypt(wallet);
    const before = (await rowsOf(wallet)).length;
    await t.rejects(
      turnsDuring(
        () => run(wallet, keypoolrefill, 4 * size),
        async () => {
          await address('bech32');
          wallet.encryption.lock();
        },
      ),
      { code: -13 },
    );
    t.ok((await rowsOf(wallet)).length > before);
    wallet.vault.unlock(masterKey());
    t.equal(await run(wallet, keypoolrefill, 4 * size), null);
    if (descriptors)
      for (const { expanded, rangeEnd, nextIndex } of wallet.descriptors!.actives())
        t.same([expanded, rangeEnd - nextIndex], [rangeEnd - 1, 4 * size]);
    else {
      const ids = pooled()!.map(([, id]) => id);
      t.equal(ids.length, 8 * size);
      t.equal(new Set(ids).size, ids.length);
    }
  });
}

t.test('sethdseed yields while it fills a large key pool from the new seed', async (t) => {
  const keypool = 400;
  const { wallet } = await createMemoryWallet({ wallet: { keypool } });
  const { wallet: other } = await createMemoryWallet({ wallet: { keypool } });
  const before = [await rowsOf(wallet), await rowsOf(other)];
  const turns = await turnsDuring(async () => t.equal(await run(wallet, sethdseed), null));
  t.ok(turns > 10, `${turns} turns`);
  await other.change((batch) => {
    other.legacy!.setSeed(wallet.legacy!.secret(wallet.record.hd!.seedId)!, batch);
    other.legacy!.startNewPool(batch);
    t.equal(other.keys.topUp(0, batch), 'full');
  });
  t.strictSame(await rowsOf(wallet, before[0]), await rowsOf(other, before[1]), 'the pool of the new seed, as made in one go');

  // Addresses that are given out during the call come from the new seed too. Giving them out must not make the whole
  // rest of the pool at once.
  const given: AddressResult[] = [];
  const pooled = (): number => wallet.legacy!.pool.entries().length;
  let left = 0;
  await turnsDuring(
    () => run(wallet, sethdseed),
    () =>
      wallet.change((batch) => {
        for (const internal of [true, false]) given.push(wallet.keys.newAddress('bech32', internal, batch));
        left = 2 * keypool - pooled();
      }),
  );
  t.ok(left > keypool / 2, `${left} keys were to be made still`);
  t.equal(pooled(), 2 * keypool);
  const seedId = wallet.record.hd!.seedId;
  for (const one of given) t.same(wallet.keys.metadata((one as { script: Uint8Array }).script)?.seedId, seedId);
});

for (const descriptors of [false, true]) {
  t.test(`createwallet yields while it fills a large key pool${descriptors ? ', descriptors' : ''}`, async (t) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-create-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const { wallet: some, surroundings } = await createMemoryWallet();
    // Count derivations by their calls of HMAC-SHA512.
    let derived = 0;
    const { keys, ...rest } = surroundings.context;
    const counting: KeyMath = {
      ...keys,
      hmacSha512: (key, message) => {
        derived++;
        return keys.hmacSha512(key, message);
      },
    };
    const keypool = 300;
    const manager = managerIn({
      dir,
      surroundings: { ...surroundings, context: { ...rest, keys: counting } },
      tip: some.tip!,
      options: { keypool },
    });
    const { most, all } = await mostInATurn(
      () => manager.createWallet({ ...PLAIN_WALLET, descriptors, name: 'w' }),
      () => derived,
    );
    t.ok(all > (descriptors ? 6 : 2) * keypool && most < all / 4, `${most} of ${all} keys in one turn`);
    const wallet = manager.get('w')!;
    const whole = await rowsOf(wallet);
    await wallet.change((batch) => t.equal(wallet.keys.topUp(0, batch), 'full'));
    t.strictSame(await rowsOf(wallet), whole, 'nothing is missing');
    if (descriptors)
      for (const { rangeEnd, expanded } of wallet.descriptors!.actives()) t.same([rangeEnd, expanded], [keypool, keypool - 1]);
    else t.equal(wallet.legacy!.pool.entries().length, 2 * keypool);
    await manager.close();
  });
}

for (const descriptors of [false, true]) {
  t.test(`a payment to the last key of a large pool yields while it refills it${descriptors ? ', descriptors' : ''}`, async (t) => {
    const keypool = 1100;
    const { wallet, address } = await createMemoryWallet({ descriptors, wallet: { keypool } });
    await fillPool(wallet, 0);
    let script = await address('bech32');
    if (descriptors) {
      const tracked = wallet.descriptors!.active('bech32', false)!;
      script = tracked.descriptor.scripts(tracked.rangeEnd - 1, { cache: tracked.cache, secrets: tracked })![0];
    } else
      script = keyHashProgram(
        wallet
          .legacy!.pool.entries()
          .filter(({ internal }) => !internal)
          .at(-1)!.id,
      );
    const keys = () => (descriptors ? wallet.descriptors!.active('bech32', false)!.expanded : wallet.legacy!.pool.lastIndex);
    const input = { prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff };
    const tx = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ script, value: 7000 }], locktime: 0 }), crypto);
    const { most, all } = await mostInATurn(async () => {
      wallet.events.push({ kind: 'entered', tx });
      await wallet.events.applyPending();
    }, keys);
    t.ok(all >= keypool - 1 && most < all / 2, `${most} of ${all} in one turn`);
    t.ok(wallet.ledger.txs.find(tx.txid) >= 0);
    const rows = await rowsOf(wallet);
    await wallet.change((batch) => t.equal(wallet.keys.topUp(0, batch), 'full'));
    t.strictSame(await rowsOf(wallet), rows, 'nothing is missing');
  });
}

t.test('label calls list a large address book, and labels in byte order', async (t) => {
  const { wallet } = await createMemoryWallet();
  const count = 12_000;
  const purposes = ['send', 'receive'] as const;
  const scripts = Array.from({ length: count }, (_, i) => keyHashProgram(crypto.hash160(new Uint8Array(new Uint32Array([i]).buffer))));
  await wallet.change((batch) => {
    for (const [i, script] of scripts.entries()) wallet.book.set(script, `of ${i % 3}`, purposes[i % 2], batch);
    // The label "other" is replaced by another one, and the last address was only spent from. Neither adds a label to
    // the list.
    wallet.book.set(scripts[0], 'other', 'receive', batch);
    wallet.book.set(scripts[0], '\u{1f511} \uffff', 'receive', batch);
    wallet.book.set(scripts[1], '\uffff', undefined, batch);
    wallet.book.markUsed(keyHashProgram(new Uint8Array(20)), batch);
  });
  t.same(await run(wallet, listlabels), ['of 0', 'of 1', 'of 2', '\uffff', '\u{1f511} \uffff'], 'in the order of their bytes');
  t.same(await run(wallet, listlabels, 'send'), ['of 0', 'of 1', 'of 2']);
  t.same(await run(wallet, listlabels, 'nonsense'), []);

  const answer = ((await run(wallet, getaddressesbylabel, 'of 2')) as RawJson).text;
  const wanted = scripts
    .map((script, i) => ({ script, purpose: purposes[i % 2] }))
    .filter((_, i) => i % 3 === 2)
    .sort((a, b) => Buffer.compare(a.script, b.script))
    .map(({ script, purpose }) => [encodeAddress(script, chainParams('regtest'), crypto), { purpose }]);
  t.same(Object.entries(JSON.parse(answer)), wanted);
  await t.rejects(run(wallet, getaddressesbylabel, 'of 3'), { code: -11 });
});

t.test('lists of receipts and groups follow payments to every address', async (t) => {
  const { wallet, address, receive, enter } = await createMemoryWallet();
  const scripts: Uint8Array[] = [];
  for (let i = 0; i < 40; i++) scripts.push(await address('bech32'));
  await wallet.change((batch) => {
    for (const [i, script] of scripts.entries()) wallet.book.set(script, `of ${i % 3}`, 'receive', batch);
  });
  const text = (script: Uint8Array): string => encodeAddress(script, chainParams('regtest'), crypto)!;
  const [first, last] = [scripts[0], scripts[39]];
  const both = [first, last].map((script) => ({ script, value: 1000 }));
  const sats = (amount: unknown): number => Number((amount as Amount).sats);
  const ofBoth = (lines: readonly (readonly [string, unknown])[]): number[] =>
    [first, last].map((script) => sats(lines.find(([name]) => name === text(script))?.[1]));
  const received = async (): Promise<number[]> => {
    const lines = (await run(wallet, listreceivedbyaddress, 0, true)) as { address: string; amount: unknown }[];
    return ofBoth(lines.map(({ address: name, amount }) => [name, amount] as const));
  };
  t.same(await received(), [0, 0]);
  const paid = await receive(both, TIP);
  t.same(await received(), [1000, 1000]);

  for (const script of scripts.slice(1, -1)) await receive([{ script, value: 5 }], TIP);
  // The check of coins reaches this coin last.
  const rest = await receive([{ script: last, value: 300 }], TIP);
  const grouped = async (): Promise<number[]> => ofBoth(((await run(wallet, listaddressgroupings)) as [string, unknown][][]).flat());
  t.same(await grouped(), [1000, 1300]);
  const spend = parseTx(
    buildTx({
      version: 2,
      inputs: [paid, rest].map(({ txid }) => ({ prevHash: txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff })),
      outputs: [{ script: Uint8Array.of(0x51), value: 1 }],
      locktime: 0,
    }),
    crypto,
  );
  await enter(spend);
  t.same(await grouped(), [0, 1000]);
  await wallet.close();
});
