// Signing of taproot outputs and of witness scripts that are miniscript: every path, every sighash type, locks on both
// sides, partial thresholds; and that a PSBT goes the same way from hand to hand.
import t from 'tap';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { STANDARD_SCRIPT_FLAGS } from '../../../src/consensus/script/flags.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import type { SpentOutput } from '../../../src/consensus/script/spent-output.js';
import { verifyTxInput } from '../../../src/consensus/script/verify-input.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { combinePsbts } from '../../../src/psbt/combine-psbts.js';
import { createPsbt } from '../../../src/psbt/create-psbt.js';
import { encodePsbt } from '../../../src/psbt/encode-psbt.js';
import { extractTx } from '../../../src/psbt/extract-tx.js';
import type { Psbt } from '../../../src/psbt/psbt.js';
import { readPsbt } from '../../../src/psbt/read-psbt.js';
import { analyzePsbt } from '../../../src/signing/analyze-psbt.js';
import { finalizePsbt } from '../../../src/signing/finalize-psbt.js';
import { psbtSigning, signPsbtInput, updatePsbtOutput } from '../../../src/signing/psbt-input.js';
import { combineTransactions, signTransaction, withInputs } from '../../../src/signing/sign-transaction.js';
import { FlatProvider } from '../../../src/signing/signing-provider.js';
import { hex } from '../../framework/hex.js';

const crypto = createNativeCrypto();
const keyMath = createKeyMath();
const tools = { crypto, signer: createSigner() };
const context = { params: regtestParams(), hashes: crypto, keys: keyMath, language: 'master' as const };
const EMPTY = new Uint8Array(0);

const secretOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const keyOf = (n: number): string => hex(keyMath.publicKey(secretOf(n), true) as Uint8Array);
const xOnly = (n: number): string => keyOf(n).slice(2);
/** A point nobody knows the secret of (BIP-0341). */
const NOBODY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

/** Reads a descriptor, and adds the secrets of some keys. */
function known(text: string, secrets: readonly number[]): { script: Uint8Array; provider: FlatProvider } {
  const parsed = parseDescriptor(text, context);
  if ('error' in parsed) throw new Error(parsed.error);
  const expansion = parsed.descriptors[0].expand(0)!;
  const provider = new FlatProvider();
  provider.addExpansion(expansion, crypto);
  for (const n of secrets) provider.secrets.set(hashKey(crypto.hash160(keyMath.publicKey(secretOf(n), true)!)), secretOf(n));
  return { script: expansion.scripts[0], provider };
}

interface Locks {
  readonly locktime?: number;
  readonly sequence?: number;
}

/** Spends an output together with a plain one of another kind, so that hashes over all inputs matter. */
function spendOf(script: Uint8Array, { locktime = 0, sequence = 0xfffffffd }: Locks = {}): { tx: TxView; spent: SpentOutput[] } {
  const spent = [
    { value: 70_000, script },
    { value: 5_000, script: Uint8Array.of(0x51) },
  ];
  const inputs = spent.map((_, i) => ({ prevHash: new Uint8Array(32).fill(7), prevIndex: i, scriptSig: EMPTY, sequence }));
  const outputs = [{ value: 60_000, script: Uint8Array.of(0, 20, ...new Uint8Array(20)) }];
  return { tx: parseTx(buildTx({ version: 2, inputs, outputs, locktime }), crypto), spent };
}

async function sign(text: string, secrets: readonly number[], locks: Locks = {}, hashType = 0) {
  const { script, provider } = known(text, secrets);
  const { tx, spent } = spendOf(script, locks);
  const inputs = await signTransaction(tx, spent, provider, hashType, tools);
  const signed = parseTx(withInputs(tx, inputs), crypto);
  const verdict = verifyTxInput(signed, 0, spent, STANDARD_SCRIPT_FLAGS, crypto, new SighashCache(signed, crypto, spent));
  t.equal(verdict === 0, inputs[0].error === null, 'what is said is so');
  return { error: inputs[0].error, witness: inputs[0].witness.map(hex), signed, spent };
}

