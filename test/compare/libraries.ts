// Exchanges random descriptors, addresses, messages and PSBTs with libraries of npm that other wallets use, and prints
// what the two sides see differently.
//
//   npm run compare:libraries -- [--cases=2000] [--seed=1] [--folder=PATH]
//
// The packages are no dependencies of adit. The command installs them once into a folder of the system's temporary
// folder, or into --folder. A PSBT has one to four inputs of random kinds. adit has one of two keys, the library the
// other, and each signs in turn. Both finalise, and the transactions must be the same and fulfil the scripts. Exit status
// 1 when there was any difference.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Daemon } from '../framework/daemon.js';
import { testKey } from '../framework/keys.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { Differences } from './differences.js';
import { type Call, replies } from './nodes.js';
import { Dice } from './transactions.js';

const PACKAGES = [
  'bitcoinjs-lib@7.0.5',
  'ecpair@3.0.2',
  'tiny-secp256k1@2.2.4',
  '@scure/btc-signer@2.4.1',
  '@bitcoinerlab/descriptors@3.2.0',
  '@ledgerhq/psbtv2@0.6.0',
  '@caravan/psbt@2.1.0',
  'bitcoinjs-message@2.2.0',
];

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', default: path.join(os.tmpdir(), 'adit-compare-libraries') },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const [cases, seed] = [Number(values.cases), Number(values.seed)];

/** Installs the packages unless this list of them is in the folder already. */
function install(folder: string): void {
  const mark = path.join(folder, 'installed');
  const wanted = PACKAGES.join('\n');
  if (fs.existsSync(mark) && fs.readFileSync(mark, 'utf8') === wanted) return;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const done = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES], { cwd: folder, stdio: 'inherit' });
  if (done.status !== 0) throw new Error('npm could not install the libraries');
  fs.writeFileSync(mark, wanted);
}
install(values.folder);

// biome-ignore lint/suspicious/noExplicitAny: the packages are not there when this is compiled
type Any = any;
const load: (name: string) => Any = createRequire(path.join(values.folder, 'package.json'));
const bitcoin = load('bitcoinjs-lib');
const ecc = load('tiny-secp256k1');
const { ECPairFactory } = load('ecpair');
const { DescriptorsFactory, signers } = load('@bitcoinerlab/descriptors');
const scure = load('@scure/btc-signer');
const ledger = load('@ledgerhq/psbtv2');
const caravan = load('@caravan/psbt');
const messages = load('bitcoinjs-message');
bitcoin.initEccLib(ecc);
// @caravan/psbt warns of every member that version 0 does not have.
console.warn = () => undefined;
const ECPair = ECPairFactory(ecc);
const { Output } = DescriptorsFactory(ecc);
const network = bitcoin.networks.regtest;
const scureNetwork = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };

const dice = new Dice(pseudoRandom(seed));
const differences = new Differences();
const adit = await Daemon.start('-disablewallet');
let number = 0;

const differ = (what: string, input: unknown, library: unknown, ofAdit: unknown): void =>
  differences.add({ what, step: number, call: JSON.stringify(input), core: JSON.stringify(library), adit: JSON.stringify(ofAdit) }, [
    typeof ofAdit === 'string' ? ofAdit : '',
  ]);

async function askAdit(...calls: Call[]): Promise<Any[]> {
  return replies(adit, calls);
}

/** Returns the result of a library's function, or its error as text. */
function attempt<T>(run: () => T): T | { error: string } {
  try {
    return run();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const errorOf = (value: Any): string | undefined => (typeof value === 'object' && value !== null ? value.error : undefined);

const randomBytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => dice.below(256)));

interface Key {
  readonly secret: Buffer;
  readonly public: string;
  readonly wif: string;
}

function randomKey(): Key {
  const secret = Buffer.from(testKey(1 + dice.below(100_000)).secret);
  const pair = ECPair.fromPrivateKey(secret, { network });
  return { secret, public: Buffer.from(pair.publicKey).toString('hex'), wif: pair.toWIF() };
}

