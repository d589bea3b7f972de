// Tests the results of imports: every path of a descriptor, labels of dumps, times, seeds; and sums and lists of coins
// that belong to them.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { encodeAddress } from '../../../src/address/address.js';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { encodeWif } from '../../../src/address/wif.js';
import { toHex } from '../../../src/consensus/bytes/hex.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import type { KeyMath } from '../../../src/crypto/key-math.js';
import { getaddressinfo } from '../../../src/rpc/methods/wallet/getaddressinfo.js';
import { getbalances } from '../../../src/rpc/methods/wallet/getbalances.js';
import { getnewaddress } from '../../../src/rpc/methods/wallet/getnewaddress.js';
import { getwalletinfo } from '../../../src/rpc/methods/wallet/getwalletinfo.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { importmulti } from '../../../src/rpc/methods/wallet/importmulti.js';
import { importprivkey } from '../../../src/rpc/methods/wallet/importprivkey.js';
import { importwallet } from '../../../src/rpc/methods/wallet/importwallet.js';
import { listunspent } from '../../../src/rpc/methods/wallet/listunspent.js';
import { sethdseed } from '../../../src/rpc/methods/wallet/sethdseed.js';
import { importTime } from '../../../src/rpc/wallet/import-outcome.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { Amount, JsonNumber, JsonObject, type RawJson } from '../../../src/rpc/wire/values.js';
import { payToKeyHash } from '../../../src/wallet/keys/is-mine.js';
import { keyHashProgram } from '../../../src/wallet/keys/key-table.js';
import { OWNERSHIP } from '../../../src/wallet/keys/ownership.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { descriptorContext, keyMath, mustParse } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { contextOf, rowsOf, run, XPRV, XPUB } from '../../framework/wallet-calls.js';

const params = chainParams('regtest');
const addressOf = (script: Uint8Array): string => encodeAddress(script, params, crypto) as string;
const fine = [{ success: true }];
/** The public key of a small number. */
const keyAt = (number: number): Uint8Array => keyMath.publicKey(Uint8Array.of(...new Uint8Array(31), number), true)!;

/** Makes a wallet that can hold public keys only. */
async function watchOnly(descriptors: boolean): Promise<Wallet> {
  const { wallet } = await createMemoryWallet({ descriptors });
  wallet.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
  return wallet;
}
/** Returns the scripts of all paths of a descriptor at an index. */
const scriptsAt = (text: string, index: number): Uint8Array[] =>
  mustParse(text, descriptorContext('master', 'regtest')).descriptors.map((one) => one.scripts(index)?.[0] as Uint8Array);

t.test('importdescriptors takes every path of a multipath descriptor', async (t) => {
  const wallet = await watchOnly(true);
  const keys = wallet.descriptors!;
  const desc = addChecksum(`wpkh(${XPUB}/<0;1>/*)`);
  const request = { desc, timestamp: 'now', range: [0, 5], active: true };
  t.same(await run(wallet, importdescriptors, [request]), fine);
  const [first, second] = scriptsAt(desc, 5);
  t.not(wallet.keys.isMine(first), 0);
  t.not(wallet.keys.isMine(second), 0);
  const text = (internal: boolean): string => String(keys.active('bech32', internal)?.descriptor);
  t.equal(text(false), addChecksum(`wpkh(${XPUB}/0/*)`));
  t.equal(text(true), addChecksum(`wpkh(${XPUB}/1/*)`), 'the second of two gives change');

  const error = (code: number, message: string) => [{ success: false, error: { code, message } }];
  const internal = error(-5, "Cannot have multipath descriptor while also specifying 'internal'");
  t.same(await run(wallet, importdescriptors, [{ ...request, internal: false }]), internal);
  t.same(await run(wallet, importdescriptors, [{ ...request, label: '' }]), error(-8, 'Multipath descriptors should not have a label'));

  const three = { desc: addChecksum(`pkh(${XPUB}/<4;5;6>/7)`), timestamp: 'now' };
  t.same(await run(wallet, importdescriptors, [three]), fine);
  for (const script of scriptsAt(three.desc, 0)) {
    t.not(wallet.keys.isMine(script), 0);
    t.equal(wallet.book.label(script), '', 'of three none gives change');
  }
  const two = { desc: addChecksum(`pkh(${XPUB}/<8;9>/7)`), timestamp: 'now' };
  t.same(await run(wallet, importdescriptors, [two]), fine);
  t.same(
    scriptsAt(two.desc, 0).map((script) => wallet.book.label(script)),
    ['', undefined],
  );

  const { wallet: spender } = await createMemoryWallet({ descriptors: true });
  const secret = { desc: addChecksum(`sh(wpkh(${XPRV}/<0';1'>/*))`), timestamp: 'now', range: 3, active: true };
  t.same(await run(spender, importdescriptors, [secret]), fine);
  for (const internal of [false, true]) {
    const tracked = spender.descriptors!.active('p2sh-segwit', internal);
    t.ok(tracked?.hasSecrets);
    t.match(String(tracked?.descriptor), internal ? "/1'/*" : "/0'/*");
  }
});

