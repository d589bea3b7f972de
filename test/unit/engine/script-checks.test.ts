// Script checks of the engine and the interpreter judge the same inputs: of all usual kinds, with random hash types and flags,
// with mutations, and with every byte of the usual spends changed.
import t from 'tap';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import {
  SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY,
  SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,
  SCRIPT_VERIFY_DERSIG,
  SCRIPT_VERIFY_NULLDUMMY,
  SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_TAPROOT,
  SCRIPT_VERIFY_WITNESS,
  STANDARD_SCRIPT_FLAGS,
} from '../../../src/consensus/script/flags.js';
import { TaprootContext } from '../../../src/consensus/script/sig-version.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import type { SpentOutput } from '../../../src/consensus/script/spent-output.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { ScriptChecks } from '../../../src/engine/script-checks.js';
import { encodeCoin } from '../../../src/storage/codec/coin.js';
import { buildBlock, GENESIS } from '../../framework/chain-builder.js';
import { rounds } from '../../framework/depth.js';
import { crypto, factsOf, KernelWithoutThreads } from '../../framework/engine-kernel.js';
import { CHECK_ECDSA, CHECK_SCHNORR, laidOut, verifyBothWays } from '../../framework/engine-verify.js';
import { type TestKey, testKey } from '../../framework/keys.js';
import { ModelNode } from '../../framework/law-model.js';
import { hash160, push, serializeTx, sha256, type Tx } from '../../framework/messages.js';
import { Random } from '../../framework/mutate.js';

const params = regtestParams();
const genesis = new ModelNode(null, GENESIS.time, 0x207fffff, 1, GENESIS.hash);
const keys = Array.from({ length: 12 }, (_, n) => testKey(n));
const NOTHING = Buffer.alloc(0);
const ANNEX = Buffer.from([0x50, 1, 2, 3]);

const KINDS = ['pkh', 'pkh', 'wpkh', 'wpkh', 'tr', 'tr', 'pk', 'sh-wpkh', 'wsh', 'sh', 'anyone', 'uncompressed', 'no-one'] as const;
type Kind = (typeof KINDS)[number];

const keyHashScript = (hash: Uint8Array): Buffer => Buffer.concat([Buffer.from([0x76, 0xa9, 20]), hash, Buffer.from([0x88, 0xac])]);
const checkSigScript = (key: Uint8Array): Buffer => Buffer.concat([push(key), Buffer.from([0xac])]);
const program = (version: number, hash: Uint8Array): Buffer => Buffer.concat([Buffer.from([version, hash.length]), hash]);
const scriptHashScript = (script: Uint8Array): Buffer => Buffer.concat([Buffer.from([0xa9, 20]), hash160(script), Buffer.from([0x87])]);

function lockOf(kind: Kind, key: TestKey): Buffer {
  const hash = hash160(key.publicKey);
  if (kind === 'pkh') return keyHashScript(hash);
  if (kind === 'uncompressed') return keyHashScript(hash160(key.uncompressed));
  if (kind === 'wpkh') return program(0, hash);
  if (kind === 'tr') return program(0x51, key.taprootOutput().key);
  if (kind === 'pk') return checkSigScript(key.publicKey);
  if (kind === 'sh-wpkh') return scriptHashScript(program(0, hash));
  if (kind === 'sh') return scriptHashScript(checkSigScript(key.publicKey));
  if (kind === 'wsh') return program(0, sha256(checkSigScript(key.publicKey)));
  return Buffer.from([kind === 'anyone' ? 0x51 : 0x00]);
}