/** Descriptors over the key of the library (L) and that of adit (A). */
const FORMS = [
  'pkh(L)',
  'pkh(A)',
  'wpkh(L)',
  'wpkh(A)',
  'sh(wpkh(L))',
  'sh(wpkh(A))',
  'tr(L)',
  'tr(A)',
  'sh(multi(2,L,A))',
  'wsh(multi(2,A,L))',
  'sh(wsh(multi(1,A,L)))',
  'wsh(sortedmulti(2,L,A))',
  'sh(wsh(sortedmulti(2,A,L)))',
  'wsh(and_v(v:pk(L),pk(A)))',
  'wsh(andor(pk(L),older(10),pk(A)))',
  'wsh(or_d(pk(A),and_v(v:pkh(L),older(12))))',
  'wsh(thresh(2,pk(L),s:pk(A),sln:older(9)))',
];

interface Input {
  readonly form: string;
  /** Descriptor with public keys. */
  readonly open: string;
  /** Descriptor with the private key of adit. */
  readonly ofAdit: string;
  readonly script: Buffer;
  readonly funding: Any;
  readonly value: number;
}

const filled = (form: string, ofLibrary: string, ofAdit: string): string =>
  form.replace(/\b[LA]\b/g, (name) => (name === 'L' ? ofLibrary : ofAdit));

function randomInput(library: Key, own: Key): Input {
  const form = dice.pick(FORMS);
  const open = filled(form, library.public, own.public);
  const script = Buffer.from(new Output({ descriptor: open, network }).getScriptPubKey());
  const value = 10_000 + dice.below(1e6);
  const funding = new bitcoin.Transaction();
  funding.version = 2;
  funding.addInput(randomBytes(32), 0, 0xffffffff, dice.chance(0.5) ? randomBytes(20) : undefined);
  funding.addOutput(script, BigInt(value));
  return { form, open, ofAdit: filled(form, library.public, own.wif), script, funding, value };
}

const publicKeysOf = (input: Input): string[] => input.open.match(/0[23][0-9a-f]{64}/g) ?? [];

/** Compares the scripts and addresses that both derive from a descriptor. */
async function compareDescriptor(): Promise<void> {
  const { open, script } = randomInput(randomKey(), randomKey());
  const [info] = await askAdit(['getdescriptorinfo', open]);
  const [addresses] = await askAdit(['deriveaddresses', info.descriptor]);
  const checksum = attempt(() => load('@bitcoinerlab/descriptors').checksum(open));
  const address = attempt(() => bitcoin.address.fromOutputScript(script, network));
  if (checksum !== info.checksum) differ('checksum', open, checksum, info.checksum);
  if (address !== addresses?.[0]) differ('address of a descriptor', open, address, addresses);
}

/** Returns true if bitcoinjs-lib has no address for a script: other witness programs, and keys that are not on the curve. */
const hasNoAddress = (script: Buffer): boolean => script[0] === 0x51 && !(script.length === 34 && ecc.isXOnlyPoint(script.subarray(2)));

/** Compares which texts both accept as an address, and the address's script. */
async function compareAddress(): Promise<void> {
  const version = dice.pick([0, 0, 1, 1, 2, 16]);
  const program = randomBytes(version === 0 ? dice.pick([20, 32]) : dice.pick([32, 32, 2, 40]));
  const script = dice.pick([
    Buffer.concat([Buffer.from([version === 0 ? 0 : 0x50 + version, program.length]), program]),
    Buffer.concat([Buffer.from('76a914', 'hex'), randomBytes(20), Buffer.from('88ac', 'hex')]),
    Buffer.concat([Buffer.from('a914', 'hex'), randomBytes(20), Buffer.from('87', 'hex')]),
  ]);
  const [decoded] = await askAdit(['decodescript', script.toString('hex')]);
  let address: string = decoded.address;
  const encoded = attempt(() => bitcoin.address.fromOutputScript(script, network));
  if (encoded !== address && !(hasNoAddress(script) && errorOf(encoded)))
    differ('address of a script', script.toString('hex'), encoded, address);
  if (dice.chance(0.6)) {
    const at = dice.below(address.length);
    address = `${address.slice(0, at)}${dice.pick([...'qpzry9x8gf2tvdw0s3jn54khce6mua7lQ1b'])}${address.slice(at + 1)}`;
  }
  const [valid] = await askAdit(['validateaddress', address]);
  const read = attempt(() => Buffer.from(bitcoin.address.toOutputScript(address, network)).toString('hex'));
  const ofAdit = valid.isvalid ? valid.scriptPubKey : { error: valid.error };
  const known = valid.isvalid && hasNoAddress(Buffer.from(valid.scriptPubKey, 'hex'));
  if (errorOf(read) === undefined ? read !== ofAdit : valid.isvalid && !known) differ('address', address, read, ofAdit);
}