t.test('importmulti takes every path of a multipath descriptor', async (t) => {
  const wallet = await watchOnly(false);
  const desc = addChecksum(`wpkh(${XPUB}/<0;1>/*)`);
  const request = { desc, timestamp: 'now', range: [0, 2], watchonly: true, keypool: true, label: 'both' };
  const pool = wallet.legacy!.pool;
  const before = new Set(pool.entries().map(({ index }) => index));
  t.same(await run(wallet, importmulti, [request], { rescan: false }), fine);
  const [receiving, change] = [0, 1].map((at) => [0, 1, 2].map((index) => scriptsAt(desc, index)[at]));
  for (const script of [...receiving, ...change]) {
    t.not(wallet.keys.isMine(script), 0);
    t.equal(wallet.book.label(script), 'both');
  }
  const added = pool.entries().filter(({ index }) => !before.has(index));
  const scripts = (internal: boolean) => added.filter((one) => one.internal === internal).map(({ id }) => keyHashProgram(id));
  t.same(scripts(false), receiving);
  t.same(scripts(true), change, 'the second of two gives change');
  t.same(await run(wallet, importmulti, [{ ...request, label: undefined, internal: true }], { rescan: false }), [
    { success: false, error: { code: -5, message: "Cannot have multipath descriptor while also specifying 'internal'" } },
  ]);
});

t.test('importTime caps timestamps at the largest exact number', (t) => {
  for (const [given, taken] of [
    ['9223372036854775807', 9007199254740991],
    ['9007199254740993', 9007199254740991],
    ['9007199254740990', 9007199254740990],
    ['-9223372036854775808', -(2 ** 63)],
  ] as const) {
    t.equal(importTime(new JsonObject(['timestamp'], [new JsonNumber(given)]), 0), taken);
  }
  t.end();
});

const secretOf = (number: number): Uint8Array => new Uint8Array(32).fill(number);
const keyId = (secret: Uint8Array, compressed = true): Uint8Array => crypto.hash160(keyMath.publicKey(secret, compressed) as Uint8Array);
const wifOf = (key: Uint8Array, compressed = true): string => encodeWif({ key, compressed }, params, crypto);

t.test('importwallet sets the labels of a dump', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-labels-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const { wallet } = await createMemoryWallet();
  const time = '2020-01-01T00:00:00Z';
  const lines: readonly (readonly [words: string, label: string | undefined])[] = [
    [time, ''],
    [`${time} label=plain # addr=none`, 'plain'],
    [`${time} change=1`, undefined],
    [`${time} reserve=1 # addr=none`, undefined],
    [`${time} hdseed=1`, ''],
    [`${time} change=1 label=last`, 'last'],
    [`${time} label=one label=two%20words`, 'two words'],
    [`${time} # label=comment`, ''],
    ['', ''],
  ];
  const file = path.join(folder, 'dump');
  const write = (text: (at: number) => string): void =>
    fs.writeFileSync(file, lines.map((_, at) => `${wifOf(secretOf(at + 1))} ${text(at)}\n`).join(''));
  write((at) => lines[at][0]);
  await run(wallet, importwallet, file);
  for (const [at, [words, label]] of lines.entries()) {
    const id = keyId(secretOf(at + 1));
    t.ok(wallet.legacy!.hasSecret(id), words);
    t.equal(wallet.book.label(payToKeyHash(id)), label, words);
  }
  write(() => `${time} label=new`);
  await run(wallet, importwallet, file);
  for (const at of lines.keys()) t.equal(wallet.book.label(payToKeyHash(keyId(secretOf(at + 1)))), 'new', 'of a key that is held already');
});

t.test('sethdseed accepts a seed in compressed and uncompressed form', async (t) => {
  for (const compressed of [true, false]) {
    const { wallet } = await createMemoryWallet();
    await run(wallet, sethdseed, true, wifOf(secretOf(5), compressed));
    const id = keyId(secretOf(5), compressed);
    t.same(wallet.record.hd?.seedId, id, 'is named by the hash of its key in that form');
    t.ok(wallet.legacy!.hasSecret(id));
    await run(wallet, getnewaddress);
  }
});

