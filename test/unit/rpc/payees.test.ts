// Cached addresses and labels of transaction lists: a changed label is shown at once, and evicted entries are rendered
// again.

import t from 'tap';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { Payees } from '../../../src/rpc/wallet/payees.js';
import { AddressBook } from '../../../src/wallet/address-book.js';
import { WalletBatch } from '../../../src/wallet/storage/wallet-batch.js';
import type { Wallet } from '../../../src/wallet/wallet.js';

t.test('Payees shows the current label of an address, also after cache eviction', async (t) => {
  const book = new AddressBook();
  const payees = new Payees({ book } as Wallet);
  const context = { compat: COMPATS['0.21.1'], params: chainParams('regtest'), hashes: createNativeCrypto() };
  const script = (n: number): Uint8Array => witnessProgramScript(0, new Uint8Array(20).fill(n & 255).fill(n >> 8, 10));
  const shown = (id: number, n: number): string => {
    const { head, tail, label } = payees.get(id, script(n), context);
    return `${Buffer.from(head)}${Buffer.from(tail)} ${label}`;
  };
  const plain = shown(0, 1);
  t.match(plain, /^"address":"bcrt1q[a-z0-9]{38}", undefined$/);
  t.equal(shown(-1, 1), plain, 'found by number or by script');
  book.set(script(1), 'a "b"', undefined, new WalletBatch());
  t.equal(shown(0, 1), plain.replace(' undefined', ',"label":"a \\"b\\"" a "b"'));
  t.equal(shown(-1, 1), shown(0, 1));
  book.set(script(1), '', undefined, new WalletBatch());
  t.equal(shown(0, 1), plain.replace(' undefined', ',"label":"" '));
  t.equal(payees.get(1, Uint8Array.of(0x51), context).destination, null);
  t.equal(Buffer.from(payees.get(1, Uint8Array.of(0x51), context).head).toString(), '');
  for (let n = 0; n < 40_000; n++) payees.get(2 + n, script(n), context);
  t.equal(shown(0, 1), plain.replace(' undefined', ',"label":"" '), 'made again');
});
