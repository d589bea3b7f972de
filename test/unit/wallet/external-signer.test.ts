// Tests devices that sign for a wallet (-signer): which requests they get, and that the wallet checks everything they
// return.
import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { createPsbt } from '../../../src/psbt/create-psbt.js';
import type { Psbt } from '../../../src/psbt/psbt.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import type { WalletContext } from '../../../src/rpc/context/wallet.js';
import { enumeratesigners } from '../../../src/rpc/methods/signer/enumeratesigners.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { walletdisplayaddress } from '../../../src/rpc/methods/wallet/walletdisplayaddress.js';
import { asPsbt, psbtText } from '../../../src/rpc/render/psbt-text.js';
import { fillPsbtBy } from '../../../src/rpc/wallet/external-signer.js';
import { ExternalSigner, type RunForJson } from '../../../src/wallet/external-signer.js';
import { fillPsbt } from '../../../src/wallet/fill-psbt.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { contextOf, run, XPRV, XPUB } from '../../framework/wallet-calls.js';

const FINGERPRINT = '00000001';
const form = (key: string): string => addChecksum(`wpkh([${FINGERPRINT}/84h/1h/0h]${key}/0/*)`);
const request = (key: string) => [{ desc: form(key), timestamp: 'now', active: true, range: [0, 2] }];
const call = { user: '', path: '/' };

/**
 * Makes a wallet with keys, a wallet that watches the same addresses, and a simulated device that lets the first wallet
 * sign.
 */
async function pair() {
  const owner = await createMemoryWallet({ descriptors: true });
  const watching = await createMemoryWallet({ descriptors: true });
  watching.wallet.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS | WALLET_FLAG.EXTERNAL_SIGNER;
  t.same(await run(owner.wallet, importdescriptors, request(XPRV)), [{ success: true }]);
  t.same(await run(watching.wallet, importdescriptors, request(XPUB)), [{ success: true }]);
  const script = watching.wallet.descriptors!.active('bech32', false)!.descriptor.scripts(0)![0];
  const asked: { words: readonly string[]; input: string }[] = [];
  const device = { answer: async (_psbt: Psbt): Promise<unknown> => ({}) };
  const ctx: WalletContext = { ...contextOf(watching.wallet), compat: COMPATS['31'], signer: createSigner() };
  const tools = { crypto, descriptors: ctx.descriptors, signer: createSigner() };
  const sign = (psbt: Psbt, hashType: number | null = null) =>
    fillPsbt(owner.wallet, psbt, { hashType, sign: true, derivations: true, finalize: false, later: true }, tools);
  const say: RunForJson = async (words, input) => {
    asked.push({ words, input });
    if (words.includes('enumerate')) return [{ fingerprint: FINGERPRINT, model: 'box' }];
    if (!input.startsWith('signtx ')) return {};
    return device.answer(asPsbt(input.slice(7), ctx));
  };
  const externalSigner = new ExternalSigner('hwi  --quiet', 'regtest', say);
  const coins = await watching.receive([{ script, value: 10_000 }], 900);
  await owner.wallet.change((batch) => owner.wallet.ledger.syncTransaction(coins, watching.wallet.ledger.txs.place(0), batch));
  const psbt = (value = 9000): Psbt => {
    const input = { prevHash: coins.txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xfffffffd };
    const tx = buildTx({ version: 2, inputs: [input], outputs: [{ value, script }], locktime: 0 });
    return createPsbt(parseTx(tx, crypto, { allowWitness: false }), crypto, 2);
  };
  const fill = (into: Psbt, context: WalletContext = { ...ctx, externalSigner }) =>
    fillPsbtBy(context, watching.wallet, into, { hashType: null, sign: true, derivations: false, later: true });
  const text = (one: Psbt): { psbt: string } => ({ psbt: psbtText(one, crypto, ctx.compat) });
  return { device, asked, ctx: { ...ctx, externalSigner }, fill, psbt, sign, text, script };
}

t.test('completes a PSBT with the signature of an external signer', async (t) => {
  const { device, asked, fill, psbt, sign, text } = await pair();
  device.answer = async (given) => {
    await sign(given);
    return text(given);
  };
  const mine = psbt();
  t.same(await fill(mine), { complete: true });
  t.equal(mine.inputs[0].finalWitness.length, 2);
  t.same(
    asked.map(({ words }) => words),
    [
      ['hwi', '--quiet', 'enumerate'],
      ['hwi', '--quiet', '--stdin', '--fingerprint', FINGERPRINT, '--chain', 'regtest'],
    ],
  );
  asked.length = 0;
  t.same(await fill(mine), { complete: true });
  t.same(asked, [], 'a signed PSBT is not sent to the device');
});