t.test('overwrites copies of private keys after signing', async (t) => {
  const texts = [`tr(${xOnly(1)})`, `tr(${NOBODY},pk(${xOnly(1)}))`, `wpkh(${keyOf(1)})`, `pkh(${keyOf(1)})`];
  for (const text of texts) {
    const { script, provider } = known(text, [1]);
    const given: Uint8Array[] = [];
    const secret = provider.secret.bind(provider);
    provider.secret = (id) => {
      const copy = secret(id);
      if (copy) given.push(copy);
      return copy;
    };
    const { tx, spent } = spendOf(script);
    const [signed] = await signTransaction(tx, spent, provider, 1, tools);
    t.equal(signed.error, null, text);
    t.ok(given.length > 0);
    for (const copy of given) t.same(copy, new Uint8Array(32), `${text}: nothing is left`);
  }
});

t.test('signs the key path with every sighash type', async (t) => {
  for (const n of [1, 2, 3]) {
    for (const text of [`tr(${xOnly(n)})`, `tr(${xOnly(n)},pk(${xOnly(9)}))`, `rawtr(${xOnly(n)})`]) {
      for (const hashType of [0, 1, 2, 3, 0x81, 0x82, 0x83]) {
        const { error, witness } = await sign(text, [n], {}, hashType);
        t.equal(error, null, `${text} ${hashType}`);
        t.equal(witness.length, 1);
        t.equal(witness[0].length, hashType === 0 ? 128 : 130, 'DEFAULT leaves the byte out');
        if (hashType > 0) t.equal(witness[0].slice(-2), hashType.toString(16).padStart(2, '0'));
      }
    }
  }
  const first = await sign(`tr(${xOnly(1)})`, [1]);
  t.equal((await sign(`tr(${xOnly(1)})`, [1])).witness[0], first.witness[0], 'the same every time');
  t.match((await sign(`tr(${xOnly(1)})`, [2])).error, /empty witness/);
});

t.test('signs the taproot leaf with the smallest witness among those that can be satisfied', async (t) => {
  const tree = `tr(${NOBODY},{pk(${xOnly(1)}),{multi_a(2,${xOnly(2)},${xOnly(3)},${xOnly(4)}),and_v(v:pk(${xOnly(5)}),older(10))}})`;
  t.equal((await sign(tree, [1, 2, 3])).witness.length, 3, 'one signature rather than two');
  t.equal((await sign(tree, [2, 4])).witness.length, 5, 'two of three, and an empty place');
  t.match((await sign(tree, [3])).error, /empty witness/, 'one signature of two is not enough');
  t.equal((await sign(tree, [5], { sequence: 10 })).error, null, 'the lock has passed');
  t.match((await sign(tree, [5], { sequence: 9 })).error, /empty witness/, 'the lock has not passed yet');
  const hashed = `tr(${NOBODY},and_v(v:pkh(${xOnly(6)}),older(3)))`;
  t.equal((await sign(hashed, [6], { sequence: 3 })).error, null, 'a key that the leaf names by its hash');
  t.equal((await sign(hashed, [6], { sequence: 3 })).witness.length, 4);
  for (const hashType of [0, 1, 2, 3, 0x81, 0x82, 0x83]) t.equal((await sign(tree, [2, 3], {}, hashType)).error, null, `type ${hashType}`);
});

