// Random scripts, witnesses and flags through the interpreter: it never throws, always answers with a known code, and
// leaves its input as it was. Scripts are random bytes, random opcodes, and damaged standard spends. FUZZ_SEED and
// FUZZ_CASES change the run.

import t from 'tap';
import { minimalPush, plainPush, scriptHashScript, witnessProgramScript } from '../../src/consensus/script/build-script.js';
import { DetachedChecker, TxSignatureChecker } from '../../src/consensus/script/checker.js';
import { isStrictDer, parseLaxDer } from '../../src/consensus/script/der.js';
import { evalScript } from '../../src/consensus/script/eval-script.js';
import { deleteSignature } from '../../src/consensus/script/find-and-delete.js';
import { verifyScript } from '../../src/consensus/script/interpreter.js';
import { ScriptError } from '../../src/consensus/script/script-error.js';
import { SigVersion } from '../../src/consensus/script/sig-version.js';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import { countSigops } from '../../src/consensus/script/sigops.js';
import { tapleafHash } from '../../src/consensus/script/taproot.js';
import { buildTx } from '../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { scriptAsm } from '../../src/policy/script-asm.js';
import { solve } from '../../src/policy/script-type.js';
import { hex } from '../framework/hex.js';
import { testKey } from '../framework/keys.js';
import { pseudoRandom } from '../framework/pseudo-random.js';

const SEED = Number(process.env.FUZZ_SEED ?? 20261121);
const CASES = Number(process.env.FUZZ_CASES ?? 30_000);
const random = pseudoRandom(SEED);
const below = (n: number): number => Math.floor(random() * n);
const pick = <T>(list: readonly T[]): T => list[below(list.length)];
const randomBytes = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => below(256));

const crypto = createNativeCrypto();
const key = testKey(1);
const EMPTY = new Uint8Array(0);
const KNOWN_CODES: ReadonlySet<number> = new Set(Object.values(ScriptError));
const FLAG_BITS = 2 ** 21;

const tx = parseTx(
  buildTx({
    version: 2,
    inputs: [1, 2].map((n) => ({ prevHash: new Uint8Array(32).fill(n), prevIndex: n, scriptSig: EMPTY, sequence: 5 })),
    outputs: [{ value: 1, script: EMPTY }],
    locktime: 9,
  }),
  crypto,
);
// A signature that is well formed, and one that is good for one script.
const someSignature = key.signForScript(new Uint8Array(32).fill(3), 1);
const schnorrSignature = key.signSchnorr(new Uint8Array(32).fill(4));
const checkSig = Uint8Array.from([...plainPush(key.publicKey), 0xac]);
const goodSignature = key.signForScript(new SighashCache(tx, crypto).legacy(0, checkSig, 1), 1);

function element(): Uint8Array {
  switch (below(9)) {
    case 0:
      return EMPTY;
    case 1:
      return Uint8Array.of(below(256));
    case 2:
      return key.publicKey;
    case 3:
      return key.xonly;
    case 4:
      return below(2) === 0 ? someSignature : goodSignature;
    case 5:
      return schnorrSignature;
    case 6:
      return randomBytes(below(6));
    case 7:
      return randomBytes(below(80));
    default:
      return new Uint8Array(pick([75, 76, 255, 256, 519, 520, 521]));
  }
}

/** Mostly opcodes that run, some pushes of every form, now and then a cut. */
function randomScript(): Uint8Array {
  const parts: number[] = [];
  const length = below(below(8) === 0 ? 300 : 40);
  for (let i = 0; i < length; i++) {
    const kind = below(10);
    if (kind < 2) parts.push(...minimalPush(element()));
    else if (kind < 3) parts.push(...plainPush(element()));
    else if (kind < 5) parts.push(0x50 + below(17));
    else if (kind < 6) parts.push(pick([0x63, 0x64, 0x67, 0x68, 0x68, 0xac, 0xad, 0xae, 0xaf, 0xab, 0xba, 0xb1, 0xb2]));
    else if (kind < 9) parts.push(0x61 + below(0x5a));
    else parts.push(below(256));
  }
  const bytes = Uint8Array.from(parts);
  return below(20) === 0 ? bytes.subarray(0, below(bytes.length + 1)) : bytes;
}

