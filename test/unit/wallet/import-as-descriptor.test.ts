// Tests importmulti in descriptor wallets: each request must import the descriptor that is equivalent to it.
import t from 'tap';
import { encodeAddress } from '../../../src/address/address.js';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { encodeWif } from '../../../src/address/wif.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { importmulti } from '../../../src/rpc/methods/wallet/importmulti.js';
import { listdescriptors } from '../../../src/rpc/methods/wallet/listdescriptors.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import type { RawJson } from '../../../src/rpc/wire/values.js';
import { OWNERSHIP } from '../../../src/wallet/keys/ownership.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { descriptorContext, keyMath, mustParse } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { contextOf, rowsOf, run, XPRV, XPUB } from '../../framework/wallet-calls.js';

const params = chainParams('regtest');
const context = descriptorContext('master', 'regtest');
const addressOf = (script: Uint8Array): string => encodeAddress(script, params, crypto) as string;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const secret = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const publicKey = (byte: number): Uint8Array => keyMath.publicKey(secret(byte), true) as Uint8Array;
const wif = (byte: number): string => encodeWif({ key: secret(byte), compressed: true }, params);
const scriptOf = (text: string, index = 0): Uint8Array =>
  mustParse(addChecksum(text), context).descriptors[0].scripts(index)?.[0] as Uint8Array;
const fine = { success: true };

async function walletOf(publicOnly = false): Promise<Wallet> {
  const { wallet } = await createMemoryWallet({ descriptors: true });
  if (publicOnly) wallet.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
  return wallet;
}

/** Calls importmulti with the default version of replies and the default policy. */
const imported = async (wallet: Wallet, requests: readonly object[], options: object = {}): Promise<unknown> => {
  const read = (value: unknown) => parseJson(Buffer.from(JSON.stringify(value)));
  const timed = requests.map((request) => ({ timestamp: 'now', ...request }));
  return runMethod(importmulti, { ...contextOf(wallet), compat: COMPATS.default }, [read(timed), read(options)], { user: '', path: '/' });
};

async function descriptorsOf(wallet: Wallet): Promise<{ desc: string; active: boolean; internal?: boolean; range?: number[] }[]> {
  return JSON.parse(((await run(wallet, listdescriptors)) as RawJson).text).descriptors;
}
const textsOf = async (wallet: Wallet): Promise<string[]> => (await descriptorsOf(wallet)).map(({ desc }) => desc);

t.test('importmulti turns scripts with private keys into descriptors', async (t) => {
  const wallet = await walletOf();
  const [one, two] = [hex(publicKey(1)), hex(publicKey(2))];
  const forms = [`pkh(${one})`, `wpkh(${one})`, `sh(wpkh(${two}))`, `wsh(multi(2,${one},${two}))`, `sh(wsh(pkh(${one})))`, `pk(${two})`];
  for (const form of forms) {
    const descriptor = mustParse(addChecksum(form), context).descriptors[0];
    const inner = descriptor.expand(0, {})?.innerScripts.map(hex) ?? [];
    const script = scriptOf(form);
    const hashed = form.startsWith('sh(')
      ? inner.find((text) => hex(crypto.hash160(Buffer.from(text, 'hex'))) === hex(script.slice(2, 22)))
      : undefined;
    const request = {
      scriptPubKey: form.startsWith('pk(') ? hex(script) : { address: addressOf(script) },
      ...(hashed ? { redeemscript: hashed } : {}),
      ...(form.includes('wsh(') ? { witnessscript: inner.find((text) => text !== hashed) } : {}),
      keys: form.includes('multi') ? [wif(1), wif(2)] : [form.includes(one) ? wif(1) : wif(2)],
      ...(form.startsWith('pk(') ? { internal: true } : { label: form.slice(0, 4) }),
    };
    t.strictSame(await imported(wallet, [request], { rescan: false }), [fine], form);
    t.equal(wallet.keys.isMine(script), OWNERSHIP.SPENDABLE, form);
    t.ok((await textsOf(wallet)).includes(addChecksum(form)), form);
  }
  const sealed = (await rowsOf(wallet)).join();
  t.ok(sealed.includes(hex(secret(1))) && sealed.includes(hex(secret(2))), 'private keys are kept');
});

t.test('importmulti imports descriptors and ranges with their private keys', async (t) => {
  const wallet = await walletOf();
  const [one] = [hex(publicKey(1))];
  const requests = [
    { desc: addChecksum(`wpkh(${one})`), keys: [wif(1), wif(3)], label: 'single' },
    { desc: addChecksum(`pkh(${XPRV}/7/*)`), range: [2, 4] },
  ];
  t.strictSame(await imported(wallet, requests), [{ ...fine, warnings: ['Ignoring irrelevant private key.'] }, fine]);
  t.equal(wallet.keys.isMine(scriptOf(`wpkh(${one})`)), OWNERSHIP.SPENDABLE);
  t.equal(wallet.keys.isMine(scriptOf(`pkh(${XPRV}/7/*)`, 4)), OWNERSHIP.SPENDABLE);
  t.notOk(wallet.descriptors!.locate(scriptOf(`wpkh(${hex(publicKey(3))})`)), 'nothing comes of what is ignored');
  const [range] = (await descriptorsOf(wallet)).filter(({ desc }) => desc.includes('/7/'));
  t.match(range, { active: false, range: [2, 6] }, 'the key pool ahead of it, as importdescriptors has it');
});

