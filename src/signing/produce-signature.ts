// Solves an output script with available keys and scripts: makes missing signatures, and builds scriptSig and witness
// as far as possible. Core: script/sign.cpp ProduceSignature and SignStep.
import { hashKey } from '../consensus/bytes/hex.js';
import { joinScript, minimalPush } from '../consensus/script/build-script.js';
import { SigVersion, type SigVersionCode } from '../consensus/script/sig-version.js';
import { publicKeyHashScript } from '../consensus/script/templates.js';
import type { Hashes } from '../crypto/crypto.js';
import { type ScriptType, solve } from '../policy/script-type.js';
import { satisfyScript } from './satisfy-script.js';
import { signTaproot } from './sign-taproot.js';
import type { SignatureData } from './signature-data.js';
import type { SolvingTools } from './solving-tools.js';

/** Result of solving one script: stack items (or the inner script or program), and whether they are complete. */
interface Step {
  readonly ok: boolean;
  readonly type: ScriptType;
  readonly stack: readonly Uint8Array[];
}

const EMPTY = new Uint8Array(0);
const HASHED: readonly ScriptType[] = ['scripthash', 'witness_v0_scripthash', 'witness_v0_keyhash'];

/**
 * Fills scriptSig, witness, scripts and signatures of `data`, unless `data.complete` is set. For an unsolvable script,
 * scriptSig and witness stay empty.
 * @returns whether every element is present. The caller verifies the result
 */
export function produceSignature(script: Uint8Array, data: SignatureData, tools: SolvingTools): boolean {
  if (data.complete) return true;
  data.witness = [];
  let step = signStep(script, SigVersion.BASE, data, tools);
  let redeemScript: Uint8Array | null = null;
  if (step.ok && step.type === 'scripthash') {
    redeemScript = step.stack[0];
    data.redeemScript = redeemScript;
    step = signStep(redeemScript, SigVersion.BASE, data, tools);
    // Inside P2SH, a version 1 witness program is not taproot (BIP-0341).
    if (step.type === 'scripthash' || step.type === 'witness_v1_taproot') step = { ...step, ok: false, stack: [] };
  }
  let { ok, stack } = step;
  if (step.type === 'witness_v1_taproot' && !redeemScript) {
    data.wantsWitness = true;
    data.witness = stack;
    stack = [];
  } else if (ok && step.type === 'witness_v0_keyhash') {
    data.wantsWitness = true;
    const inner = signStep(publicKeyHashScript(stack[0]), SigVersion.WITNESS_V0, data, tools);
    ok = inner.ok;
    data.witness = inner.stack;
    stack = [];
  } else if (ok && step.type === 'witness_v0_scripthash') {
    data.wantsWitness = true;
    const witnessScript = stack[0];
    data.witnessScript = witnessScript;
    const inner = signWitnessScript(witnessScript, data, tools);
    ok = inner.ok && !HASHED.includes(inner.type);
    data.witness = [...inner.stack, witnessScript];
    stack = [];
  }
  if (redeemScript) stack = [...stack, redeemScript];
  data.scriptSig = joinScript(...stack.map(minimalPush));
  return ok;
}

function signWitnessScript(witnessScript: Uint8Array, data: SignatureData, tools: SolvingTools): Step {
  const step = signStep(witnessScript, SigVersion.WITNESS_V0, data, tools);
  // Try standard templates before miniscript, so that partially signed multisig has the same form as in earlier
  // versions.
  if (step.ok || step.stack.length > 0) return step;
  const stack = satisfyScript(witnessScript, 'wsh', tools, {
    signature: (publicKey) => signatureOf(publicKey, witnessScript, SigVersion.WITNESS_V0, data, tools),
    keyOfHash: (hash) => publicKeyOf(hash, data, tools),
  });
  return stack ? { ok: true, type: step.type, stack } : step;
}

