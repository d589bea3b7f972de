// unused(KEY): a wallet of descriptors keeps a key that has no script yet.
import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { importmulti } from '../../../src/rpc/methods/wallet/importmulti.js';
import { listdescriptors } from '../../../src/rpc/methods/wallet/listdescriptors.js';
import { deriveAddresses } from '../../../src/rpc/node/derive-addresses.js';
import { descriptorScript } from '../../../src/rpc/node/descriptor-script.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { loadWallet } from '../../../src/wallet/manage/load-wallet.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';
import { allRows, contextOf, run, XPRV, XPUB } from '../../framework/wallet-calls.js';

const request = (desc: string) => [{ desc: addChecksum(desc), timestamp: 'now' }];
const refused = (message: string) => [{ success: false, error: { code: -4, message } }];
const call = { user: '', path: '/' };

t.test('stores, lists and reloads an unused() descriptor', async (t) => {
  const { wallet, surroundings } = await createMemoryWallet({ descriptors: true });
  const scripts = wallet.keys.scriptCount;
  t.same(await run(wallet, importdescriptors, request(`unused(${XPRV})`)), [{ success: true }]);
  t.equal(wallet.keys.scriptCount, scripts, 'it has no scripts');
  t.same(
    await run(wallet, importdescriptors, request(`unused(${XPRV})`)),
    refused('Cannot import an unused() descriptor when its private key is already in the wallet'),
  );
  t.same(
    await run(wallet, importdescriptors, request(`unused(${XPUB})`)),
    refused('Cannot import descriptor without private keys to a wallet with private keys enabled'),
  );
  t.same(await run(wallet, importdescriptors, request(`wpkh(${XPRV}/0/1)`)), [{ success: true }], 'and can be used');
  const store = new MemoryStore();
  await store.batch((await allRows(wallet)).map(([key, value]) => ({ type: 'put', key, value })));
  const { wallet: loaded } = await loadWallet(surroundings, { name: 'w', folder: '' }, store);
  const held = [...loaded.descriptors!.all()].filter(({ descriptor }) => !descriptor.hasScripts);
  t.equal(held.length, 1);
  t.equal(held[0].descriptor.privateText(held[0]), addChecksum(`unused(${XPRV})`));
  t.match(JSON.stringify(await run(loaded, listdescriptors)), new RegExp(`unused.${XPUB}.`));
});

t.test('rejects unused() where its key is known, in watch-only and legacy wallets', async (t) => {
  const { wallet } = await createMemoryWallet({ descriptors: true });
  t.same(await run(wallet, importdescriptors, request(`pkh(${XPRV}/5)`)), [{ success: true }]);
  t.same(
    await run(wallet, importdescriptors, request(`unused(${XPRV})`)),
    refused('Cannot import an unused() descriptor when its private key is already in the wallet'),
  );
  const { wallet: watching } = await createMemoryWallet({ descriptors: true });
  watching.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
  t.same(
    await run(watching, importdescriptors, request(`unused(${XPUB})`)),
    refused('Cannot import unused() to wallet without private keys enabled'),
  );
  const { wallet: legacy } = await createMemoryWallet();
  const { rowCount } = legacy.legacy!.keys;
  t.match(await run(legacy, importmulti, request(`unused(${XPRV})`), { rescan: false }), [
    { success: false, error: { code: -5, message: 'Cannot import unused() to a legacy wallet' } },
  ]);
  t.equal(legacy.legacy!.keys.rowCount, rowCount);
  const job = {
    descriptor: addChecksum(`unused(${XPUB})`),
    range: null,
    hasRange: false,
    secrets: null,
    words: new Int32Array(new SharedArrayBuffer(32)),
  };
  t.throws(() => deriveAddresses(job, contextOf(wallet) as never), { code: -1, message: 'Unexpected empty result' });
  t.throws(() => descriptorScript(contextOf(wallet) as never, `unused(${XPUB})`, call), { code: -8 });
});
