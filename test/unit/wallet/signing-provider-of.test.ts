// Tests the keys for the inputs of one transaction in a descriptor wallet. Several scripts share keys of which only one
// descriptor has the private key, in any order. An unknown key is not searched for again at every input.
import t from 'tap';
import { encodeExtendedSecret } from '../../../src/address/bip32/extended-codec.js';
import { masterFromSeed } from '../../../src/address/bip32/extended-key.js';
import { encodeWif } from '../../../src/address/wif.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { signTransaction } from '../../../src/signing/sign-transaction.js';
import type { TrackedDescriptor } from '../../../src/wallet/keys/descriptor-table.js';
import { signingProviderOf } from '../../../src/wallet/spend/signing-provider-of.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { descriptorContext, mustParse } from '../../framework/descriptor-context.js';
import { TestKey } from '../../framework/keys.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';

const context = descriptorContext('master', 'regtest');
const tools = { crypto, signer: createSigner() };
const key = (n: number): TestKey => new TestKey(new Uint8Array(32).fill(n));
const publicly = (n: number): string => Buffer.from(key(n).publicKey).toString('hex');
const privately = (n: number): string => encodeWif({ key: key(n).secret, compressed: true }, context.params);

/** Imports a descriptor as importdescriptors does. */
async function take(wallet: Wallet, text: string, end = 1): Promise<{ tracked: TrackedDescriptor; scripts: readonly Uint8Array[] }> {
  const { descriptors, secrets } = mustParse(text, context);
  const [descriptor] = descriptors;
  const fresh = { descriptor, secrets: secrets.pairs(), time: 1, rangeStart: 0, rangeEnd: end, nextIndex: 0 };
  const tracked = await wallet.change((batch) => wallet.descriptors!.addDescriptor(fresh, batch));
  const scripts = Array.from({ length: end }, (_, i) => descriptor.scripts(i, { secrets })![0]);
  return { tracked: tracked!, scripts };
}

/** Signs a transaction that spends an output of each script. @returns per input, why it cannot be spent */
async function errorsOf(wallet: Wallet, scripts: readonly Uint8Array[]): Promise<(string | null)[]> {
  const spent = scripts.map((script) => ({ value: 10_000, script }));
  const inputs = scripts.map((_, prevIndex) => ({
    prevHash: new Uint8Array(32).fill(7),
    prevIndex,
    scriptSig: new Uint8Array(0),
    sequence: 0xfffffffd,
  }));
  const tx = parseTx(buildTx({ version: 2, inputs, outputs: [{ value: 9_000, script: scripts[0] }], locktime: 0 }), crypto);
  const signed = await signTransaction(tx, spent, signingProviderOf(wallet, spent), 0, tools);
  return signed.map(({ error }) => error);
}

t.test('signs with the descriptor that has the private key when several share a script', async (t) => {
  // The wallet has every needed key. The first descriptor of each pair lacks a private key that the second one has.
  const sets = [
    [`wsh(multi(2,${privately(1)},${publicly(2)}))`, `wpkh(${privately(2)})`],
    [`sh(multi(2,${publicly(2)},${privately(1)}))`, `pkh(${privately(2)})`],
    [`wsh(multi(2,${privately(1)},${publicly(2)}))`, `wsh(and_v(v:pk(${privately(2)}),pk(${privately(4)})))`],
    [`wsh(multi(2,${privately(1)},${publicly(2)},${publicly(3)}))`, `sh(multi(1,${publicly(2)},${privately(3)}))`],
    [`wsh(multi(2,${privately(1)},${publicly(2)}))`, `tr(${privately(2)})`],
  ];
  for (const texts of sets) {
    for (const ordered of [texts, [...texts].reverse()]) {
      const { wallet } = await createMemoryWallet({ descriptors: true });
      const scripts: Uint8Array[] = [];
      for (const text of ordered) scripts.push((await take(wallet, text)).scripts[0]);
      for (const spent of [scripts, [...scripts].reverse()]) {
        t.same(await errorsOf(wallet, spent), [null, null], ordered.join(' and '));
      }
    }
  }
});

t.test('searches for an unknown key once, however many scripts contain it', async (t) => {
  const { wallet } = await createMemoryWallet({ descriptors: true });
  const root = encodeExtendedSecret(masterFromSeed(new Uint8Array(32).fill(9), context)!, context.params, context);
  const INPUTS = 60;
  const { tracked, scripts } = await take(wallet, `wsh(multi(2,${root}/*,${publicly(2)}))`, INPUTS);
  let opened = 0;
  const secret = tracked.secret.bind(tracked);
  tracked.secret = (id) => {
    opened++;
    return secret(id);
  };
  const errors = await errorsOf(wallet, scripts);
  t.equal(errors.length, INPUTS);
  for (const error of errors) t.match(error, /signature|key/, 'one of two');
  // Deriving the scripts of the descriptor also reads private keys.
  t.ok(opened > 0 && opened <= 6 * INPUTS, `private keys were asked for ${opened} times`);
});