t.test('importmulti turns public keys, addresses and scripts into watch-only descriptors', async (t) => {
  const wallet = await walletOf(true);
  const one = hex(publicKey(1));
  const other = addressOf(scriptOf(`pkh(${hex(publicKey(9))})`));
  const watchonly = true;
  const requests = [
    { scriptPubKey: { address: other } },
    { scriptPubKey: { address: addressOf(scriptOf(`wpkh(${one})`)) }, pubkeys: [one], watchonly },
    { scriptPubKey: '52', internal: true },
    { desc: addChecksum(`wpkh(${XPUB}/1/*)`), range: 5, keypool: true, watchonly, internal: true },
  ];
  t.strictSame(await imported(wallet, requests), [fine, fine, fine, fine]);
  const texts = await textsOf(wallet);
  for (const text of [`addr(${other})`, `wpkh(${one})`, 'raw(52)', `wpkh(${XPUB}/1/*)`]) t.ok(texts.includes(addChecksum(text)), text);
  t.match(
    (await descriptorsOf(wallet)).find(({ desc }) => desc.startsWith('wpkh(tpub')),
    { active: true, internal: true, range: [0, 5] },
    'what was for the key pool gives out addresses',
  );
});

t.test('labels each address of an imported range and none beyond it', async (t) => {
  const wallet = await walletOf(true);
  const text = `wpkh(${XPUB}/1/*)`;
  const label = (index: number): string | undefined => wallet.book.label(scriptOf(text, index));
  const request = { desc: addChecksum(text), range: [1, 3], watchonly: true, label: 'many' };
  t.strictSame(await imported(wallet, [request]), [fine]);
  t.strictSame([0, 1, 2, 3, 4].map(label), [undefined, 'many', 'many', 'many', undefined]);
  t.strictSame(await imported(wallet, [{ ...request, range: [0, 5], label: 'more' }]), [fine]);
  t.strictSame([0, 2, 5, 6].map(label), ['more', 'more', 'more', undefined], 'again with another label and a wider range');
  const ctx = { ...contextOf(wallet), compat: COMPATS.default };
  const asked = parseJson(Buffer.from(JSON.stringify([{ desc: addChecksum(text), timestamp: 'now', range: 5, label: 'x' }])));
  t.match(
    await runMethod(importdescriptors, ctx, [asked], { user: '', path: '/' }),
    [{ success: false, error: { message: 'Ranged descriptors should not have a label' } }],
    'importdescriptors refuses it, as Core does',
  );
});

t.test('importmulti rejects invalid requests and imports nothing of them', async (t) => {
  const wallet = await walletOf();
  const before = await rowsOf(wallet);
  const publicOnly = await walletOf(true);
  const address = addressOf(scriptOf(`wpkh(${hex(publicKey(1))})`));
  const error = (code: number, message: string) => [{ success: false, error: { code, message } }];
  const ranged = addChecksum(`wpkh(${XPUB}/1/*)`);
  t.strictSame(
    await imported(wallet, [{ scriptPubKey: { address } }]),
    error(-4, 'Cannot import descriptor without private keys to a wallet with private keys enabled'),
  );
  t.strictSame(
    await imported(publicOnly, [{ scriptPubKey: { address }, keys: [wif(1)] }]).then((all) =>
      (all as object[]).map((one) => ({ ...one, warnings: undefined })),
    ),
    error(-4, 'Cannot import private keys to a wallet with private keys disabled').map((one) => ({ ...one, warnings: undefined })),
  );
  t.strictSame(
    await imported(publicOnly, [{ desc: ranged, watchonly: true }]),
    error(-8, 'Descriptor is ranged, please specify the range'),
  );
  t.strictSame(
    await imported(publicOnly, [{ desc: ranged, range: 1, watchonly: true, internal: true, label: 'many' }]),
    error(-8, 'Internal addresses should not have a label'),
  );
  t.strictSame(await imported(publicOnly, [{ scriptPubKey: { address }, keypool: true }]), error(-8, 'Active descriptors must be ranged'));
  t.strictSame(await imported(wallet, [{}]), error(-8, 'Either a descriptor or scriptPubKey must be provided.'));
  await t.rejects(run(wallet, importmulti, []), { message: 'This type of wallet does not support this command' }, '0.21.1');
  t.strictSame(await rowsOf(wallet), before, 'nothing came in');
});