/** Signs a message on one side and verifies it on the other. */
async function compareMessage(): Promise<void> {
  const key = randomKey();
  const text = dice.pick(['', 'a message', 'ä€\u{1f600}', randomBytes(dice.below(300)).toString('hex')]);
  const { address } = bitcoin.payments.p2pkh({ pubkey: Buffer.from(key.public, 'hex'), network });
  const ofLibrary: string = messages.sign(text, key.secret, true).toString('base64');
  const [ofAdit, verified] = await askAdit(['signmessagewithprivkey', key.wif, text], ['verifymessage', address, ofLibrary, text]);
  if (verified !== true) differ('message of the library', text, ofLibrary, verified);
  if (attempt(() => messages.verify(text, address, ofAdit)) !== true) differ('message of adit', text, ofAdit, 'not verified');
}

/** Has adit sign with its keys. @param finalize true if it may finalise inputs that are complete */
async function signWithAdit(psbt: string, inputs: readonly Input[], finalize: boolean): Promise<string> {
  const [done] = await askAdit(['descriptorprocesspsbt', psbt, inputs.map(({ ofAdit }) => ofAdit), 'DEFAULT', dice.chance(0.5), finalize]);
  if (errorOf(done) !== undefined) throw new Error(`adit does not sign: ${errorOf(done)}`);
  return done.psbt;
}

/** Compares the final transactions of both sides, and checks that the inputs fulfil their scripts. */
async function compareFinal(what: string, psbt: string, inputs: readonly Input[], ofLibrary: string | { error: string }): Promise<void> {
  const [final, { inputs: decoded }] = await askAdit(['finalizepsbt', psbt], ['decodepsbt', psbt]);
  const forms = inputs.map(({ form }) => form);
  if (final.complete !== true) {
    if (errorOf(ofLibrary) === undefined) differ(`${what}: only the library finalises`, forms, psbt, final);
    return;
  }
  finals++;
  const spent = inputs.map(({ funding, script, value }, i) => ({
    txid: funding.getId(),
    vout: 0,
    scriptPubKey: script.toString('hex'),
    amount: value / 1e8,
    ...(decoded[i].redeem_script && { redeemScript: decoded[i].redeem_script.hex }),
    ...(decoded[i].witness_script && { witnessScript: decoded[i].witness_script.hex }),
  }));
  const hexes = [final.hex, ...(ofLibrary === final.hex ? [] : [ofLibrary])];
  const signed = await askAdit(...hexes.map((hex): Call => ['signrawtransactionwithkey', hex, [], spent]));
  if (signed.some(({ complete }) => complete !== true)) differ(`${what}: invalid`, forms, hexes, signed);
  // A policy with "thresh" may be satisfied by several sets of signatures and times, so the results may differ.
  else if (hexes.length > 1 && !forms.some((form) => form.includes('thresh')))
    differ(`${what}: another final transaction`, forms, ofLibrary, final.hex);
}
let finals = 0;

/** Makes the outputs of a payment. */
function outputs(inputs: readonly Input[]): { script: Buffer; value: number }[] {
  const total = inputs.reduce((sum, { value }) => sum + value, 0) - 1000;
  const count = dice.pick([1, 2, 3]);
  return Array.from({ length: count }, () => ({
    script: Buffer.from(
      new Output({ descriptor: `${dice.pick(['wpkh', 'pkh', 'tr'])}(${randomKey().public})`, network }).getScriptPubKey(),
    ),
    value: Math.floor(total / count),
  }));
}

type Finalizer = (to: { psbt: Any; validate?: boolean }) => void;

