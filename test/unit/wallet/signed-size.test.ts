// Tests the estimated size of inputs before they are signed, depending on what the wallet and the caller know about the
// output.
import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { NO_PROVIDER } from '../../../src/address/descriptor/infer.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { importmulti } from '../../../src/rpc/methods/wallet/importmulti.js';
import { FlatProvider, type SigningProvider } from '../../../src/signing/signing-provider.js';
import { defaultControl } from '../../../src/wallet/spend/coin-control.js';
import { NEW_SPENDING, OLD_SPENDING, type SpendRules } from '../../../src/wallet/spend/options.js';
import { gatherCoins } from '../../../src/wallet/spend/payment-coins.js';
import type { InputSize } from '../../../src/wallet/spend/select/tx-size.js';
import { SignedSizes } from '../../../src/wallet/spend/signed-size.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { descriptorContext, mustParse } from '../../framework/descriptor-context.js';
import { testKey } from '../../framework/keys.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { run } from '../../framework/wallet-calls.js';

const context = descriptorContext('master', 'regtest');
const keyOf = (n: number): string => Buffer.from(testKey(n).publicKey).toString('hex');
const [A, B, C] = [1, 2, 3].map(keyOf);
const scriptOf = (text: string): Uint8Array => mustParse(text, context).descriptors[0]!.scripts(0)![0]!;
const NOBODY: SigningProvider = { ...NO_PROVIDER, hasSecret: () => false, secret: () => undefined };

/** Makes a wallet that watches descriptors. */
async function watching(texts: readonly string[], rules: SpendRules) {
  const made = await createMemoryWallet({ descriptors: true, spend: { rules } });
  made.wallet.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
  const requests = texts.map((text) => ({ desc: addChecksum(text), timestamp: 'now' }));
  t.same(
    await run(made.wallet, importdescriptors, requests),
    texts.map(() => ({ success: true })),
  );
  return made;
}

t.test('estimates the size of miniscript inputs that need a preimage', async (t) => {
  const text = `wsh(and_v(v:pk(${A}),hash256(${'07'.repeat(32)})))`;
  const { wallet, tools } = await watching([text], NEW_SPENDING);
  const sizes = new SignedSizes(wallet, { allowWatchOnly: true, solving: null }, tools);
  t.same(sizes.of(scriptOf(text)), { scriptSig: 0, witness: 1 + 73 + 33 + 75 });
});

t.test('counts low-R signatures, and larger ones for watch-only wallets and external inputs', async (t) => {
  const text = `wpkh(${A})`;
  const script = scriptOf(text);
  const solving = new FlatProvider();
  solving.addExpansion(mustParse(text, context).descriptors[0]!.expand(0)!, crypto);
  const { wallet, tools } = await watching([text], NEW_SPENDING);
  const size = async (watches: boolean, foreign: boolean): Promise<InputSize | null> => {
    if (!watches) wallet.record.flags &= ~WALLET_FLAG.DISABLE_PRIVATE_KEYS;
    const sizes = new SignedSizes(wallet, { allowWatchOnly: false, solving }, tools);
    return foreign ? sizes.ofForeign(script) : sizes.of(script);
  };
  t.same(await size(true, false), { scriptSig: 0, witness: 108 });
  t.same(await size(false, false), { scriptSig: 0, witness: 107 });
  t.same(await size(false, true), { scriptSig: 0, witness: 108 });
});

t.test('estimates the size of external inputs whose script shows how they are spent', async (t) => {
  const { wallet, tools } = await createMemoryWallet({ spend: { rules: NEW_SPENDING } });
  const sizes = new SignedSizes(wallet, { allowWatchOnly: false, solving: NOBODY }, tools);
  t.same(sizes.ofForeign(scriptOf(`tr(${A.slice(2)})`)), { scriptSig: 0, witness: 67 });
  t.same(sizes.ofForeign(scriptOf(`pk(${A})`)), { scriptSig: 73, witness: 0 });
  t.same(sizes.ofForeign(scriptOf(`multi(2,${A},${B},${C})`)), { scriptSig: 147, witness: 0 });
  for (const text of [`pkh(${A})`, `wpkh(${A})`, `sh(pk(${A}))`]) t.equal(sizes.ofForeign(scriptOf(text)), null, text);
});

t.test('counts the pushes of a redeem script in a legacy wallet, as each release does', async (t) => {
  const text = `sh(multi(2,${A},${B},${C}))`;
  const sizeBy = async (rules: SpendRules, allowWatchOnly: boolean): Promise<InputSize | null> => {
    const { wallet, tools } = await createMemoryWallet({ spend: { rules } });
    const request = { desc: addChecksum(text), timestamp: 'now', watchonly: true };
    t.same(await run(wallet, importmulti, [request], { rescan: false }), [{ success: true }]);
    return new SignedSizes(wallet, { allowWatchOnly, solving: null }, tools).of(scriptOf(text));
  };
  t.same(await sizeBy(NEW_SPENDING, true), { scriptSig: 1 + 2 * 73 + 1 + 105, witness: 0 });
  t.same(await sizeBy(OLD_SPENDING, true), { scriptSig: 1 + 2 * 73 + 2 + 105, witness: 0 });
  t.same(await sizeBy(OLD_SPENDING, false), { scriptSig: 1 + 2 * 72 + 2 + 105, witness: 0 });
});

t.test('remembers whether an input has a witness when the caller gives its weight', async (t) => {
  const texts = [`sh(wpkh(${A}))`, `pkh(${B})`];
  const { wallet, tools, receive } = await watching(texts, NEW_SPENDING);
  const tx = await receive(
    texts.map((text) => ({ script: scriptOf(text), value: 5_000 })),
    900,
  );
  const inputs = [0, 1].map((i) => Uint8Array.from([...tx.txid, i, 0, 0, 0]));
  const control = { ...defaultControl(false), allowWatchOnly: true, inputs, weights: new Map(inputs.map((one) => [hashKey(one), 400])) };
  const { presets } = await gatherCoins(wallet, control, new SignedSizes(wallet, control, tools), tools, null);
  t.same(
    presets.map(({ size }) => [size.weight, size.witness > 0]),
    [
      [400, true],
      [400, false],
    ],
  );
});
