// Signs a range of a transaction's inputs from a shared slab, and checks them: the message, its result, and the run function of the
// worker threads. Posted by wallet/pooled-signer.ts. Results are public; private keys never are in a message.

import { hashKey } from '../consensus/bytes/hex.js';
import { ByteReader } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { parseTx } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import type { SigningProvider } from '../wallet/keys/signing-provider.js';
import { type SigningResult, signInput } from '../wallet/sign/sign-input.js';
import { type SigningTx, signingTx } from '../wallet/sign/signing-tx.js';
import { SignSlabView, signSlabSerial } from './sign-slab.js';

/** Raised whenever a field of SignJob or SignJobResult, or the slab's layout, changes meaning. */
export const SIGN_MESSAGE_VERSION = 1;

/** Inputs `first` to `end` - 1 of the transaction in the slab. */
export interface SignJob {
  readonly version: typeof SIGN_MESSAGE_VERSION;
  readonly slab: SharedArrayBuffer;
  readonly first: number;
  readonly end: number;
}

export interface SignJobResult {
  readonly version: typeof SIGN_MESSAGE_VERSION;
  /** Per input its outcome's code (wallet/sign/sign-input.ts). */
  readonly codes: Int32Array;
  /** Per input scriptSig with size, number of witness items, items with sizes. */
  readonly scripts: Uint8Array;
}

/** Small transactions that share a trip to the thread, each with a slab of its own. */
export interface SignEachJob {
  readonly version: typeof SIGN_MESSAGE_VERSION;
  readonly slabs: readonly SharedArrayBuffer[];
}

/** As many as there were slabs. */
export type SignEachResult = readonly SignJobResult[];

/** The run functions of one thread. */
export interface SignRunner {
  run(job: SignJob): SignJobResult;
  runEach(job: SignEachJob): SignEachResult;
}

/** The transaction last worked on: its other parts come next. */
interface Open {
  readonly slab: SignSlabView;
  readonly signing: SigningTx;
  readonly provider: SigningProvider;
}

/** A message of other code than ours would be read wrongly in silence. */
function assertVersion({ version }: { readonly version: number }): void {
  if (version !== SIGN_MESSAGE_VERSION) throw new Error(`Sign message version ${version} is not ${SIGN_MESSAGE_VERSION}`);
}

/** Makes the run functions of one thread. @param createSigner called when the first job comes: most threads never sign */
export function createSignRunner(crypto: Crypto, createSigner: () => Signer): SignRunner {
  let open: Open | null = null;
  let signer: Signer | null = null;

  const openSlab = (buffer: SharedArrayBuffer): Open => {
    if (open !== null && open.slab.serial === signSlabSerial(buffer)) return open;
    const slab = new SignSlabView(buffer);
    open = { slab, signing: signingTx(parseTx(slab.tx, crypto), slab.spent, crypto), provider: providerOf(slab) };
    return open;
  };

  const signRange = (buffer: SharedArrayBuffer, first: number, last: number | null): SignJobResult => {
    const { slab, signing, provider } = openSlab(buffer);
    slab.assertWhole();
    const end = last ?? signing.tx.inputCount;
    signer ??= createSigner();
    const codes = new Int32Array(end - first);
    const out = new ByteWriter(128 * codes.length);
    for (let input = first; input < end; input++) {
      const { scriptSig, witness, code } = signInput(signing, input, provider, slab.hashType, signer);
      codes[input - first] = code;
      out.varBytes(scriptSig).compactSize(witness.length);
      for (const item of witness) out.varBytes(item);
    }
    slab.finishPart();
    return { version: SIGN_MESSAGE_VERSION, codes, scripts: out.finish() };
  };

  return {
    run: (job) => {
      assertVersion(job);
      return signRange(job.slab, job.first, job.end);
    },
    runEach: (job) => {
      assertVersion(job);
      return job.slabs.map((slab) => signRange(slab, 0, null));
    },
  };
}

/** The inputs of a result. */
export function readSignResult({ codes, scripts }: SignJobResult): SigningResult[] {
  const reader = new ByteReader(scripts);
  return Array.from(codes, (code) => {
    const scriptSig = reader.varBytes();
    const witness: Uint8Array[] = [];
    for (let left = reader.compactSize(); left > 0; left--) witness.push(reader.varBytes());
    return { scriptSig, witness, code };
  });
}

function providerOf(slab: SignSlabView): SigningProvider {
  return {
    script: (id) => slab.scripts.get(hashKey(id)),
    publicKey: (id) => slab.publicKeys.get(hashKey(id)),
    hasSecret: (id) => slab.hasSecret(hashKey(id)),
    secret: (id) => slab.secret(hashKey(id)),
    origin: () => undefined,
    taproot: (outputKey) => slab.taproots.get(hashKey(outputKey)),
  };
}
