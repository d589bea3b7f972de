// gethdkeys, createwalletdescriptor, addhdkey and derivehdkey on wallets in memory. Keys are BIP-0032's first test
// vector, for test networks.
import t from 'tap';
import { encodeExtendedSecret } from '../../../src/address/bip32/extended-codec.js';
import { masterFromSeed } from '../../../src/address/bip32/extended-key.js';
import { parsePath } from '../../../src/address/bip32/key-path.js';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { addhdkey } from '../../../src/rpc/methods/wallet/addhdkey.js';
import { createwalletdescriptor } from '../../../src/rpc/methods/wallet/createwalletdescriptor.js';
import { derivehdkey } from '../../../src/rpc/methods/wallet/derivehdkey.js';
import { gethdkeys } from '../../../src/rpc/methods/wallet/gethdkeys.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';
import { encrypt, run, XPRV, XPUB } from '../../framework/wallet-calls.js';

type Keys = { xpub: string; xprv?: string; has_private: boolean; descriptors: { desc: string; active: boolean }[] }[];
const UNLOCK_FIRST = { code: -13, message: 'Error: Please enter the wallet passphrase with walletpassphrase first.' };

t.test('gethdkeys lists one key with all descriptors for a new wallet', async (t) => {
  const { wallet } = await createMemoryWallet({ descriptors: true, wallet: { taprootSeeds: true } });
  const [own, ...rest] = (await run(wallet, gethdkeys)) as Keys;
  t.same(rest, []);
  t.equal(own.has_private, true);
  t.equal(own.xprv, undefined);
  t.equal(own.descriptors.length, 8);
  t.ok(own.descriptors.every(({ active }) => active));
  t.same(
    own.descriptors.map(({ desc }) => desc),
    own.descriptors.map(({ desc }) => desc).sort(),
  );
  const [shown] = (await run(wallet, gethdkeys, { private: true })) as Keys;
  t.match(shown.xprv, /^tprv/);
  await encrypt(wallet);
  wallet.vault.lock();
  t.same(await run(wallet, gethdkeys), [own], 'a locked wallet returns the same');
  await t.rejects(run(wallet, gethdkeys, { private: true }), UNLOCK_FIRST);
});