t.test('signs witness scripts with locks and thresholds only if they are satisfied', async (t) => {
  const after = `wsh(and_v(v:pk(${keyOf(1)}),after(500)))`;
  t.equal((await sign(after, [1], { locktime: 500 })).error, null);
  t.ok((await sign(after, [1], { locktime: 499 })).error);
  t.ok((await sign(after, [1], { locktime: 500, sequence: 0xffffffff })).error, 'a final input switches locks off');
  const vault = `wsh(or_d(multi(2,${keyOf(1)},${keyOf(2)}),and_v(v:pkh(${keyOf(3)}),older(144))))`;
  t.equal((await sign(vault, [1, 2])).error, null);
  t.equal((await sign(vault, [3], { sequence: 144 })).error, null);
  t.ok((await sign(vault, [3], { sequence: 143 })).error);
  t.ok((await sign(vault, [1])).error);
  t.equal((await sign(`sh(${after})`, [1], { locktime: 600 })).error, null, 'in P2SH');
});

t.test('drops an invalid witness and reports the input as unsigned', async (t) => {
  const { script } = known(`tr(${xOnly(1)})`, []);
  const { tx, spent } = spendOf(script);
  for (const size of [0, 1, 63, 64, 65, 66]) {
    const inputs = [0, 1].map((i) => ({ scriptSig: EMPTY, witness: i === 0 ? [new Uint8Array(size).fill(1)] : [] }));
    const carrying = parseTx(withInputs(tx, inputs), crypto);
    for (const outputs of [spent, [spent[0], null]]) {
      const [first] = await signTransaction(carrying, outputs, new FlatProvider(), 0, tools);
      t.match(first.error, /empty witness/, `${size} bytes: taken out, and nobody dies of it`);
    }
  }
});

t.test('combines transactions that carry one taproot signature each', async (t) => {
  const [one, two] = [1, 2].map((n) => known(`tr(${xOnly(n)})`, [n]));
  const spent = [one, two].map(({ script }) => ({ value: 9_000, script }));
  const inputs = spent.map((_, i) => ({ prevHash: new Uint8Array(32).fill(8), prevIndex: i, scriptSig: EMPTY, sequence: 0 }));
  const tx = parseTx(buildTx({ version: 2, inputs, outputs: [{ value: 1, script: one.script }], locktime: 0 }), crypto);
  const [first, second] = await Promise.all(
    [one, two].map(async ({ provider }) => parseTx(withInputs(tx, await signTransaction(tx, spent, provider, 0, tools)), crypto)),
  );
  const merged = parseTx(await combineTransactions([first, second], spent, crypto), crypto);
  const cache = new SighashCache(merged, crypto, spent);
  for (const i of [0, 1]) t.equal(verifyTxInput(merged, i, spent, STANDARD_SCRIPT_FLAGS, crypto, cache), 0);
});

t.test('does not sign SINGLE without its output, or inputs whose amounts are unknown', async (t) => {
  const { script, provider } = known(`tr(${xOnly(1)})`, [1]);
  const { tx, spent } = spendOf(script);
  const swapped = [spent[1], spent[0]];
  t.ok((await signTransaction(tx, swapped, provider, 3, tools))[1].error, 'input 1 has no output 1');
  const unknown = [spent[0], { value: 2_100_000_000_000_000, script: spent[1].script }];
  t.ok((await signTransaction(tx, unknown, provider, 0, tools))[0].error, 'a signature over a made-up amount is not made');
  t.match((await signTransaction(tx, [spent[0], null], provider, 0, tools))[0].error, /empty witness/, 'an output is not known');
});

