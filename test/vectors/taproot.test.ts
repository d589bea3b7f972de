// Runs the taproot vectors: Core's generated spends under every set of consensus flags, and the wallet vectors of
// BIP-0341. Those of BIP-0340 run in crypto.test.ts, on every backend.

import { encodeAddress } from '../../src/address/address.js';
import { hashKey } from '../../src/consensus/bytes/hex.js';
import {
  CONSENSUS_SCRIPT_FLAGS,
  parseScriptFlags,
  SCRIPT_FLAG_NAMES,
  SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_TAPROOT,
  SCRIPT_VERIFY_WITNESS,
} from '../../src/consensus/script/flags.js';
import { TaprootContext } from '../../src/consensus/script/sig-version.js';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import { SighashParts } from '../../src/consensus/script/sighash-parts.js';
import { checkTaprootCommitment, tapbranchHash, tapleafHash, taptweakHash } from '../../src/consensus/script/taproot.js';
import { buildTx } from '../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import type { Crypto } from '../../src/crypto/crypto.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { createKeyMath } from '../../src/crypto/native/key-math.js';
import { createSigner } from '../../src/crypto/native/sign.js';
import { produceSignature } from '../../src/signing/produce-signature.js';
import { signingTools } from '../../src/signing/signature-creator.js';
import { emptySignatureData } from '../../src/signing/signature-data.js';
import { FlatProvider } from '../../src/signing/signing-provider.js';
import { signingTx } from '../../src/signing/signing-tx.js';
import { verifyBothWays } from '../framework/engine-verify.js';
import { hex, unhex } from '../framework/hex.js';
import { rowSuite } from '../framework/vector-suite.js';

const native = createNativeCrypto();
const keyMath = createKeyMath();

// The same signatures come up under every flag set; without the system's library a check takes a quarter of a
// millisecond.
const answers = new Map<string, boolean>();
const remember = (question: string, parts: readonly Uint8Array[], ask: () => boolean): boolean => {
  const key = question + parts.map(hex).join();
  let answer = answers.get(key);
  if (answer === undefined) answers.set(key, (answer = ask()));
  return answer;
};
const crypto: Crypto = {
  ...native,
  ecdsaVerify: (sig, key, message) => remember('ecdsa', [sig, key, message], () => native.ecdsaVerify(sig, key, message)),
  schnorrVerify: (sig, key, message) => remember('schnorr', [sig, key, message], () => native.schnorrVerify(sig, key, message)),
};
const MAIN = { base58: { p2pkh: 0, p2sh: 5, wif: 128 }, bech32Hrp: 'bc' };

/** Every sensible set of the consensus flags: WITNESS only with P2SH, TAPROOT only with WITNESS. */
const FLAG_SETS = subsets(SCRIPT_FLAG_NAMES.map(([, flag]) => flag).filter((flag) => (CONSENSUS_SCRIPT_FLAGS & flag) !== 0)).filter(
  (flags) =>
    ((flags & SCRIPT_VERIFY_WITNESS) === 0 || (flags & SCRIPT_VERIFY_P2SH) !== 0) &&
    ((flags & SCRIPT_VERIFY_TAPROOT) === 0 || (flags & SCRIPT_VERIFY_WITNESS) !== 0),
);

function subsets(flags: readonly number[]): number[] {
  const sets = [0];
  for (const flag of flags) sets.push(...sets.map((set) => set | flag));
  return sets;
}

interface Spend {
  scriptSig: string;
  witness: string[];
}
interface AssetRow {
  tx: string;
  prevouts: string[];
  index: number;
  flags: string;
  comment: string;
  success: Spend;
  failure?: Spend;
  final?: boolean;
}

