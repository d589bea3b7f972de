// Runs the PSBT vectors of the BIPs, of Core and of bitcoinjs: what is to be read and what is to be refused, and every
// role from creator to extractor, byte for byte.
import { decodeAddress } from '../../src/address/address.js';
import { decodeWif } from '../../src/address/wif.js';
import { hashKey } from '../../src/consensus/bytes/hex.js';
import { regtestParams } from '../../src/consensus/params/regtest.js';
import { witnessProgramScript } from '../../src/consensus/script/build-script.js';
import { buildTx } from '../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { createKeyMath } from '../../src/crypto/native/key-math.js';
import { createSigner } from '../../src/crypto/native/sign.js';
import { combinePsbts } from '../../src/psbt/combine-psbts.js';
import { createPsbt } from '../../src/psbt/create-psbt.js';
import { encodePsbt } from '../../src/psbt/encode-psbt.js';
import { extractTx } from '../../src/psbt/extract-tx.js';
import type { Psbt } from '../../src/psbt/psbt.js';
import { PsbtError } from '../../src/psbt/psbt-reader.js';
import { readPsbt } from '../../src/psbt/read-psbt.js';
import { encodeTapTree } from '../../src/psbt/tap-tree.js';
import { finalizePsbt } from '../../src/signing/finalize-psbt.js';
import { dummySignPsbtInput, psbtSigning, signPsbtInput } from '../../src/signing/psbt-input.js';
import { FlatProvider } from '../../src/signing/signing-provider.js';
import { hex, unhex } from '../framework/hex.js';
import { fileSuite, readJson, rowSuite } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();
const keyMath = createKeyMath();
const signer = createSigner();
const params = regtestParams();

const read = (base64: string): Psbt => readPsbt(new Uint8Array(Buffer.from(base64, 'base64')), crypto);
const written = (psbt: Psbt): string => Buffer.from(encodePsbt(psbt, crypto)).toString('base64');

interface ParseRow {
  readonly psbt: string;
  readonly valid: boolean;
  readonly comment?: string;
  readonly coreError?: string;
}

rowSuite<ParseRow>('psbt/parse_valid_invalid.json', 'reading', ({ psbt, valid, comment = '', coreError }) => {
  try {
    const parsed = read(psbt);
    if (!valid) return `was read: ${comment} ${coreError ?? ''}`;
    const again = written(parsed);
    return written(read(again)) === again ? null : `is written differently the second time: ${comment}`;
  } catch (error) {
    if (!(error instanceof PsbtError)) throw error;
    if (valid) return `${error.message}: ${comment}`;
    return coreError === undefined || error.message.startsWith(coreError) ? null : `says ${error.message} where Core says ${coreError}`;
  }
});

/** Signs with these keys. */
function signedBy(privkeys: readonly string[], psbt: Psbt, only?: number): Psbt {
  const provider = new FlatProvider();
  for (const text of privkeys) {
    const { key, compressed } = decodeWif(text, params, crypto)!;
    const publicKey = keyMath.publicKey(key, compressed)!;
    const id = crypto.hash160(publicKey);
    provider.publicKeys.set(hashKey(id), publicKey);
    provider.secrets.set(hashKey(id), key);
    const program = witnessProgramScript(0, id);
    provider.scripts.set(hashKey(crypto.hash160(program)), program);
  }
  const work = psbtSigning(psbt, crypto);
  psbt.inputs.forEach((input, i) => {
    if (only === undefined || only === i) signPsbtInput(work, i, { provider, hashType: input.sighashType ?? 0, signer });
  });
  return psbt;
}

interface RefuseRow {
  readonly description: string;
  readonly psbt: string;
  readonly inputToCheck: number;
}
rowSuite<RefuseRow>('psbt/signer_must_refuse.json', 'signing', ({ psbt, inputToCheck, description }) => {
  const keys = ['cP53pDbR5WtAD8dYAW9hhTjuvvTVaEiQBdrz9XPrgLBeRFiyCbQr', 'cR6SXDoyfQrcp4piaiHE97Rsgta9mNhGTen9XeonVgwsh4iSgw6d'];
  const others = ['cT7J9YpCwY3AVRFSjN6ukeEeWY6mhpbJPxRaDaP5QTdygQRxP9Au', 'cNBc3SWUip9PPm1GjRoLEJT6T41iNzCYtD7qro84FMnM5zEqeJsE'];
  const input = signedBy([...keys, ...others], read(psbt), inputToCheck).inputs[inputToCheck];
  const before = read(psbt).inputs[inputToCheck];
  const signed = input.partialSigs.size !== before.partialSigs.size || input.finalScriptSig.length !== before.finalScriptSig.length;
  return signed || input.finalWitness.length !== before.finalWitness.length ? `signed: ${description}` : null;
});

/** Bytes as bitcoinjs's tests write them. */
const bufferIn = (text: string): Uint8Array => unhex(/'([0-9a-f]*)'/.exec(text)?.[1] ?? '');
const pathIn = (text: string): number[] =>
  text
    .split('/')
    .slice(1)
    .map((step) => (step.endsWith("'") ? Number(step.slice(0, -1)) + 0x8000_0000 : Number(step)));