/** Signs an input. */
function unlock(
  kind: Kind,
  key: TestKey,
  i: number,
  value: number,
  hashes: SighashCache,
  random: Random,
  fixed: { readonly type: number } | null,
): Pick<Tx['ins'][0], 'script' | 'witness'> {
  const type = fixed?.type ?? random.pick([1, 1, 1, 2, 3, 0x81, 0x82, 0x83, 0, 0x41, 0xc1]);
  const hash = hash160(key.publicKey);
  const legacy = (code: Buffer): Buffer => push(key.signForScript(hashes.legacy(i, code, type), type));
  const segwit = (code: Buffer): Uint8Array => key.signForScript(hashes.segwitV0(i, code, value, type), type);
  if (kind === 'pkh') return { script: Buffer.concat([legacy(keyHashScript(hash)), push(key.publicKey)]) };
  if (kind === 'uncompressed') {
    const long = random.below(3) === 0 ? key.hybrid : key.uncompressed;
    return { script: Buffer.concat([legacy(keyHashScript(hash160(key.uncompressed))), push(long)]) };
  }
  if (kind === 'wpkh') return { witness: [segwit(keyHashScript(hash)), key.publicKey] };
  if (kind === 'sh-wpkh') return { script: push(program(0, hash)), witness: [segwit(keyHashScript(hash)), key.publicKey] };
  if (kind === 'pk') return { script: legacy(checkSigScript(key.publicKey)) };
  const code = checkSigScript(key.publicKey);
  if (kind === 'sh') return { script: Buffer.concat([legacy(code), push(code)]) };
  if (kind === 'wsh') return { witness: [segwit(code), code] };
  if (kind !== 'tr') return { script: NOTHING };
  const context = new TaprootContext();
  const annex = fixed === null && random.below(4) === 0;
  if (annex) context.annexHash = sha256(Buffer.concat([Buffer.from([ANNEX.length]), ANNEX]));
  const taprootType = fixed?.type ?? random.pick([0, 0, 0, 1, 2, 3, 0x81, 0x82, 0x83]);
  const message = hashes.taproot(i, taprootType, context, false);
  const signature = key.signTaproot(message ?? new Uint8Array(32));
  const whole = taprootType === 0 ? signature : Buffer.concat([signature, Buffer.from([taprootType])]);
  return { witness: annex ? [whole, ANNEX] : [whole] };
}

const FLAGS = [
  SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_TAPROOT,
  SCRIPT_VERIFY_DERSIG,
  SCRIPT_VERIFY_NULLDUMMY,
  SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY | SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,
];
const ALL_FLAGS = FLAGS.reduce((all, flag) => all | flag, 0);

function mutated(bytes: Uint8Array, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length === 0) return random.bytes(1 + random.below(3)) as Buffer;
  const at = random.below(copy.length);
  switch (random.below(4)) {
    case 0:
      copy[at]! ^= 1 << random.below(8);
      return copy;
    case 1:
      return copy.subarray(0, at);
    case 2:
      return Buffer.concat([copy, random.bytes(1)]);
    default:
      return Buffer.concat([copy.subarray(0, at), random.bytes(1), copy.subarray(at)]);
  }
}

interface Signed {
  readonly tx: Tx;
  readonly spent: readonly SpentOutput[];
}

/** Makes a signed transaction. @param fixed hash type of all signatures; otherwise each has a random one */
function signedTx(random: Random, kinds: readonly Kind[], fixed: { readonly type: number } | null = null, serial = 0): Signed {
  const owners = kinds.map((kind) => ({ kind, key: random.pick(keys) }));
  const spent = owners.map(({ kind, key }) => ({ value: 1 + random.below(2 ** 32) * 3, script: lockOf(kind, key) }));
  const ins = owners.map((_, index) => ({
    txid: sha256(Buffer.from(`coin ${serial}`)),
    index,
    sequence: random.pick([0xffffffff, 0xfffffffe, 0x80000005]),
  }));
  const outs = Array.from({ length: 1 + random.below(3) }, (_, k) => ({
    value: k === 0 ? 1 : 0,
    script: lockOf(random.pick(KINDS), random.pick(keys)),
  }));
  const tx: Tx = { version: random.pick([1, 2]), ins, outs, locktime: 0 };
  const hashes = new SighashCache(parseTx(new Uint8Array(serializeTx(tx)), crypto), crypto, spent);
  for (const [i, { kind, key }] of owners.entries())
    Object.assign(tx.ins[i]!, unlock(kind, key, i, spent[i]!.value, hashes, random, fixed));
  return { tx, spent };
}

