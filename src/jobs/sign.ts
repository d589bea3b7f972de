// Signs ranges of transactions' inputs from shared slabs and verifies them: the message, its result, and the function
// that runs on a worker thread. Results are public; private keys are never in a message.

import { ByteReader } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { parseTx } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { type SigningResult, type SigningTx, signInput, signingTx } from '../signing/index.js';
import { readSubjectSlab, SignSlabView, subjectSerial } from './sign-slab.js';

/** Incremented whenever a field of SignJob or SignJobResult, or a slab's layout, changes its meaning. */
export const SIGN_MESSAGE_VERSION = 5;

/** A part of a large transaction, or several small ones. */
export interface SignJob {
  readonly version: typeof SIGN_MESSAGE_VERSION;
  readonly parts: readonly SignPart[];
}

/** Inputs `first` to `end` - 1 of the transaction in `subject`, to be signed with the keys in `slab` only. */
export interface SignPart {
  readonly slab: SharedArrayBuffer;
  readonly subject: SharedArrayBuffer;
  readonly first: number;
  readonly end: number;
}

export interface SignJobResult {
  readonly version: typeof SIGN_MESSAGE_VERSION;
  /**
   * One array per part; for each input: code of its outcome as 32 bits (signing/sign-input.ts), scriptSig with size,
   * number of witness items, items with sizes.
   */
  readonly parts: readonly Uint8Array[];
}

/** Rejects messages of another version, which would otherwise be misread without an error. */
function assertVersion({ version }: { readonly version: number }): void {
  if (version !== SIGN_MESSAGE_VERSION) throw new Error(`Sign message version ${version} is not ${SIGN_MESSAGE_VERSION}`);
}

/** Estimated size of an input's result: a p2wpkh input with signature and key takes 113 bytes. */
const INPUT_BYTES = 120;

/**
 * Returns the sign function of one thread.
 * @param createSigner called when the first job arrives, because most threads never sign
 */
export function createSignRunner(crypto: Crypto, createSigner: () => Signer): (job: SignJob) => SignJobResult {
  /** Last transaction, retained because its other parts usually follow. */
  let open: { readonly serial: number; readonly signing: SigningTx; readonly hashType: number } | null = null;
  let signer: Signer | null = null;

  const runPart = ({ slab, subject, first, end }: SignPart): Uint8Array => {
    const keys = new SignSlabView(slab);
    const serial = subjectSerial(subject);
    if (open?.serial !== serial) {
      const { tx, spent, hashType } = readSubjectSlab(subject);
      open = { serial, signing: signingTx(parseTx(tx, crypto), spent, crypto), hashType };
    }
    signer ??= createSigner();
    const out = new ByteWriter(INPUT_BYTES * (end - first));
    for (let input = first; input < end; input++) {
      const { scriptSig, witness, code } = signInput(open.signing, input, keys, open.hashType, signer);
      out.i32(code).varBytes(scriptSig).compactSize(witness.length);
      for (const item of witness) out.varBytes(item);
    }
    keys.finish();
    return out.finish();
  };

  return (job) => {
    assertVersion(job);
    return { version: SIGN_MESSAGE_VERSION, parts: job.parts.map(runPart) };
  };
}

/** Returns the results of each part's inputs. */
export function readSignResult({ parts }: SignJobResult): SigningResult[][] {
  return parts.map(readInputs);
}

function readInputs(inputs: Uint8Array): SigningResult[] {
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
