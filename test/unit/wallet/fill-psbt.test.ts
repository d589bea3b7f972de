// PSBTs of many inputs: the bytes are the same whether the signing threads or the calling thread signs. The calling
// thread yields between inputs.
import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { createSignRunner } from '../../../src/jobs/sign.js';
import { PooledSigner } from '../../../src/parallel/pooled-signer.js';
import { createPsbt } from '../../../src/psbt/create-psbt.js';
import { encodePsbt } from '../../../src/psbt/encode-psbt.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { finalizePsbt } from '../../../src/signing/finalize-psbt.js';
import { psbtSigning, signPsbtInput } from '../../../src/signing/psbt-input.js';
import { FlatProvider } from '../../../src/signing/signing-provider.js';
import { type FillTools, fillPsbt } from '../../../src/wallet/fill-psbt.js';
import { descriptorContext, tools as descriptors, keyMath, mustParse } from '../../framework/descriptor-context.js';
import { hex } from '../../framework/hex.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { signingPool } from '../../framework/signing-pool.js';
import { turnsDuring } from '../../framework/turns.js';
import { run, XPRV, XPUB } from '../../framework/wallet-calls.js';

for (const descriptorWallet of [false, true]) {
  t.test(`signs many inputs to the same bytes on any thread, ${descriptorWallet ? 'descriptors' : 'legacy keys'}`, async (t) => {
    const { wallet, address, receive } = await createMemoryWallet({ descriptors: descriptorWallet });
    const outputs: { script: Uint8Array; value: number }[] = [];
    for (let i = 0; i < 24; i++) {
      outputs.push({ script: await address((['legacy', 'p2sh-segwit', 'bech32'] as const)[i % 3]), value: 10_000 + i });
    }
    const coins = await receive(outputs, 990);
    const inputs = outputs.map((_, prevIndex) => ({ prevHash: coins.txid, prevIndex, scriptSig: new Uint8Array(0), sequence: 0xfffffffd }));
    const tx = buildTx({ version: 2, inputs, outputs: [{ value: 200_000, script: outputs[0].script }], locktime: 0 });

    const run = createSignRunner(crypto, createSigner);
    let jobs = 0;
    const pool = signingPool(2, async (job) => {
      jobs++;
      return run(job);
    });
    let signed = 0;
    const signer = createSigner();
    const counting = {
      ...signer,
      signLowR: (secret: Uint8Array, message: Uint8Array) => {
        signed++;
        return signer.signLowR(secret, message);
      },
    };
    const fill = async (tools: FillTools, hashType: number | null, alter: (psbt: ReturnType<typeof createPsbt>) => void = () => {}) => {
      const psbt = createPsbt(parseTx(tx, crypto, { allowWitness: false }), crypto);
      for (const input of psbt.inputs) input.nonWitnessUtxo = coins;
      alter(psbt);
      signed = 0;
      jobs = 0;
      const outcome = await fillPsbt(wallet, psbt, { hashType, sign: true, derivations: true, later: false }, tools);
      return { outcome, bytes: hex(encodePsbt(psbt, crypto)) };
    };
    const threads = new PooledSigner({ pool, crypto, hereUs: 0 });
    for (const hashType of [null, 1, 0x83]) {
      const here = await fill({ crypto, descriptors, signer: counting }, hashType);
      t.equal(signed, hashType === 0x83 ? 1 : 24, 'SINGLE signs where there is an output');
      const there = await fill({ crypto, descriptors, signer: counting, signingThreads: threads }, hashType);
      t.ok(jobs > 0);
      t.equal(signed, 0, 'this thread signs nothing');
      t.equal(there.bytes, here.bytes, `type ${hashType}`);
      t.same(there.outcome, here.outcome);
      t.same(here.outcome, { complete: hashType !== 0x83 });
    }
    const turns = await turnsDuring(() => fill({ crypto, descriptors, signer: counting }, null));
    t.ok(turns >= 10, `other work runs ${turns} times between 24 inputs`);
    // Signatures that do not match their key or script are ignored: the result is as if no thread had signed.
    const whole = await fill({ crypto, descriptors, signer: counting }, null);
    const wrong = {
      sign: (...args: Parameters<PooledSigner['sign']>) =>
        threads.sign(...args).then((results) => results!.map((_, i) => results![(i + 3) % results!.length])),
    };
    t.equal((await fill({ crypto, descriptors, signer: counting, signingThreads: wrong }, null)).bytes, whole.bytes);
    t.equal(signed, 24);
    const few = await fill({ crypto, descriptors, signer: counting, signingThreads: threads }, null, (psbt) => {
      for (const input of psbt.inputs.slice(5))
        input.partialSigs.set(hashKey(new Uint8Array(20)), { publicKey: new Uint8Array(33).fill(2), signature: new Uint8Array(9) });
    });
    t.equal(jobs, 0, 'five inputs are signed on this thread');
    t.same(few.outcome, { complete: true });
  });
}