/** Makes a PSBT with bitcoinjs-lib. */
function bitcoinjsPsbt(inputs: readonly Input[]): { psbt: Any; finalizers: Finalizer[] } {
  const psbt = new bitcoin.Psbt({ network });
  psbt.setVersion(2);
  const finalizers = inputs.map(({ open, funding }) =>
    // Both keys sign, so that no time lock is needed.
    new Output({
      descriptor: open,
      network,
      signersPubKeys: publicKeysOf({ open } as Input).map((key) => Buffer.from(key, 'hex')),
    }).updatePsbtAsInput({
      psbt,
      txHex: funding.toHex(),
      vout: 0,
    }),
  );
  for (const { script, value } of outputs(inputs)) psbt.addOutput({ script, value: BigInt(value) });
  return { psbt, finalizers };
}

const keysOfLibrary = ({ form }: Input): boolean => form.includes('L');

/** Signs the inputs of the library's key. */
function signWithBitcoinjs(psbt: Any, inputs: readonly Input[], key: Key): void {
  const ecpair = ECPair.fromPrivateKey(key.secret, { network });
  for (const [index, input] of inputs.entries()) if (keysOfLibrary(input)) signers.signInputECPair({ psbt, index, ecpair });
}

function finishWithBitcoinjs(text: string, finalizers: readonly Finalizer[]): string | { error: string } {
  return attempt(() => {
    const psbt = bitcoin.Psbt.fromBase64(text, { network });
    for (const finalize of finalizers) finalize({ psbt, validate: false });
    return psbt.extractTransaction(true).toHex();
  });
}

async function compareBitcoinjs(way: 'v0' | 'ledger' | 'caravan'): Promise<void> {
  const [library, own] = [randomKey(), randomKey()];
  const inputs = Array.from({ length: dice.pick([1, 1, 2, 4]) }, () => randomInput(library, own));
  const { psbt, finalizers } = bitcoinjsPsbt(inputs);
  const first = dice.chance(0.5);
  if (first) signWithBitcoinjs(psbt, inputs, library);
  let text: string = psbt.toBase64();
  if (way === 'ledger') text = await throughLedger(text, inputs);
  if (way === 'caravan') text = await throughCaravan(text, inputs);
  if (way === 'v0') text = await signWithAdit(text, inputs, false);
  if (!first) {
    const next = bitcoin.Psbt.fromBase64(text, { network });
    signWithBitcoinjs(next, inputs, library);
    text = next.toBase64();
  }
  await compareFinal(`bitcoinjs-lib, ${way}`, text, inputs, finishWithBitcoinjs(text, finalizers));
}

/** Returns the parts that two decoded PSBTs must have in common. */
function outline(decoded: Any): unknown {
  const { tx } = decoded;
  const ins = decoded.inputs.map((input: Any, i: number) => ({
    txid: tx ? tx.vin[i].txid : input.previous_txid,
    vout: tx ? tx.vin[i].vout : input.previous_vout,
    sequence: tx ? tx.vin[i].sequence : (input.sequence ?? 0xffffffff),
    utxo: input.witness_utxo?.amount ?? input.non_witness_utxo?.txid,
    signatures: input.partial_signatures,
    tap: input.taproot_key_path_sig,
  }));
  const outs = decoded.outputs.map((output: Any, i: number) => ({
    amount: tx ? tx.vout[i].value : output.amount,
    script: tx ? tx.vout[i].scriptPubKey.hex : output.script.hex,
  }));
  return { ins, outs, locktime: tx ? tx.locktime : (decoded.fallback_locktime ?? 0), version: tx ? tx.version : decoded.tx_version };
}

/** Returns true if adit reads the same payment from both PSBTs. */
async function compareOutlines(what: string, before: string, after: string): Promise<boolean> {
  const decoded = await askAdit(['decodepsbt', before], ['decodepsbt', after]);
  const [a, b] = decoded.map((one) => (errorOf(one) === undefined ? JSON.stringify(outline(one)) : errorOf(one)));
  if (a !== b) differ(what, before, a, b);
  return a === b;
}

/** Returns true if the conversions of both libraries may lose a signature: those of taproot inputs. */
const dropsSignatures = (inputs: readonly Input[]): boolean => inputs.some(({ form }) => form === 'tr(L)');