t.test('getwalletinfo and getbalances agree for a wallet with avoid_reuse', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet({ avoidReuse: true });
  const [used, other] = [await address('bech32'), await address('bech32')];
  await receive(
    [
      { script: used, value: 1000 },
      { script: other, value: 30_000 },
    ],
    900,
  );
  await receive(
    [
      { script: used, value: 200 },
      { script: other, value: 5000 },
    ],
    0,
  );
  await wallet.change((batch) => wallet.book.markUsed(used, batch));
  const { mine } = (await run(wallet, getbalances)) as { mine: Record<string, unknown> };
  const info = (await run(wallet, getwalletinfo)) as Record<string, unknown>;
  t.same([info.balance, info.unconfirmed_balance, info.immature_balance], [mine.trusted, mine.untrusted_pending, mine.immature]);
  t.same(info.balance, new Amount(30_000));
  t.same(info.unconfirmed_balance, new Amount(5000));
});

t.test('listunspent lists very many coins of an address in order', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet();
  const [script, other] = [await address('bech32'), await address('bech32')];
  const count = 130_000;
  const portion = Array.from({ length: count / 10 }, (_, at) => ({ script, value: 1000 + at }));
  for (let i = 0; i < 10; i++) await receive([...portion, { script: other, value: 5 }], 900 - i);
  const { text } = (await run(wallet, listunspent, 1, 9999999, [addressOf(script)])) as RawJson;
  const listed = JSON.parse(text) as { txid: string; vout: number }[];
  t.equal(listed.length, count);
  const reversed = (txid: string): string => Buffer.from(txid, 'hex').reverse().toString('hex');
  const inOrder = [...listed].sort((a, b) => (reversed(a.txid) < reversed(b.txid) ? -1 : a.txid === b.txid ? a.vout - b.vout : 1));
  t.strictSame(
    listed.map(({ txid, vout }) => `${txid}:${vout}`),
    inOrder.map(({ txid, vout }) => `${txid}:${vout}`),
    'in order of txid and output',
  );
});

t.test('importdescriptors rejects a range in which one index cannot be derived', async (t) => {
  const wallet = await watchOnly(true);
  const keys = wallet.descriptors!;
  const text = `wpkh(${XPUB}/3/*)`;
  const context = descriptorContext('master', 'regtest');
  const missing = mustParse(text, context).descriptors[0].expand(7)?.hashedKeys[0] as Uint8Array;
  const math: KeyMath = Object.assign(Object.create(context.keys) as KeyMath, {
    addToPublic: (publicKey: Uint8Array, tweak: Uint8Array) => {
      const sum = context.keys.addToPublic(publicKey, tweak);
      return sum && Buffer.compare(sum, missing) === 0 ? null : sum;
    },
  });
  const descriptors = { ...context, keys: math };
  const limping: { importdescriptors: typeof importdescriptors } = {
    importdescriptors: (params, ctx, call) => importdescriptors(params, { ...ctx, descriptors } as typeof ctx, call),
  };
  const [rows, count] = [await rowsOf(wallet), keys.all.length];
  const desc = addChecksum(text);
  const request = { desc, timestamp: 'now', range: [0, 9], active: true };
  t.same(await run(wallet, limping.importdescriptors, [request]), [
    { success: false, error: { code: -4, message: `Could not add descriptor '${desc}'` } },
  ]);
  t.equal(keys.all.length, count, 'nothing of the import is stored');
  t.equal(wallet.keys.isMine(scriptsAt(text, 0)[0]), 0);
  t.same(await rowsOf(wallet), rows);
  t.same(await run(wallet, importdescriptors, [request]), fine);
  t.not(wallet.keys.isMine(scriptsAt(text, 7)[0]), 0);
});

t.test('getaddressinfo shows the timestamp of the last import that took effect', async (t) => {
  const wallet = await watchOnly(false);
  const witnessScript = Uint8Array.of(0x51, 0x21, ...keyAt(1), 0x51, 0xae);
  const script = Uint8Array.of(0x00, 0x20, ...crypto.sha256(witnessScript));
  const request = { scriptPubKey: toHex(script), watchonly: true };
  const time = async () => JSON.parse(((await run(wallet, getaddressinfo, addressOf(script))) as RawJson).text).timestamp;
  t.same(await run(wallet, importmulti, [{ ...request, timestamp: 1000 }], { rescan: false }), fine);
  t.equal(await time(), 1000, 'watched');
  const solved = { ...request, witnessscript: toHex(witnessScript), timestamp: 2000 };
  t.same(await run(wallet, importmulti, [solved], { rescan: false }), fine);
  t.equal(await time(), 2000, 'with what solves it');
  t.same(await run(wallet, importmulti, [{ ...solved, timestamp: 3000 }], { rescan: false }), fine);
  t.equal(await time(), 2000, 'a repeated import changes nothing');
  t.same(await run(wallet, importmulti, [{ ...request, timestamp: 500 }], { rescan: false }), fine);
  t.equal(await time(), 500, 'watched again');
});