function randomTx(random: Random, serial: number): Signed {
  const count = 1 + random.below(random.below(6) === 0 ? 40 : 4);
  const kinds = Array.from({ length: count }, () => random.pick(KINDS));
  const { tx, spent } = signedTx(random, kinds, null, serial);
  for (const input of tx.ins) if (random.below(4) === 0) change(input, random);
  return { tx, spent };
}

function change(input: Tx['ins'][0], random: Random): void {
  const choice = random.below(5);
  if (choice === 1) input.witness = [...(input.witness ?? []), random.pick([ANNEX, NOTHING, Buffer.from([0x51])])];
  else if (choice === 0 || input.witness === undefined) input.script = mutated(input.script ?? NOTHING, random);
  else {
    const item = random.below(input.witness.length);
    input.witness = input.witness.map((bytes, k) => (k === item ? mutated(bytes, random) : bytes));
  }
}

/** Runs both on each input. @returns number of valid inputs */
function judge(view: TxView, spent: readonly SpentOutput[], flags: number): number {
  const hashes = new SighashCache(view, crypto, spent);
  let valid = 0;
  for (let i = 0; i < view.inputCount; i++) if (verifyBothWays(view, i, spent, flags, crypto, hashes) === 0) valid++;
  return valid;
}

t.test('judges each input as the interpreter does', async (t) => {
  const random = new Random(20261130);
  let [valid, all] = [0, 0];
  for (let round = 0; round < rounds(150, 3_000); round++) {
    const { tx, spent } = randomTx(random, round);
    const view = parseTx(new Uint8Array(serializeTx(tx)), crypto);
    const someFlags = FLAGS.reduce((set, flag) => (random.below(2) === 0 ? set | flag : set), 0);
    for (const flags of [ALL_FLAGS, someFlags, STANDARD_SCRIPT_FLAGS]) {
      valid += judge(view, spent, flags);
      all += view.inputCount;
    }
  }
  t.ok(valid > 300 && all - valid > 200, `${valid} of ${all} valid`);
  t.ok(laidOut[CHECK_ECDSA]! > 50 && laidOut[CHECK_SCHNORR]! > 20, `usual spends: ${JSON.stringify(laidOut)}`);
});

t.test('judges changes of every byte of the usual spends as the interpreter does', async (t) => {
  const random = new Random(7);
  const flagSets = [ALL_FLAGS, ALL_FLAGS & ~SCRIPT_VERIFY_TAPROOT, SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_DERSIG];
  for (const kind of ['pkh', 'wpkh', 'tr'] as const) {
    const { tx, spent } = signedTx(random, [kind, kind], { type: kind === 'tr' ? 0 : 1 });
    const bytes = new Uint8Array(serializeTx(tx));
    const before = laidOut[kind === 'tr' ? CHECK_SCHNORR : CHECK_ECDSA] ?? 0;
    t.equal(judge(parseTx(bytes, crypto), spent, ALL_FLAGS), 2, `${kind}: valid`);
    t.equal(laidOut[kind === 'tr' ? CHECK_SCHNORR : CHECK_ECDSA], before + 2, `${kind}: without the interpreter`);
    let parsed = 0;
    for (let at = 0; at < bytes.length; at++) {
      for (const change of [0x01, 0x80]) {
        const copy = bytes.slice();
        copy[at]! ^= change;
        let view: TxView;
        try {
          view = parseTx(copy, crypto, { exact: true });
        } catch {
          continue;
        }
        parsed++;
        if (view.inputCount === 2) for (const flags of flagSets) judge(view, spent, flags);
      }
    }
    t.ok(parsed > bytes.length, `${kind}: ${parsed} changes`);
    const view = parseTx(bytes, crypto);
    const { script, value } = spent[1]!;
    const others = Array.from(script, (_, at) => ({ value, script: script.map((byte, k) => (k === at ? byte ^ 1 : byte)) }));
    for (const other of [...others, { value: value + 1, script }]) judge(view, [spent[0]!, other], ALL_FLAGS);
  }
});