/** A script that wants a witness or a redeem script, with one that fits. */
function wrapped(): { scriptPubKey: Uint8Array; scriptSig: Uint8Array; witness: Uint8Array[] } {
  const inner = below(3) === 0 ? checkSig : randomScript();
  const stack = Array.from({ length: below(5) }, element);
  const pushes = Uint8Array.from(Buffer.concat(stack.map(below(2) === 0 ? plainPush : minimalPush)));
  const joined = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));
  switch (below(6)) {
    case 0:
      return { scriptPubKey: inner, scriptSig: below(2) === 0 ? pushes : randomScript(), witness: below(4) === 0 ? stack : [] };
    case 1:
      return { scriptPubKey: scriptHashScript(crypto.hash160(inner)), scriptSig: joined(pushes, plainPush(inner)), witness: [] };
    case 2:
      return { scriptPubKey: witnessProgramScript(0, crypto.sha256(inner)), scriptSig: EMPTY, witness: [...stack, inner] };
    case 3: {
      const program = witnessProgramScript(below(17), below(2) === 0 ? crypto.sha256(inner) : randomBytes(2 + below(39)));
      return { scriptPubKey: scriptHashScript(crypto.hash160(program)), scriptSig: plainPush(program), witness: [...stack, inner] };
    }
    case 4: {
      const version = pick([0xc0, 0xc0, 0xc0, 0xc2, 0x50]);
      const leaf = tapleafHash(version & 0xfe, inner, crypto);
      const output = key.taprootOutput(leaf);
      const control = Uint8Array.from([(version & 0xfe) | output.parity, ...key.xonly]);
      const annex = below(4) === 0 ? [Uint8Array.of(0x50, 1)] : [];
      return { scriptPubKey: witnessProgramScript(1, output.key), scriptSig: EMPTY, witness: [...stack, inner, control, ...annex] };
    }
    default:
      return { scriptPubKey: witnessProgramScript(1, randomBytes(32)), scriptSig: EMPTY, witness: stack };
  }
}

function damage(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0 || below(12) !== 0) return bytes;
  const copy = bytes.slice();
  copy[below(copy.length)] = below(256);
  return copy;
}

t.test(`verifies ${CASES} random scripts with seed ${SEED} without an exception`, async (t) => {
  const counts = new Map<number, number>();
  const problems: string[] = [];
  for (let i = 0; i < CASES && problems.length < 5; i++) {
    const spend = wrapped();
    const scriptPubKey = damage(spend.scriptPubKey);
    const scriptSig = damage(spend.scriptSig);
    const witness = spend.witness.map(damage);
    const flags = below(4) === 0 ? below(FLAG_BITS) : pick([0, 0x20e15, 0x1fffdf]);
    const before = [scriptPubKey, scriptSig, ...witness].map(hex).join();
    const where = `case ${i}: ${before}, flags ${flags}`;
    try {
      const spent = [
        { value: 1000, script: scriptPubKey },
        { value: 1, script: EMPTY },
      ];
      const checker = new TxSignatureChecker(tx, 0, spent, crypto, new SighashCache(tx, crypto, spent));
      const code = verifyScript(scriptSig, scriptPubKey, witness, flags, checker);
      if (!KNOWN_CODES.has(code)) problems.push(`${where}: code ${code}`);
      counts.set(code, (counts.get(code) ?? 0) + 1);
      if (verifyScript(scriptSig, scriptPubKey, witness, flags, checker) !== code) problems.push(`${where}: not the same twice`);
      for (const version of [SigVersion.BASE, SigVersion.WITNESS_V0, SigVersion.TAPSCRIPT]) {
        const alone = evalScript([...witness], scriptPubKey, flags, new DetachedChecker(crypto), version);
        if (!KNOWN_CODES.has(alone)) problems.push(`${where}: code ${alone} alone`);
      }
      const readers = [solve(scriptPubKey).type, scriptAsm(scriptSig, { sighashDecode: true }), countSigops(scriptPubKey, true)];
      for (const item of witness) readers.push(parseLaxDer(item, item.length)?.length ?? 0, isStrictDer(item) ? 1 : 0);
      if (readers.some((value) => value === undefined || Number.isNaN(value))) problems.push(`${where}: ${readers.join()}`);
      if (deleteSignature(scriptPubKey, someSignature).length > scriptPubKey.length) problems.push(`${where}: grew`);
    } catch (error) {
      problems.push(`${where}: ${String(error)}`);
    }
    if ([scriptPubKey, scriptSig, ...witness].map(hex).join() !== before) problems.push(`${where}: input was changed`);
  }
  t.same(problems, [], 'no problems');
  t.ok(counts.size > 30, `${counts.size} different outcomes`);
  t.ok((counts.get(ScriptError.OK) ?? 0) > CASES / 100, `${counts.get(ScriptError.OK)} spends succeed`);
});