t.test('reports a missing amount only for inputs that could otherwise be signed', async (t) => {
  const UNKNOWN = 2_100_000_000_000_000;
  const errors = async (text: string, secrets: readonly number[], values: readonly number[]): Promise<(string | null)[]> => {
    const { script, provider } = known(text, secrets);
    const { tx } = spendOf(script);
    const spent = values.map((value) => ({ value, script }));
    return (await signTransaction(tx, spent, provider, 0, tools)).map(({ error }) => error);
  };
  const [own, leaf] = [`tr(${xOnly(1)})`, `tr(${NOBODY},pk(${xOnly(1)}))`];
  const [missing, unsigned] = ['Missing amount', 'Witness program was passed an empty witness'];
  for (const text of [own, leaf]) {
    t.same(await errors(text, [1], [UNKNOWN, UNKNOWN]), [missing, missing]);
    t.same(await errors(text, [1], [UNKNOWN, 1]), [missing, unsigned], 'the other one commits to that amount too');
    t.same(await errors(text, [], [UNKNOWN, UNKNOWN]), [unsigned, unsigned], 'without the key no amount would help');
  }
  t.same(await errors(`tr(${NOBODY},multi_a(2,${xOnly(1)},${xOnly(2)}))`, [1], [UNKNOWN, UNKNOWN]), [unsigned, unsigned]);
});

/** A PSBT of the same spend, handed around as bytes. */
function psbtOf(script: Uint8Array, locks: Locks = {}): Psbt {
  const { tx, spent } = spendOf(script, locks);
  const psbt = createPsbt(tx, crypto);
  psbt.inputs[0].witnessUtxo = spent[0];
  psbt.inputs[1].witnessUtxo = spent[1];
  // The second input needs nothing: anyone can spend it.
  psbt.inputs[1].finalScriptSig = Uint8Array.of(0x00);
  return psbt;
}
const again = (psbt: Psbt): Psbt => readPsbt(encodePsbt(psbt, crypto), crypto);

function signPsbt(psbt: Psbt, provider: FlatProvider, hashType = 0): Psbt {
  signPsbtInput(psbtSigning(psbt, crypto), 0, { provider, hashType, signer: tools.signer });
  return again(psbt);
}

t.test('completes a taproot PSBT that two signers sign one after the other', async (t) => {
  const leaf = `multi_a(2,${xOnly(2)},${xOnly(3)},${xOnly(4)})`;
  const text = `tr(${NOBODY},{pk(${xOnly(1)}),${leaf}})`;
  const { script, provider } = known(text, []);
  const updated = signPsbt(psbtOf(script), provider);
  t.equal(updated.inputs[0].tapLeafScripts.size, 2, 'the updater adds the leaves');
  t.equal(updated.inputs[0].tapKeyPaths.get(hashKey(Buffer.from(xOnly(2), 'hex')))?.leafHashes.length, 1, 'and the key paths');
  t.equal(analyzePsbt(again(updated), crypto, false).inputs[0].isFinal, false);
  // Signers that know their secret alone.
  const lone = (n: number): FlatProvider => {
    const one = new FlatProvider();
    one.secrets.set(hashKey(crypto.hash160(keyMath.publicKey(secretOf(n), true)!)), secretOf(n));
    return one;
  };
  const [two, four] = [2, 4].map((n) => signPsbt(again(updated), lone(n)));
  t.equal(two.inputs[0].tapScriptSigs.size, 1);
  t.equal(finalizePsbt(again(two), crypto, false), false);
  const combined = combinePsbts([two, four], crypto)!;
  t.equal(combined.inputs[0].tapScriptSigs.size, 2);
  t.equal(finalizePsbt(combined, crypto, false), true);
  const tx = parseTx(extractTx(combined), crypto);
  const spent = [combined.inputs[0].witnessUtxo!, combined.inputs[1].witnessUtxo!];
  t.equal(verifyTxInput(tx, 0, spent, STANDARD_SCRIPT_FLAGS, crypto, new SighashCache(tx, crypto, spent)), 0);
  t.same(tx.witness(0).map(hex), (await sign(text, [2, 4])).witness, 'the same witness as by one who has both keys');
});

