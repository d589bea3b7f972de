// Solves an output script with the keys and scripts at hand: makes the signatures that are missing and puts scriptSig and witness
// together, as far as it gets. Core: script/sign.cpp ProduceSignature and SignStep.
import { hashKey } from '../../consensus/bytes/hex.js';
import { joinScript, minimalPush } from '../../consensus/script/build-script.js';
import { SigVersion, type SigVersionCode } from '../../consensus/script/script-run.js';
import { publicKeyHashScript } from '../../consensus/script/templates.js';
import type { Hashes } from '../../crypto/crypto.js';
import { type ScriptType, solve } from '../../policy/script-type.js';
import type { SigningProvider } from '../keys/signing-provider.js';
import type { SignatureData } from './signature-data.js';

/** Makes the signature of one input by one key; null when the key is not there or may not sign. */
export type CreateSignature = (
  keyId: Uint8Array,
  publicKey: Uint8Array,
  scriptCode: Uint8Array,
  sigVersion: SigVersionCode,
) => Uint8Array | null;

/** Who answers while an input is solved. */
export interface SolvingTools {
  readonly provider: Pick<SigningProvider, 'script' | 'publicKey'>;
  readonly create: CreateSignature;
  readonly hashes: Hashes;
  /** Sign multisig with all keys at hand, for PSBTs, which keep partial signatures; a transaction shows no more than it needs. */
  readonly everyKey?: boolean;
}

/** What a step left: stack items (or the inner script or program) and whether they are all there. */
interface Step {
  readonly ok: boolean;
  readonly type: ScriptType;
  readonly stack: readonly Uint8Array[];
}

const EMPTY = new Uint8Array(0);
const HASHED: readonly ScriptType[] = ['scripthash', 'witness_v0_scripthash', 'witness_v0_keyhash'];

/**
 * Fills scriptSig, witness, scripts and signatures of `data` unless it is complete; an unsolvable script leaves both empty.
 * @returns whether every element is there (or was before); whether it verifies is for the caller to see
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
    if (step.type === 'scripthash') step = { ...step, ok: false };
  }
  let { ok, stack } = step;
  if (ok && step.type === 'witness_v0_keyhash') {
    const inner = signStep(publicKeyHashScript(stack[0]), SigVersion.WITNESS_V0, data, tools);
    ok = inner.ok;
    data.witness = inner.stack;
    stack = [];
  } else if (ok && step.type === 'witness_v0_scripthash') {
    const witnessScript = stack[0];
    data.witnessScript = witnessScript;
    const inner = signStep(witnessScript, SigVersion.WITNESS_V0, data, tools);
    ok = inner.ok && !HASHED.includes(inner.type);
    data.witness = [...inner.stack, witnessScript];
    stack = [];
  }
  if (redeemScript) stack = [...stack, redeemScript];
  data.scriptSig = joinScript(...stack.map(minimalPush));
  return ok;
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
      const publicKey = data.signatures.get(hashKey(solutions[0]))?.publicKey ?? tools.provider.publicKey(solutions[0]);
      const signature = publicKey && signatureOf(publicKey, script, sigVersion, data, tools);
      return publicKey && signature ? done(signature, publicKey) : unsolved;
    }
    case 'multisig':
      return signMultisig(script, solutions, sigVersion, data, tools);
    case 'witness_v0_keyhash':
      return done(solutions[0]);
    case 'scripthash':
    case 'witness_v0_scripthash': {
      const id = type === 'scripthash' ? solutions[0] : tools.hashes.ripemd160(solutions[0]);
      const inner = tools.provider.script(id) ?? scriptInData(id, data, tools.hashes);
      return inner ? done(inner) : unsolved;
    }
    default:
      return unsolved;
  }
}

/** The empty dummy, then signatures in the order of the keys until there are enough. */
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
  // Half the missing places are padded: both sides of Core's comparison move. Incomplete transactions have been exchanged that way
  // for years, so it stays.
  for (let i = 0; i + stack.length < size; i++) stack.push(EMPTY);
  return { ok, type: 'multisig', stack };
}

/** The signature that is there, or a new one, which is kept. */
function signatureOf(
  publicKey: Uint8Array,
  script: Uint8Array,
  sigVersion: SigVersionCode,
  data: SignatureData,
  { create, hashes }: SolvingTools,
): Uint8Array | null {
  const id = hashes.hash160(publicKey);
  const key = hashKey(id);
  const known = data.signatures.get(key);
  if (known) return known.signature;
  const signature = create(id, publicKey, script, sigVersion);
  if (signature) data.signatures.set(key, { publicKey, signature });
  return signature;
}

/** A script the input itself brought along. @param id its HASH160 */
function scriptInData(id: Uint8Array, data: SignatureData, hashes: Hashes): Uint8Array | null {
  const wanted = hashKey(id);
  for (const script of [data.redeemScript, data.witnessScript]) {
    if (script && hashKey(hashes.hash160(script)) === wanted) return script;
  }
  return null;
}