t.test('createwalletdescriptor adds an address type once', async (t) => {
  const { wallet } = await createMemoryWallet({ descriptors: true });
  t.equal(wallet.descriptors!.active('bech32m', false), undefined);
  const { descs } = (await run(wallet, createwalletdescriptor, 'bech32m')) as { descs: string[] };
  t.equal(descs.length, 2);
  t.ok(descs.every((desc) => /^tr\(\[[0-9a-f]{8}\/86h\/1h\/0h\]tpub[^/]*\/[01]\/\*\)#/.test(desc)));
  t.ok(wallet.descriptors!.active('bech32m', true));
  t.equal(wallet.descriptors!.active('bech32m', false)!.rangeEnd, 5, 'its pool is filled');
  await t.rejects(run(wallet, createwalletdescriptor, 'bech32m'), { code: -4, message: 'Descriptor already exists' });
  await t.rejects(run(wallet, createwalletdescriptor, 'bech33'), { code: -5, message: "Unknown address type 'bech33'" });
  await t.rejects(run(wallet, createwalletdescriptor, 'bech32', { hdkey: 'x' }), { code: -5 });
  await t.rejects(run(wallet, createwalletdescriptor, 'bech32', { hdkey: XPUB }), { message: `Private key for ${XPUB} is not known` });
  await encrypt(wallet);
  wallet.vault.lock();
  await t.rejects(run(wallet, createwalletdescriptor, 'bech32m'), UNLOCK_FIRST);
});

t.test('createwalletdescriptor adds one descriptor of a key from addhdkey', async (t) => {
  const { wallet } = await createMemoryWallet({ descriptors: true });
  t.same(await run(wallet, addhdkey, XPRV), { xpub: XPUB });
  await t.rejects(run(wallet, addhdkey, XPRV), { code: -4, message: 'HD key already exists' });
  await t.rejects(run(wallet, addhdkey, XPUB), { code: -5, message: /^Extended public key .xpub. provided/ });
  await t.rejects(run(wallet, addhdkey, 'x'), { code: -5, message: 'Could not parse HD key' });
  const scripts = wallet.keys.scriptCount;
  const { descs } = (await run(wallet, createwalletdescriptor, 'bech32m', { internal: true, hdkey: XPUB })) as { descs: string[] };
  t.equal(descs.length, 1);
  t.equal(wallet.keys.scriptCount, scripts + 5);
  const keys = (await run(wallet, gethdkeys)) as Keys;
  t.equal(keys.length, 2);
  t.equal(keys.find(({ xpub }) => xpub === XPUB)!.descriptors.length, 2, 'unused() and the new one');
  t.equal(((await run(wallet, gethdkeys, { active_only: true })) as Keys).find(({ xpub }) => xpub === XPUB)!.descriptors.length, 1);
  const random = (await run(wallet, addhdkey)) as { xpub: string };
  t.match(random.xpub, /^tpub/);
  await t.rejects(run(wallet, createwalletdescriptor, 'legacy'), { code: -5, message: /^Unable to determine which HD key/ });
});

t.test('derivehdkey derives keys and rejects invalid paths', async (t) => {
  const seed = new Uint8Array(Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'));
  const context = descriptorContext('master', 'regtest');
  const root = masterFromSeed(seed, context)!;
  const { wallet } = await createMemoryWallet({ descriptors: true });
  await run(wallet, addhdkey, encodeExtendedSecret(root, context.params, context));
  // The vector's m/0h/1, with the versions of test networks.
  const xpub = 'tpubDApXh6cD2fZ7WjtgpHd8yrWyYaneiFuRZa7fVjMkgxsmC1QzoXW8cgx9zQFJ81Jx4deRGfRE7yXA9A3STsxXj4CKEZJHYgpMYikkas9DBTP';
  t.same(await run(wallet, derivehdkey, "m/0'/1"), { origin: '[3442193e/0h/1]', xpub });
  const { xprv } = (await run(wallet, derivehdkey, '0h/1', { private: true })) as { xprv: string };
  t.match(xprv, /^tprv/);
  await t.rejects(run(wallet, derivehdkey, 'm/0/1'), { code: -8, message: 'Derivation path requires at least one hardened step' });
  await t.rejects(run(wallet, derivehdkey, 'm//1'), { code: -8, message: 'Invalid BIP32 keypath' });
  const tooDeep = { code: -8, message: 'Unable to derive HD key at the requested path' };
  await t.rejects(run(wallet, derivehdkey, `m/0h${'/0'.repeat(255)}`), tooDeep);
  const notRead = { code: -8, message: 'Invalid BIP32 keypath' };
  await t.rejects(run(wallet, derivehdkey, `m/0h${'/0'.repeat(1_000_000)}`), notRead, 'megabytes are not read');
  await t.rejects(run(wallet, derivehdkey, 'm/0h', { hdkey: XPUB }), {
    message: 'HD key is not used by an active or unused(KEY) descriptor',
  });
  await run(wallet, importdescriptors, [{ desc: addChecksum(`wpkh(${XPRV}/0/*)`), timestamp: 'now', range: [0, 1] }]);
  await t.rejects(run(wallet, derivehdkey, 'm/0h', { hdkey: XPUB }), { code: -5 }, 'a key of nothing that gives out addresses');
  wallet.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
  await t.rejects(run(wallet, derivehdkey, 'm/0h'), { code: -4, message: 'derivehdkey is not available for watch-only wallets' });
});

t.test('HD key calls fail for legacy wallets', async (t) => {
  const { wallet: legacy } = await createMemoryWallet();
  for (const method of [gethdkeys, addhdkey]) await t.rejects(run(legacy, method), { code: -4 });
  for (const method of [createwalletdescriptor, derivehdkey]) await t.rejects(run(legacy, method, 'm/0h'), { code: -4 });
});

t.test('parses key paths and rejects malformed ones', async (t) => {
  t.same(parsePath('m'), []);
  t.same(parsePath(''), []);
  t.same(parsePath("m/84'/1h/0/"), [0x8000_0054, 0x8000_0001, 0]);
  t.same(parsePath("2147483647'"), [0xffff_ffff]);
  for (const text of ['m/m', '/0', 'm//0', 'x', '-1', '1.5', "2147483648'", "0''", 'M/0']) t.equal(parsePath(text), null, text);
});
