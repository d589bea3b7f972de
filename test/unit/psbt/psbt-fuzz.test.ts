// Mutated PSBTs: the reader accepts them or throws PsbtError. An accepted PSBT is written and read back unchanged.
// Every role handles it or rejects it with a documented error. The calls get PSBTs in test/fuzz/finds.test.ts.
// PSBT_FUZZ_CASES sets another number of cases than 1,500.
import t from 'tap';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { hashKey } from '../../../src/consensus/bytes/hex.js';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { createPsbt } from '../../../src/psbt/create-psbt.js';
import { encodePsbt } from '../../../src/psbt/encode-psbt.js';
import { PsbtError } from '../../../src/psbt/psbt-reader.js';
import { readPsbt } from '../../../src/psbt/read-psbt.js';
import { analyzePsbt } from '../../../src/signing/analyze-psbt.js';
import { finalizePsbt } from '../../../src/signing/finalize-psbt.js';
import { psbtSigning, signPsbtInput, updatePsbtOutput } from '../../../src/signing/psbt-input.js';
import { FlatProvider, HidingProvider } from '../../../src/signing/signing-provider.js';
import { crypto } from '../../framework/chain-fixture.js';
import { hex } from '../../framework/hex.js';
import { mutate, Random } from '../../framework/mutate.js';

const CASES = Number(process.env.PSBT_FUZZ_CASES ?? 1_500);
const random = new Random(0x95b7);
const keyMath = createKeyMath();
const signer = createSigner();
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const context = { params: regtestParams(), hashes: crypto, keys: keyMath, language: 'master' as const };
const keyOf = (n: number): string => hex(keyMath.publicKey(new Uint8Array(32).fill(n), true) as Uint8Array);
const xOnly = (n: number): string => keyOf(n).slice(2);

const TEXTS = [
  `pkh(${keyOf(1)})`,
  `wpkh(${keyOf(1)})`,
  `sh(wpkh(${keyOf(2)}))`,
  `sh(wsh(multi(2,${keyOf(1)},${keyOf(2)},${keyOf(3)})))`,
  `multi(1,${keyOf(1)},${keyOf(2)})`,
  `tr(${xOnly(1)},{pk(${xOnly(2)}),multi_a(1,${xOnly(1)},${xOnly(3)})})`,
  `wsh(and_v(v:pk(${keyOf(1)}),older(1)))`,
];

/** All that is known of every output. */
const provider = new FlatProvider();
const scripts = TEXTS.map((text) => {
  const parsed = parseDescriptor(text, context);
  if ('error' in parsed) throw new Error(parsed.error);
  const expansion = parsed.descriptors[0].expand(0)!;
  provider.addExpansion(expansion, crypto);
  return expansion.scripts[0];
});
for (const n of [1, 2, 3]) {
  const secret = new Uint8Array(32).fill(n);
  provider.secrets.set(hashKey(crypto.hash160(keyMath.publicKey(secret, true)!)), secret);
}

/** PSBTs in every state: blank, updated, partly signed, final. */
function seeds(): Uint8Array[] {
  const outputs = scripts.map((script, i) => ({ value: 1000 + i, script }));
  const empty = new Uint8Array(0);
  const previous = parseTx(
    buildTx({ version: 2, inputs: [{ prevHash: new Uint8Array(32), prevIndex: 0, scriptSig: empty, sequence: 0 }], outputs, locktime: 0 }),
    crypto,
  );
  const inputs = outputs.map((_, prevIndex) => ({ prevHash: previous.txid, prevIndex, scriptSig: empty, sequence: 1 }));
  const tx = parseTx(buildTx({ version: 2, inputs, outputs, locktime: 0 }), crypto);
  const made: Uint8Array[] = [encodePsbt(createPsbt(tx, crypto), crypto)];
  for (const signed of [[], [0, 1], [0, 1, 2, 3, 4, 5, 6]]) {
    const psbt = createPsbt(tx, crypto);
    psbt.inputs.forEach((input) => {
      input.nonWitnessUtxo = previous;
    });
    const work = psbtSigning(psbt, crypto);
    psbt.outputs.forEach((_, i) => {
      updatePsbtOutput(work, i, provider);
    });
    const silent = new HidingProvider(provider, { secrets: true, origins: false });
    psbt.inputs.forEach((_, i) => {
      signPsbtInput(work, i, { provider: signed.includes(i) ? provider : silent, hashType: 0, signer });
    });
    psbt.unknown.set('x', { key: Uint8Array.of(0xfc, 1, 2), value: Uint8Array.of(3) });
    made.push(encodePsbt(psbt, crypto));
  }
  return made;
}

const SEEDS = seeds();

t.test('round-trips a mutated PSBT or rejects it with PsbtError, in the reader and in each role', async (t) => {
  let taken = 0;
  for (let n = 0; n < CASES; n++) {
    const bytes = mutate(random.pick(SEEDS), random);
    try {
      const later = random.pick([true, false]);
      const psbt = readPsbt(bytes, crypto, later);
      taken++;
      const written = encodePsbt(psbt, crypto, later);
      if (hex(encodePsbt(readPsbt(written, crypto, later), crypto, later)) !== hex(written))
        t.fail(`is not read as it was written: ${base64(bytes)}`);
      const work = psbtSigning(psbt, crypto, later);
      psbt.inputs.forEach((_, i) => {
        signPsbtInput(work, i, { provider, hashType: random.pick([0, 1, 2, 3, 0x81, 0x83]), signer });
      });
      readPsbt(encodePsbt(psbt, crypto, later), crypto, later);
      analyzePsbt(readPsbt(written, crypto, later), crypto, later);
      finalizePsbt(readPsbt(written, crypto, later), crypto, later);
    } catch (error) {
      if (!(error instanceof PsbtError)) throw new Error(`for ${base64(bytes)}`, { cause: error });
    }
  }
  t.ok(taken > CASES / 30, `${taken} of ${CASES} are PSBTs still`);
});

t.test('reads key types of more than one byte from release 32 on, and rejects malformed ones', async (t) => {
  const whole = '70736274ff01000a0200000000000000000000';
  const withKey = (key: string): Uint8Array =>
    new Uint8Array(Buffer.from(`${whole.slice(0, -2)}${(key.length / 2).toString(16).padStart(2, '0')}${key}0000`, 'hex'));
  const failures = { ff: 'end of data', fd0500: 'non-canonical', fe00000003: 'size too large' };
  for (const [key, words] of Object.entries(failures)) {
    t.throws(() => readPsbt(withKey(key), crypto, true), { name: 'PsbtError', message: new RegExp(words) }, key);
    t.ok(readPsbt(withKey(key), crypto, false), 'a type is one byte before release 32');
  }
  for (const key of ['f0', 'fdfd00', 'fefffff000']) t.equal(readPsbt(withKey(key), crypto, true).unknown.size, 1, key);
});