t.test('refuses what the signature of a usual spend does not cover', async (t) => {
  const [owner, other] = keys as [TestKey, TestKey];
  const code = keyHashScript(hash160(owner.publicKey));
  for (const kind of ['pkh', 'wpkh'] as const) {
    const spent = [{ value: 5_000, script: lockOf(kind, owner) }];
    const outs = [{ value: 1, script: NOTHING }];
    const unsigned: Tx = { version: 2, ins: [{ txid: sha256(NOTHING), index: 0 }], outs, locktime: 0 };
    const hashes = new SighashCache(parseTx(new Uint8Array(serializeTx(unsigned)), crypto), crypto, spent);
    const hash = kind === 'pkh' ? hashes.legacy(0, code, 1) : hashes.segwitV0(0, code, spent[0]!.value, 1);
    const validWith = (by: TestKey, more: Partial<Tx['ins'][0]> = {}): number => {
      const items = [by.signForScript(hash, 1), by.publicKey];
      const unlocked = kind === 'pkh' ? { script: Buffer.concat(items.map((item) => push(item))) } : { witness: items };
      const tx: Tx = { ...unsigned, ins: [{ ...unsigned.ins[0]!, ...unlocked, ...more }] };
      return judge(parseTx(new Uint8Array(serializeTx(tx)), crypto), spent, ALL_FLAGS);
    };
    t.equal(validWith(owner), 1);
    t.equal(validWith(other), 0, `${kind}: another key`);
    const more = kind === 'pkh' ? { witness: [NOTHING] } : { script: Buffer.from([0x51]) };
    t.equal(validWith(owner, more), 0, `${kind}: a witness or script that does not belong there`);
  }
});

t.test('finds an invalid input among those of a block', async (t) => {
  const random = new Random(20261130);
  const kernel = await KernelWithoutThreads.create(2);
  const seen = { valid: 0, invalid: 0 };
  for (let round = 0; round < rounds(25, 250); round++) {
    // Each block has another height in the engine.
    const checks = new ScriptChecks(kernel.kernel, crypto, kernel.memory.buffer, kernel.scratch);
    const signed = Array.from({ length: 12 }, (_, k) => {
      const kinds = Array.from({ length: 1 + random.below(20) }, () => random.pick(KINDS.slice(0, 10)));
      return signedTx(random, kinds, { type: 1 }, round * 100 + k);
    });
    if (random.below(2) === 0) change(random.pick(random.pick(signed).tx.ins), random);
    const coins = new Map<string, Uint8Array>();
    for (const { tx, spent } of signed) {
      for (const [i, { value, script }] of spent.entries()) {
        const outpoint = Buffer.concat([tx.ins[i]!.txid, Buffer.alloc(4)]);
        outpoint.writeUInt32LE(tx.ins[i]!.index, 32);
        coins.set(outpoint.toString('hex'), encodeCoin({ value, script, height: 0, coinbase: false }));
      }
    }
    const block = buildBlock(GENESIS, { txs: signed.map(({ tx }) => tx) });
    const outcome = kernel.run(factsOf(genesis, block.hash, block.time, params), block.bytes, coins, [GENESIS.time]);
    t.equal(outcome.rejected, null);
    kernel.setWord('SCRIPT_FLAGS', ALL_FLAGS);
    const valid = signed.every(
      ({ tx, spent }) => judge(parseTx(new Uint8Array(serializeTx(tx)), crypto), spent, ALL_FLAGS) === spent.length,
    );
    seen[valid ? 'valid' : 'invalid']++;
    t.equal(checks.check(kernel.slot, 1, kernel.word('INPUT_COUNT')) === 0, valid);
  }
  t.ok(seen.valid > 2 && seen.invalid > 2, JSON.stringify(seen));
});