t.test('adds the internal key, tree and key paths of a taproot output to the PSBT', async (t) => {
  const { script, provider } = known(`tr(${xOnly(1)},{pk(${xOnly(2)}),pk(${xOnly(3)})})`, []);
  const fields = { version: 2, locktime: 0, inputs: [{ prevHash: new Uint8Array(32), prevIndex: 0, scriptSig: EMPTY, sequence: 0 }] };
  const psbt = createPsbt(parseTx(buildTx({ ...fields, outputs: [{ value: 1, script }] }), crypto), crypto);
  updatePsbtOutput(psbtSigning(psbt, crypto), 0, provider);
  const [output] = again(psbt).outputs;
  t.equal(hex(output.tapInternalKey!), xOnly(1));
  // The right one of two sides comes first, as Core lists them.
  const leaf = (n: number): string => `01c02220${xOnly(n)}ac`;
  t.equal(hex(output.tapTree!), leaf(3) + leaf(2));
  t.ok(output.tapKeyPaths.size >= 1);
});

t.test('keeps existing key paths, and adds new ones with their leaves', async (t) => {
  const { script, provider } = known(`tr(${xOnly(1)},{pk(${xOnly(2)}),pk(${xOnly(3)})})`, []);
  const psbt = psbtOf(script);
  const publicKey = new Uint8Array(Buffer.from(xOnly(2), 'hex'));
  const origin = { fingerprint: new Uint8Array(4), path: [7] };
  psbt.inputs[0].tapKeyPaths.set(hashKey(publicKey), { publicKey, leafHashes: [], origin });
  const { tapKeyPaths } = signPsbt(psbt, provider).inputs[0];
  t.same(tapKeyPaths.get(hashKey(publicKey)), { publicKey, leafHashes: [], origin });
  t.equal(tapKeyPaths.get(hashKey(new Uint8Array(Buffer.from(xOnly(3), 'hex'))))?.leafHashes.length, 1);
});

t.test('estimates the size of signed and final taproot inputs that carry their previous transaction', async (t) => {
  const { script, provider } = known(`tr(${xOnly(1)})`, [1]);
  const fund = { version: 2, locktime: 0, inputs: [{ prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: EMPTY, sequence: 0 }] };
  const previous = parseTx(buildTx({ ...fund, outputs: [{ value: 10_000, script }] }), crypto);
  const spend = { ...fund, inputs: [{ ...fund.inputs[0], prevHash: previous.txid }], outputs: [{ value: 9_000, script }] };
  const tx = parseTx(buildTx(spend), crypto);
  const estimate = async (finalize: boolean, change: (psbt: Psbt) => void = () => {}): Promise<number | null> => {
    const psbt = createPsbt(tx, crypto);
    psbt.inputs[0].nonWitnessUtxo = previous;
    psbt.inputs[0].witnessUtxo = { value: 10_000, script };
    const by = { provider, hashType: 0, signer: tools.signer };
    signPsbtInput(psbtSigning(psbt, crypto, true), 0, by, { hashType: null, finalize });
    change(psbt);
    return analyzePsbt(again(psbt), crypto, true).virtualSize;
  };
  for (const finalize of [false, true]) {
    t.equal(await estimate(finalize), 111);
    const withoutPrevious = ({ inputs: [input] }: Psbt): void => {
      input.nonWitnessUtxo = null;
    };
    t.equal(await estimate(finalize, withoutPrevious), null, 'Core cannot verify the signature then');
  }
  // Final inputs are written without their sighash type.
  const withType = ({ inputs: [input] }: Psbt): void => {
    input.sighashType = 1;
  };
  t.equal(await estimate(false, withType), null);
});

t.test('lists missing signatures of a threshold in the order of its keys', async (t) => {
  const keys = [1, 2, 3].map(keyOf);
  const { script, provider } = known(`wsh(thresh(2,pk(${keys[0]}),s:pk(${keys[1]}),s:pk(${keys[2]})))`, []);
  const { inputs } = analyzePsbt(signPsbt(psbtOf(script), provider), crypto, true);
  t.same(
    inputs[0].missing?.signatures.map(hex),
    keys.map((key) => hex(crypto.hash160(new Uint8Array(Buffer.from(key, 'hex'))))),
  );
});