interface Derivation {
  readonly masterFingerprint: string;
  readonly pubkey: string;
  readonly path: string;
}
interface UpdateFields {
  readonly nonWitnessUtxo?: string;
  readonly witnessUtxo?: { readonly script: string; readonly value: string };
  readonly redeemScript?: string;
  readonly witnessScript?: string;
  readonly bip32Derivation?: readonly Derivation[];
  readonly sighashType?: number;
  readonly tapInternalKey?: string;
  readonly tapTree?: { readonly leaves: readonly { depth: number; leafVersion: number; script: string }[] };
}

function update(target: Psbt['inputs'][number] | Psbt['outputs'][number], fields: UpdateFields): void {
  if (fields.redeemScript) target.redeemScript = bufferIn(fields.redeemScript);
  if (fields.witnessScript) target.witnessScript = bufferIn(fields.witnessScript);
  for (const { masterFingerprint, pubkey, path } of fields.bip32Derivation ?? []) {
    const publicKey = bufferIn(pubkey);
    target.keyPaths.set(hashKey(publicKey), { publicKey, origin: { fingerprint: bufferIn(masterFingerprint), path: pathIn(path) } });
  }
  if (fields.tapInternalKey) target.tapInternalKey = bufferIn(fields.tapInternalKey);
  if ('tapTree' in target) {
    if (fields.tapTree) target.tapTree = encodeTapTree(fields.tapTree.leaves.map((leaf) => ({ ...leaf, script: bufferIn(leaf.script) })));
    return;
  }
  const input = target as Psbt['inputs'][number];
  if (fields.nonWitnessUtxo) input.nonWitnessUtxo = parseTx(bufferIn(fields.nonWitnessUtxo), crypto);
  if (fields.witnessUtxo) input.witnessUtxo = { value: Number(fields.witnessUtxo.value), script: bufferIn(fields.witnessUtxo.script) };
  if (fields.sighashType) input.sighashType = fields.sighashType;
}

interface Workflow {
  readonly creator: readonly { inputs: { txid: string; vout: number }[]; outputs: Record<string, number>[]; result: string }[];
  readonly updater: readonly { psbt: string; inputData?: UpdateFields[]; outputData?: UpdateFields[]; result: string }[];
  readonly signer: readonly { privkeys: string[]; psbt: string; result: string }[];
  readonly combiner: readonly { combine: string[]; result: string }[];
  readonly finalizer: readonly { finalize: string; result: string }[];
  readonly extractor: readonly { extract: string; result: string }[];
}

const WORKFLOW = 'psbt/workflow.json';
fileSuite(WORKFLOW, async (t) => {
  const rows = readJson<Workflow>(WORKFLOW);
  for (const { inputs, outputs, result } of rows.creator) {
    const bytes = buildTx({
      version: 2,
      inputs: inputs.map(({ txid, vout }) => ({
        prevHash: unhex(txid).reverse(),
        prevIndex: vout,
        scriptSig: new Uint8Array(0),
        sequence: 0xffffffff,
      })),
      outputs: outputs.map((one) => {
        const [[address, amount]] = Object.entries(one);
        const decoded = decodeAddress(address, params, crypto);
        return { value: Math.round(amount * 1e8), script: 'script' in decoded ? decoded.script : new Uint8Array(0) };
      }),
      locktime: 0,
    });
    t.equal(written(createPsbt(parseTx(bytes, crypto, { allowWitness: false }), crypto)), result, 'created');
  }
  for (const { psbt, inputData = [], outputData = [], result } of rows.updater) {
    const target = read(psbt);
    inputData.forEach((fields, i) => {
      update(target.inputs[i], fields);
    });
    outputData.forEach((fields, i) => {
      update(target.outputs[i], fields);
    });
    t.equal(written(target), result, 'updated');
  }
  rows.signer.forEach(({ privkeys, psbt, result }, i) => {
    t.equal(written(signedBy(privkeys, read(psbt))), result, `signed ${i}`);
  });
  for (const { combine, result } of rows.combiner) t.equal(written(combinePsbts(combine.map(read), crypto)!), result, 'combined');
  for (const { finalize, result } of rows.finalizer) {
    const psbt = read(finalize);
    t.equal(finalizePsbt(psbt, crypto, false), true);
    t.equal(written(psbt), result, 'finalized');
  }
  for (const { extract, result } of rows.extractor) t.equal(hex(extractTx(read(extract))), result, 'extracted');
});

const FINALIZE = 'psbt/finalize_bitcoinjs.json';
fileSuite(FINALIZE, async (t) => {
  for (const { type, psbt, result } of readJson<{ type: string; psbt: string; result: string }[]>(FINALIZE)) {
    const target = read(psbt);
    const expected = read(result).inputs[0];
    // The signature of this row is over the hash from before BIP-0143, so it does not spend the output. The PSBT is
    // still finalized correctly.
    const spends = type !== 'P2SH-P2WPKH';
    t.equal(finalizePsbt(target, crypto, false), spends, type);
    if (spends) t.equal(written(target), result, type);
    else t.equal(dummySignPsbtInput(psbtSigning(target, crypto), 0), true);
    t.same(target.inputs[0].finalScriptSig, expected.finalScriptSig, type);
    t.same(target.inputs[0].finalWitness, expected.finalWitness, type);
  }
});