/** Converts with @ledgerhq/psbtv2, has adit sign version 2, and returns version 0 with the signatures of both. */
async function throughLedger(text: string, inputs: readonly Input[]): Promise<string> {
  const second = attempt(() => ledger.PsbtV2.fromV0(Buffer.from(text, 'base64')).serialize().toString('base64'));
  if (errorOf(second) !== undefined) return refusedBy('@ledgerhq/psbtv2', errorOf(second)!, text, inputs);
  if (dropsSignatures(inputs) || !(await compareOutlines('@ledgerhq/psbtv2 from version 0', text, second)))
    return signWithAdit(text, inputs, false);
  const signed = await signWithAdit(second, inputs, false);
  const again = attempt(() => {
    const read = new ledger.PsbtV2();
    read.deserialize(Buffer.from(signed, 'base64'));
    return read.serialize().toString('base64');
  });
  if (errorOf(again) !== undefined) differ('@ledgerhq/psbtv2 reads a PSBT of adit', signed, again, '');
  else await compareOutlines('@ledgerhq/psbtv2 writes what it read', signed, again);
  return toVersion0(signed, text);
}

/** Converts with @caravan/psbt, has adit sign version 2, and returns version 0 with the signatures of both. */
async function throughCaravan(text: string, inputs: readonly Input[]): Promise<string> {
  const second = attempt(() => caravan.PsbtV2.FromV0(text).serialize('base64'));
  if (errorOf(second) !== undefined) return refusedBy('@caravan/psbt', errorOf(second)!, text, inputs);
  if (dropsSignatures(inputs) || !(await compareOutlines('@caravan/psbt from version 0', text, second)))
    return signWithAdit(text, inputs, false);
  const signed = await signWithAdit(second, inputs, false);
  const back = attempt(() => new caravan.PsbtV2(signed).toV0('base64'));
  if (errorOf(back) !== undefined) {
    differ('@caravan/psbt reads a PSBT of adit', signed, back, '');
    return toVersion0(signed, text);
  }
  await compareOutlines('@caravan/psbt to version 0', signed, back);
  return toVersion0(signed, text);
}

const refusals = new Map<string, number>();
function refusedBy(library: string, error: string, text: string, inputs: readonly Input[]): Promise<string> {
  const key = `${library}: ${error.slice(0, 100)}`;
  refusals.set(key, (refusals.get(key) ?? 0) + 1);
  return signWithAdit(text, inputs, false);
}

/** Adds the signatures of a PSBT of version 2 to that of version 0, by a library that reads both. */
function toVersion0(second: string, first: string): string {
  const tx = scure.Transaction.fromPSBT(Buffer.from(second, 'base64'), LENIENT);
  return scure.Transaction.fromPSBT(Buffer.from(first, 'base64'), LENIENT).combine
    ? Buffer.from(scure.PSBTCombine([Buffer.from(first, 'base64'), tx.toPSBT(0)])).toString('base64')
    : first;
}

const LENIENT = {
  allowUnknown: true,
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
  allowLegacyWitnessUtxo: true,
};

/** Kinds of inputs that @scure/btc-signer makes: from its own key, from adit's, and from both. */
function scurePayment(library: Key, own: Key): { form: string; ofAdit: string; payment: Any } {
  const [ours, theirs] = [library, own].map((key) => Buffer.from(key.public, 'hex')) as [Buffer, Buffer];
  const key = dice.chance(0.5) ? ours : theirs;
  const [letter, secret] = key === ours ? ['L', library.public] : ['A', own.wif];
  const both = `${library.public},${own.wif}`;
  return dice.pick([
    () => ({ form: `pkh(${letter})`, ofAdit: `pkh(${secret})`, payment: scure.p2pkh(key, scureNetwork) }),
    () => ({ form: `wpkh(${letter})`, ofAdit: `wpkh(${secret})`, payment: scure.p2wpkh(key, scureNetwork) }),
    () => ({
      form: `sh(wpkh(${letter}))`,
      ofAdit: `sh(wpkh(${secret}))`,
      payment: scure.p2sh(scure.p2wpkh(key, scureNetwork), scureNetwork),
    }),
    () => ({ form: `tr(${letter})`, ofAdit: `tr(${secret})`, payment: scure.p2tr(key.subarray(1), undefined, scureNetwork) }),
    () => ({
      form: 'wsh(multi(2,L,A))',
      ofAdit: `wsh(multi(2,${both}))`,
      payment: scure.p2wsh(scure.p2ms(2, [ours, theirs]), scureNetwork),
    }),
    () => ({ form: 'sh(multi(2,L,A))', ofAdit: `sh(multi(2,${both}))`, payment: scure.p2sh(scure.p2ms(2, [ours, theirs]), scureNetwork) }),
    () => ({
      form: 'tr(L,multi_a(2,L,A))',
      ofAdit: `tr(${UNSPENDABLE},multi_a(2,${library.public.slice(2)},${own.wif}))`,
      payment: scure.p2tr(undefined, scure.p2tr_ms(2, [ours.subarray(1), theirs.subarray(1)]), scureNetwork),
    }),
  ])();
}
/** scure's default internal key, of BIP-0341. */
const UNSPENDABLE = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