function withInput(tx: TxView, index: number, spend: Spend): TxView {
  const inputs = Array.from({ length: tx.inputCount }, (_, i) => ({
    prevHash: tx.prevHash(i),
    prevIndex: tx.prevIndex(i),
    scriptSig: i === index ? unhex(spend.scriptSig) : tx.scriptSig(i),
    sequence: tx.sequence(i),
    witness: i === index ? spend.witness.map(unhex) : tx.witness(i),
  }));
  const outputs = Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValueBig(i), script: tx.outputScript(i) }));
  return parseTx(buildTx({ version: tx.version, inputs, outputs, locktime: tx.locktime }), crypto, { exact: true });
}

/** A serialised output: value, size of the script (below 64 kB), script. */
function readOutput(text: string): { value: number; script: Uint8Array } {
  const bytes = Buffer.from(text, 'hex');
  const value = Number(bytes.readBigInt64LE(0));
  return { value, script: Uint8Array.from(bytes.subarray(bytes[8] === 0xfd ? 11 : 9)) };
}

rowSuite<AssetRow>('taproot/script_assets.jsonl.gz', 'generated spends', (row) => {
  const named = parseScriptFlags(row.flags);
  if (named === null) return `unknown flag in ${row.flags}`;
  answers.clear();
  const spent = row.prevouts.map(readOutput);
  const plain = parseTx(unhex(row.tx), crypto, { exact: true });
  for (const [spend, mustPass] of [
    [row.success, true],
    [row.failure, false],
  ] as const) {
    if (spend === undefined) continue;
    const tx = withInput(plain, row.index, spend);
    const cache = new SighashCache(tx, crypto, spent);
    const judged = FLAG_SETS.filter((flags) => (mustPass ? row.final === true || (flags & named) === flags : (flags & named) === named));
    if (judged.length === 0) return 'no flag set to try';
    for (const flags of judged) {
      const error = verifyBothWays(tx, row.index, spent, flags, crypto, cache);
      if ((error === 0) !== mustPass) return `${row.comment}: flags ${flags.toString(16)}, error ${error}, must pass: ${mustPass}`;
    }
  }
  return null;
});

type Tree = { id: number; script: string; leafVersion: number } | [Tree, Tree];
interface OutputRow {
  given: { internalPubkey: string; scriptTree: Tree | null };
  intermediary: { leafHashes?: string[]; merkleRoot: string | null; tweak: string; tweakedPubkey: string };
  expected: { scriptPubKey: string; bip350Address: string; scriptPathControlBlocks?: string[] };
}

rowSuite<OutputRow>('taproot/bip341_script_pub_key.json', 'outputs and control blocks', ({ given, intermediary, expected }) => {
  const leaves: { id: number; hash: Uint8Array }[] = [];
  const hashTree = (tree: Tree): Uint8Array => {
    if (Array.isArray(tree)) return tapbranchHash(hashTree(tree[0]), hashTree(tree[1]), crypto);
    const hash = tapleafHash(tree.leafVersion, unhex(tree.script), crypto);
    leaves.push({ id: tree.id, hash });
    return hash;
  };
  const root = given.scriptTree === null ? null : hashTree(given.scriptTree);
  if ((root === null ? null : hex(root)) !== intermediary.merkleRoot) return 'merkle root';
  const internal = unhex(given.internalPubkey);
  const tweak = taptweakHash(internal, root, crypto);
  if (hex(tweak) !== intermediary.tweak) return 'tweak';
  const output = unhex(intermediary.tweakedPubkey);
  if (!crypto.tapTweakCheck(output, 0, internal, tweak) && !crypto.tapTweakCheck(output, 1, internal, tweak)) return 'output key';
  if (expected.scriptPubKey !== `5120${intermediary.tweakedPubkey}`) return 'script';
  if (encodeAddress(unhex(expected.scriptPubKey), MAIN) !== expected.bip350Address) return 'address';
  for (const { id, hash } of leaves) {
    if (hex(hash) !== intermediary.leafHashes?.[id]) return `leaf ${id}`;
    const control = expected.scriptPathControlBlocks?.[id];
    if (control === undefined || !checkTaprootCommitment(unhex(control), output, hash, crypto)) return `control block ${id}`;
    if (checkTaprootCommitment(unhex(control), output, crypto.sha256(hash), crypto)) return `control block ${id} fits any leaf`;
  }
  return null;
});