for (const owner of ['wpkh', 'pkh', 'tr', 'rawtr'])
  t.test(`signs taproot inputs with keys that the wallet holds for ${owner}()`, async (t) => {
    const { wallet } = await createMemoryWallet({ descriptors: true });
    for (const n of [1, 2]) {
      const desc = addChecksum(`${owner}(${XPRV}/${n})`);
      t.same(await run(wallet, importdescriptors, [{ desc, timestamp: 'now' }]), [{ success: true }]);
    }
    const context = descriptorContext('master', 'regtest');
    const other = hex(keyMath.publicKey(new Uint8Array(32).fill(9), true)!.subarray(1));
    const nameOf = (n: number): string => `${XPUB}/${n}`;
    for (const n of [1, 2]) {
      const forms = { key: `tr(${nameOf(n)})`, leaf: `tr(${other},pk(${nameOf(n)}))`, output: `rawtr(${nameOf(n)})` };
      for (const [form, text] of Object.entries(forms)) {
        const expansion = mustParse(text, context).descriptors[0].expand(0)!;
        const script = expansion.scripts[0];
        const inputs = [{ prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xfffffffd }];
        const tx = buildTx({ version: 2, inputs, outputs: [{ value: 9000, script }], locktime: 0 });
        const psbt = createPsbt(parseTx(tx, crypto, { allowWitness: false }), crypto);
        psbt.inputs[0].witnessUtxo = { value: 10_000, script };
        const watching = new FlatProvider();
        watching.addExpansion(expansion, crypto);
        const tools = { crypto, descriptors, signer: createSigner() };
        // The PSBT itself must say what the output commits to. In the form "output", the output already contains the
        // key.
        if (form !== 'output') signPsbtInput(psbtSigning(psbt, crypto, true), 0, { provider: watching, hashType: 0, ...tools });
        const options = { hashType: null, sign: true, derivations: true, finalize: false, later: true };
        await fillPsbt(wallet, psbt, options, tools);
        const [{ tapKeySig, tapScriptSigs }] = psbt.inputs;
        t.same([tapKeySig?.length, tapScriptSigs.size], form === 'leaf' ? [undefined, 1] : [64, 0], `${form} of key ${n}`);
        t.equal(finalizePsbt(psbt, crypto, true), true, 'and they are right');
      }
    }
  });

t.test('never signs with an unknown sighash type', async (t) => {
  const { wallet, address, receive } = await createMemoryWallet();
  const script = await address('bech32');
  const coins = await receive([{ script, value: 10_000 }], 990);
  const inputs = [{ prevHash: coins.txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xfffffffd }];
  const tx = buildTx({ version: 2, inputs, outputs: [{ value: 9000, script }], locktime: 0 });
  const tools = { crypto, descriptors, signer: createSigner() };
  for (const later of [false, true]) {
    for (const lowByte of [0, 2, 3, 0x82, 0xfd]) {
      const psbt = createPsbt(parseTx(tx, crypto, { allowWitness: false }), crypto);
      // Set the highest bit of the four bytes. A reader that uses signed numbers gets a negative number.
      psbt.inputs[0].sighashType = 0x8000_0000 | lowByte;
      const options = { hashType: null, sign: true, derivations: true, finalize: false, later };
      const outcome = await fillPsbt(wallet, psbt, options, tools);
      t.same(outcome, later ? { fault: 'sighash mismatch' } : { complete: false });
      const types = [...psbt.inputs[0].partialSigs.values()].map(({ signature }) => signature.at(-1));
      t.same(types, later ? [] : [1], `${lowByte}: ALL or no signature, never what the PSBT's maker wants`);
    }
  }
});