t.test('rejects wrong, missing or failing external signers and does not trust their replies', async (t) => {
  const { device, ctx, fill, psbt, sign, text } = await pair();
  const failed = { code: -25, message: 'External signer failed to sign' };
  const answers: Record<string, (given: Psbt) => Promise<unknown>> = {
    'an error': async () => ({ error: 'no button was pressed' }),
    'no PSBT': async () => ({ psbt: 5 }),
    garbage: async () => ({ psbt: 'cHNidP8=' }),
    'another transaction': async () => {
      const other = psbt(1);
      await sign(other);
      return text(other);
    },
    'another sighash type': async (given) => {
      await sign(given, 2);
      return text(given);
    },
    'a witness that proves nothing': async (given) => {
      given.inputs[0].finalWitness = [new Uint8Array(71), new Uint8Array(33)];
      return text(given);
    },
  };
  for (const [what, answer] of Object.entries(answers)) {
    device.answer = answer;
    await t.rejects(fill(psbt()), failed, what);
  }
  device.answer = async (given) => {
    await sign(given);
    const [signature] = given.inputs[0].partialSigs.values();
    signature.signature[20] ^= 1;
    return text(given);
  };
  t.same(await fill(psbt()), { complete: false }, 'a wrong signature completes nothing');
  device.answer = async (given) => text(given);
  t.same(await fill(psbt()), { complete: false }, 'a missing signature completes nothing');
  await t.rejects(fill(psbt(), { ...ctx, externalSigner: undefined }), { code: -25, message: 'External signer not found' });
  const say = (devices: unknown): WalletContext => ({ ...ctx, externalSigner: new ExternalSigner('x', 'regtest', async () => devices) });
  await t.rejects(fill(psbt(), say([])), { code: -25, message: 'External signer not found' });
  await t.rejects(fill(psbt(), say([{ fingerprint: '00000001' }, { fingerprint: '00000002' }])), { code: -25 }, 'two devices');
  await t.rejects(fill(psbt(), say([{ fingerprint: '0000000a' }])), failed, 'a device with another key');
});

t.test('enumeratesigners and walletdisplayaddress check the replies of the device', async (t) => {
  const { ctx } = await pair();
  const say = (said: unknown): WalletContext => ({ ...ctx, externalSigner: new ExternalSigner('dev', 'regtest', async () => said) });
  const list = (context: WalletContext) => runMethod(enumeratesigners, context as unknown as NodeContext, [], call);
  t.same(await list(ctx), { signers: [{ fingerprint: FINGERPRINT, name: 'box' }] });
  const twice = [{ fingerprint: '0000000A', model: 5 }, { fingerprint: '0000000A' }];
  t.same(await list(say(twice)), { signers: [{ fingerprint: '0000000A', name: '' }] });
  for (const [said, message] of [
    [{}, "'dev' received invalid response, expected array of signers"],
    [[{ error: 'broken' }], "'dev' error: broken"],
    [[{ error: 5 }], "'dev' error"],
    [[{}], "'dev' received invalid response, missing signer fingerprint"],
    [[{ fingerprint: '1' }], "'dev' received invalid fingerprint, must be 8 hex characters"],
  ] as const) {
    await t.rejects(Promise.resolve(list(say(said))), { code: -1, message });
  }
  const show = (context: WalletContext, address: string) => Promise.resolve(runMethod(walletdisplayaddress, context, [address], call));
  const own = 'bcrt1qm90ugl4d48jv8n6e5t9ln6t9zlpm5th68x4f8g';
  const echo = (address: unknown, words: (readonly string[])[] = []): WalletContext => ({
    ...ctx,
    externalSigner: new ExternalSigner('dev', 'regtest', async (asked) => {
      words.push(asked);
      return asked.includes('enumerate') ? [{ fingerprint: FINGERPRINT }] : address;
    }),
  });
  const words: (readonly string[])[] = [];
  t.same(await show(echo({ address: own }, words), own), { address: own });
  t.match(words[1].at(-1), /^wpkh\(\[00000001\/84'/);
  await t.rejects(show(echo({ address: 'x' }), own), { code: -1, message: 'Signer echoed unexpected address x' });
  await t.rejects(show(echo({}), own), { code: -1, message: 'Signer did not echo address' });
  await t.rejects(show(echo({ error: 'no' }), own), { code: -1, message: 'Signer returned error: no' });
  await t.rejects(show(ctx, 'nothing'), { code: -5, message: 'Invalid address' });
  const foreign = 'bcrt1ql7zg7ukh3dwr25ex2zn9jse926f27xy2jz58tn';
  await t.rejects(show(ctx, foreign), { code: -5 });
});
