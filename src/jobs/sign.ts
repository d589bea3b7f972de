// Signs transactions, or a range of one's inputs, from shared slabs, and checks them: the message, its result, and the
// run function of the worker threads. Posted by parallel/pooled-signer.ts. Results are public; private keys never are in
// a message.

import { ByteReader } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { parseTx } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { type SigningResult, signInput } from '../signing/sign-input.js';
import type { SigningProvider } from '../signing/signing-provider.js';
import { type SigningTx, signingTx } from '../signing/signing-tx.js';
import { readSubjectSlab, SignSlabView, type SignSubject, subjectSerial } from './sign-slab.js';

/** Raised whenever a field of SignJob or SignJobResult, or a slab's layout, changes meaning. */
export const SIGN_MESSAGE_VERSION = 3;

/**
 * All inputs of the transactions in `slab`, each with its own task's keys; of a task without one, inputs `first` to
 * `end` - 1 of the transaction in `subject`.
 */
export interface SignJob {
  readonly version: typeof SIGN_MESSAGE_VERSION;
  readonly slab: SharedArrayBuffer;
  readonly subject: SharedArrayBuffer | null;
  readonly first: number;
  readonly end: number;
}

export interface SignJobResult {
  readonly version: typeof SIGN_MESSAGE_VERSION;
  /**
   * Per input: its outcome's code as 32 bits (signing/sign-input.ts), scriptSig with size, number of witness items,
   * items with sizes.
   */
  readonly inputs: Uint8Array;
}

/** A transaction that is being signed. */
interface Open {
  readonly signing: SigningTx;
  readonly hashType: number;
}

/** A message of other code than ours would be read wrongly in silence. */
function assertVersion({ version }: { readonly version: number }): void {
  if (version !== SIGN_MESSAGE_VERSION) throw new Error(`Sign message version ${version} is not ${SIGN_MESSAGE_VERSION}`);
}

/** A p2wpkh input with a signature and a key takes 113 bytes. */
const INPUT_BYTES = 120;

/**
 * Makes the run function of one thread.
 * @param createSigner called when the first job comes: most threads never sign
 */
export function createSignRunner(crypto: Crypto, createSigner: () => Signer): (job: SignJob) => SignJobResult {
  /** The shared transaction last worked on: its other parts come next. */
  let shared: (Open & { readonly serial: number }) | null = null;
  let signer: Signer | null = null;

  const openSubject = ({ tx, spent, hashType }: SignSubject): Open => ({
    signing: signingTx(parseTx(tx, crypto), spent, crypto),
    hashType,
  });

  const openShared = (slab: SharedArrayBuffer): Open => {
    const serial = subjectSerial(slab);
    if (shared?.serial !== serial) shared = { ...openSubject(readSubjectSlab(slab)), serial };
    return shared;
  };

  const signRange = (out: ByteWriter, { signing, hashType }: Open, first: number, end: number, provider: SigningProvider): void => {
    signer ??= createSigner();
    for (let input = first; input < end; input++) {
      const { scriptSig, witness, code } = signInput(signing, input, provider, hashType, signer);
      out.i32(code).varBytes(scriptSig).compactSize(witness.length);
      for (const item of witness) out.varBytes(item);
    }
  };

  return (job) => {
    assertVersion(job);
    const slab = new SignSlabView(job.slab);
    const out = new ByteWriter(INPUT_BYTES * Math.max(2 * slab.tasks.length, job.end - job.first));
    for (const task of slab.tasks) {
      if (task.subject !== null) {
        const open = openSubject(task.subject);
        signRange(out, open, 0, open.signing.tx.inputCount, task);
      } else if (job.subject !== null) signRange(out, openShared(job.subject), job.first, job.end, task);
    }
    slab.finish();
    return { version: SIGN_MESSAGE_VERSION, inputs: out.finish() };
  };
}

/** The inputs of a result. */
export function readSignResult({ inputs }: SignJobResult): SigningResult[] {
  const reader = new ByteReader(inputs);
  const results: SigningResult[] = [];
  while (reader.remaining > 0) {
    const code = reader.i32();
    const scriptSig = reader.varBytes();
    const witness: Uint8Array[] = [];
    for (let left = reader.compactSize(); left > 0; left--) witness.push(reader.varBytes());
    results.push({ scriptSig, witness, code });
  }
  return results;
}