t.test('watching a script with an invalid public key adds no key', async (t) => {
  const wallet = await watchOnly(false);
  for (const [key, known] of [
    [keyAt(1), true],
    [Uint8Array.of(2, ...new Uint8Array(31), 5), false],
  ] as const) {
    const request = { scriptPubKey: toHex(Uint8Array.of(0x21, ...key, 0xac)), timestamp: 'now', watchonly: true };
    t.same(await run(wallet, importmulti, [request], { rescan: false }), fine);
    t.equal(wallet.keys.isMine(Uint8Array.of(0x21, ...key, 0xac)), OWNERSHIP.WATCH);
    const id = crypto.hash160(key);
    t.equal(wallet.legacy!.publicKey(id) !== undefined, known);
    t.equal(wallet.legacy!.hasScript(crypto.hash160(keyHashProgram(id))), known, 'nor the witness program that a key implies');
  }
});

t.test('imports private keys next to a key whose hardened step cannot be derived', async (t) => {
  const { wallet } = await createMemoryWallet();
  const { descriptors, secrets } = mustParse(`pkh(${XPRV}/7'/0)`, descriptorContext('master', 'regtest'));
  const [other] = /tpub\w+/.exec(descriptors[0].normalizedText({ secrets }) ?? '') ?? [];
  const request = { desc: addChecksum(`sh(multi(1,${XPRV}/1,${other}/1'))`), timestamp: 'now' };
  t.same(await run(wallet, importmulti, [request], { rescan: false }), fine);
  const [script] = scriptsAt(addChecksum(`pkh(${XPRV}/1)`), 0);
  t.equal(wallet.keys.isMine(script), OWNERSHIP.SPENDABLE);
});

t.test('overwrites imported private keys before the scan starts', async (t) => {
  const request = { desc: addChecksum(`pkh(${XPRV}/1)`), timestamp: 'now' };
  const calls = [
    { descriptors: true, method: importdescriptors, args: [[request]] },
    { descriptors: false, method: importmulti, args: [[request]] },
    { descriptors: false, method: importprivkey, args: [wifOf(secretOf(1))] },
  ];
  for (const { descriptors, method, args } of calls) {
    const { wallet } = await createMemoryWallet({ descriptors });
    const secrets: Uint8Array[] = [];
    const apply = wallet.import.bind(wallet);
    wallet.import = (plan) => {
      for (const item of plan.items) for (const { secret } of item.kind === 'key' ? [item] : item.secrets) secrets.push(secret);
      t.ok(secrets.length > 0 && secrets.every((secret) => secret.some(Boolean)), 'the plan has private keys');
      return apply(plan);
    };
    const ctx = contextOf(wallet);
    let scans = 0;
    ctx.wallets!.logOperation = () => {
      scans++;
      t.notOk(
        secrets.some((secret) => secret.some(Boolean)),
        method.name,
      );
    };
    await runMethod<typeof ctx>(
      method,
      ctx,
      args.map((arg) => parseJson(Buffer.from(JSON.stringify(arg)))),
    );
    t.equal(scans, 1);
  }
});

t.test('importdescriptors warns of each path that cannot give addresses', async (t) => {
  const wallet = await watchOnly(true);
  const request = { desc: addChecksum(`pk(${XPUB}/<0;1>/*)`), timestamp: 'now', range: [0, 1], active: true };
  const warning = 'Unknown output type, cannot set descriptor to active.';
  t.same(await run(wallet, importdescriptors, [request]), [{ success: true, warnings: [warning, warning] }]);
});

t.test('importdescriptors checks a range after the requests before it', async (t) => {
  const wallet = await watchOnly(true);
  const request = (first: number) => ({ desc: addChecksum(`wpkh(${XPUB}/*)`), timestamp: 'now', range: [first, 30] });
  t.same(await run(wallet, importdescriptors, [request(20)]), fine);
  const [first, second] = (await run(wallet, importdescriptors, [request(10), request(25)])) as Record<string, unknown>[];
  t.same([first], fine);
  t.match(second, { success: false, error: { code: -32602, message: 'range_start can only decrease; current range = [10,' } });
});