async function compareScure(version: 0 | 2): Promise<void> {
  const [library, own] = [randomKey(), randomKey()];
  const tx = new scure.Transaction({ PSBTVersion: version, version: 2, lowR: dice.chance(0.5) });
  const inputs = Array.from({ length: dice.pick([1, 1, 2, 4]) }, (): Input => {
    const { form, ofAdit, payment } = scurePayment(library, own);
    const script = Buffer.from(payment.script);
    const value = 10_000 + dice.below(1e6);
    const funding = new bitcoin.Transaction();
    funding.addInput(randomBytes(32), 0);
    funding.addOutput(script, BigInt(value));
    const { script: _, address: __, ...fields } = payment;
    const taproot = form.startsWith('tr');
    tx.addInput({
      ...fields,
      txid: funding.getId(),
      index: 0,
      sequence: dice.pick([0xfffffffd, 0xffffffff]),
      ...(taproot || dice.chance(0.3) ? { witnessUtxo: { script, amount: BigInt(value) } } : {}),
      ...(taproot ? {} : { nonWitnessUtxo: funding.toBuffer() }),
    });
    return { form, open: '', ofAdit, script, funding, value };
  });
  for (const { script, value } of outputs(inputs)) tx.addOutput({ script, amount: BigInt(value) });
  const sign = (of: Any): void => {
    for (const [index, input] of inputs.entries()) if (keysOfLibrary(input)) of.signIdx(library.secret, index);
  };
  const first = dice.chance(0.5);
  if (first) sign(tx);
  let text = await signWithAdit(Buffer.from(tx.toPSBT(version)).toString('base64'), inputs, false);
  if (!first) {
    const next = scure.Transaction.fromPSBT(Buffer.from(text, 'base64'), LENIENT);
    sign(next);
    text = Buffer.from(next.toPSBT(version)).toString('base64');
  }
  const ofLibrary = attempt((): string => {
    const next = scure.Transaction.fromPSBT(Buffer.from(text, 'base64'), LENIENT);
    next.finalize();
    return next.hex;
  });
  await compareFinal(`@scure/btc-signer, v${version}`, text, inputs, ofLibrary);
}

const LANES = [
  compareDescriptor,
  compareAddress,
  compareMessage,
  () => compareBitcoinjs('v0'),
  () => compareBitcoinjs('v0'),
  () => compareBitcoinjs('ledger'),
  () => compareBitcoinjs('caravan'),
  () => compareScure(0),
  () => compareScure(2),
];

try {
  for (number = 1; number <= cases; number++) {
    const lane = LANES[number % LANES.length]!;
    try {
      await lane();
    } catch (error) {
      differ(
        `lane ${number % LANES.length} ended`,
        '',
        error instanceof Error ? (error.stack?.split('\n').slice(0, 4).join(' ') ?? '') : `${error}`,
        '',
      );
    }
    if (number % 500 === 0) process.stderr.write(`case ${number}: ${differences.count} differences\n`);
  }
} finally {
  await adit.remove();
}
for (const [text, count] of refusals) say(`${count} x refused by ${text}`);
for (const line of differences.lines(seed)) say(line);
say(`${cases} cases of seed ${seed}, ${finals} transactions finalised: ${differences.count} differences`);
if (differences.count > 0) process.exitCode = 1;