function signStep(script: Uint8Array, sigVersion: SigVersionCode, data: SignatureData, tools: SolvingTools): Step {
  const { type, solutions } = solve(script);
  const done = (...stack: readonly Uint8Array[]): Step => ({ ok: true, type, stack });
  const unsolved: Step = { ok: false, type, stack: [] };
  switch (type) {
    case 'pubkey': {
      const signature = signatureOf(solutions[0], script, sigVersion, data, tools);
      return signature ? done(signature) : unsolved;
    }
    case 'pubkeyhash': {
      const publicKey = publicKeyOf(solutions[0], data, tools);
      if (publicKey === null) data.missing.publicKeys.push(solutions[0]);
      const signature = publicKey && signatureOf(publicKey, script, sigVersion, data, tools);
      return publicKey && signature ? done(signature, publicKey) : unsolved;
    }
    case 'multisig':
      return signMultisig(script, solutions, sigVersion, data, tools);
    case 'witness_v0_keyhash':
      return done(solutions[0]);
    case 'scripthash': {
      const inner = tools.provider.script(solutions[0]) ?? scriptInData(solutions[0], data, tools.hashes);
      if (inner) return done(inner);
      data.missing.redeemScript = solutions[0];
      return unsolved;
    }
    case 'witness_v0_scripthash': {
      const id = tools.hashes.ripemd160(solutions[0]);
      const inner = tools.provider.script(id) ?? scriptInData(id, data, tools.hashes);
      if (inner) return done(inner);
      data.missing.witnessScript = solutions[0];
      return unsolved;
    }
    case 'witness_v1_taproot': {
      const witness = sigVersion === SigVersion.BASE ? signTaproot(solutions[0], data, tools) : null;
      return witness ? done(...witness) : unsolved;
    }
    default:
      return unsolved;
  }
}

/** Makes the stack of a multisig: the empty dummy, then signatures in the order of the keys. */
function signMultisig(
  script: Uint8Array,
  solutions: readonly Uint8Array[],
  sigVersion: SigVersionCode,
  data: SignatureData,
  tools: SolvingTools,
): Step {
  const size = solutions[0][0] + 1;
  const stack: Uint8Array[] = [EMPTY];
  for (const publicKey of solutions.slice(1, -1)) {
    if (stack.length === size && !tools.everyKey) break;
    const signature = signatureOf(publicKey, script, sigVersion, data, tools);
    if (signature && stack.length < size) stack.push(signature);
  }
  const ok = stack.length === size;
  // Pad as Core does: only half of the missing signatures get an empty item, because the stack grows during the loop.
  // Other wallets expect incomplete transactions in this form.
  for (let i = 0; i + stack.length < size; i++) stack.push(EMPTY);
  return { ok, type: 'multisig', stack };
}

/** Returns the public key with a HASH160: from signatures, from the input, or from the provider. */
function publicKeyOf(id: Uint8Array, data: SignatureData, { provider }: SolvingTools): Uint8Array | null {
  const key = hashKey(id);
  return data.signatures.get(key)?.publicKey ?? data.keys.get(key)?.publicKey ?? provider.publicKey(id) ?? null;
}

/** Returns the existing signature, or makes and stores a new one. */
function signatureOf(
  publicKey: Uint8Array,
  script: Uint8Array,
  sigVersion: SigVersionCode,
  data: SignatureData,
  { create, hashes, provider, everyKey }: SolvingTools,
): Uint8Array | null {
  const id = hashes.hash160(publicKey);
  const key = hashKey(id);
  const known = data.signatures.get(key);
  if (known) return known.signature;
  const origin = everyKey && !data.keys.has(key) ? provider.origin?.(id) : undefined;
  if (origin) data.keys.set(key, { publicKey, origin });
  const signature = create(id, publicKey, script, sigVersion);
  if (signature) data.signatures.set(key, { publicKey, signature });
  else data.missing.signatures.push(id);
  return signature;
}

/** Returns the script with a HASH160 if the input contains it. @param id HASH160 of the script */
function scriptInData(id: Uint8Array, data: SignatureData, hashes: Hashes): Uint8Array | null {
  const wanted = hashKey(id);
  for (const script of [data.redeemScript, data.witnessScript]) {
    if (script && hashKey(hashes.hash160(script)) === wanted) return script;
  }
  return null;
}