interface KeyPathRow {
  given: { rawUnsignedTx: string; utxosSpent: { scriptPubKey: string; amountSats: number }[] };
  intermediary: Record<'hashAmounts' | 'hashOutputs' | 'hashPrevouts' | 'hashScriptPubkeys' | 'hashSequences', string>;
  inputSpending: {
    given: { txinIndex: number; hashType: number; internalPrivkey: string; merkleRoot: string | null };
    intermediary: { sigHash: string; internalPubkey: string };
    expected: { witness: string[] };
  }[];
  auxiliary: { fullySignedTx: string };
}

rowSuite<KeyPathRow>('taproot/bip341_key_path_spending.json', 'signature hashes', (row) => {
  const spent = row.given.utxosSpent.map(({ scriptPubKey, amountSats }) => ({ value: amountSats, script: unhex(scriptPubKey) }));
  const tx = parseTx(unhex(row.given.rawUnsignedTx), crypto, { exact: true });
  const parts = new SighashParts(tx, crypto, spent);
  const shared = [parts.amounts, parts.outputs, parts.prevouts, parts.scripts, parts.sequences].map(hex);
  const { hashAmounts, hashOutputs, hashPrevouts, hashScriptPubkeys, hashSequences } = row.intermediary;
  if (shared.join() !== [hashAmounts, hashOutputs, hashPrevouts, hashScriptPubkeys, hashSequences].join()) return 'shared parts';
  const cache = new SighashCache(tx, crypto, spent);
  for (const { given, intermediary } of row.inputSpending) {
    const hash = cache.taproot(given.txinIndex, given.hashType, new TaprootContext(), false);
    if (hash === null || hex(hash) !== intermediary.sigHash) return `input ${given.txinIndex}`;
  }
  const signed = parseTx(unhex(row.auxiliary.fullySignedTx), crypto, { exact: true });
  const signedCache = new SighashCache(signed, crypto, spent);
  const flags = CONSENSUS_SCRIPT_FLAGS;
  for (let i = 0; i < signed.inputCount; i++) {
    const error = verifyBothWays(signed, i, spent, flags, crypto, signedCache);
    if (error !== 0) return `signed input ${i}: error ${error}`;
  }
  return null;
});

rowSuite<KeyPathRow>('taproot/bip341_key_path_spending.json', 'signing', (row) => {
  const spent = row.given.utxosSpent.map(({ scriptPubKey, amountSats }) => ({ value: amountSats, script: unhex(scriptPubKey) }));
  const tx = parseTx(unhex(row.given.rawUnsignedTx), crypto, { exact: true });
  const signing = signingTx(tx, spent, crypto);
  for (const { given, intermediary, expected } of row.inputSpending) {
    const { script } = spent[given.txinIndex];
    const provider = new FlatProvider();
    const secret = unhex(given.internalPrivkey);
    const publicKey = keyMath.publicKey(secret, true) as Uint8Array;
    provider.secrets.set(hashKey(crypto.hash160(publicKey)), secret);
    const internalKey = unhex(intermediary.internalPubkey);
    const merkleRoot = given.merkleRoot === null ? null : unhex(given.merkleRoot);
    provider.taproots.set(hashKey(script.subarray(2)), { outputKey: script.subarray(2), internalKey, merkleRoot, leaves: [] });
    for (const prefer of ['system', 'packages'] as const) {
      const data = emptySignatureData();
      const by = { input: given.txinIndex, output: spent[given.txinIndex], provider, signer: createSigner({ prefer }) };
      const solved = produceSignature(script, data, signingTools(signing, { ...by, hashType: given.hashType }));
      if (!solved || data.witness.map(hex).join() !== expected.witness.join()) return `input ${given.txinIndex}, ${prefer}`;
    }
  }
  return null;
});
