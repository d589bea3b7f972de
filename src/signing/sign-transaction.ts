// Signs a transaction's inputs with the keys of a provider, and reports for each whether it can be spent now. Also
// merges versions of one transaction. Core: script/sign.cpp SignTransaction, rpc/rawtransaction.cpp
// combinerawtransaction.
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { buildTx } from '../consensus/tx/build-tx.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { TimeSlice, yieldInQueue } from '../lib/time-slice.js';
import { extractSignatures } from './extract-signatures.js';
import { produceSignature } from './produce-signature.js';
import { type SigningResult, signInput, signingErrorText } from './sign-input.js';
import { emptySignatureData, mergeSignatureData } from './signature-data.js';
import { FlatProvider, type SigningProvider } from './signing-provider.js';
import { signingTx } from './signing-tx.js';

/** Scripts of an input after signing. */
export interface SignedInput {
  readonly scriptSig: Uint8Array;
  readonly witness: readonly Uint8Array[];
  /** Reason why the input cannot be spent; null if it can. */
  readonly error: string | null;
}

/** Curve, hashes, signer and optional threads for signing a transaction. */
export interface SigningTools {
  readonly crypto: Crypto;
  readonly signer: Signer;
  /** Threads that sign large transactions; absent: this thread signs everything. */
  readonly signingThreads?: SigningThreads | undefined;
}

/** Signs on other threads; implemented in parallel/pooled-signer.ts. */
export interface SigningThreads {
  /**
   * Signs a transaction. Resolves to null if the caller should sign the transaction itself. The promise then resolves
   * at the time at which the caller may start.
   */
  sign(
    tx: TxView,
    spent: readonly (SpentOutput | null)[],
    provider: SigningProvider,
    hashType: number,
  ): Promise<readonly SigningResult[] | null>;
}

/**
 * Signs all inputs that can be signed, in slices on this thread or on other threads. Both give the same signatures.
 * @param spent outputs by input; null if an output is unknown or spent
 * @param hashType one byte; DEFAULT means ALL except in taproot
 * @param later use the error messages of newer releases
 */
export async function signTransaction(
  tx: TxView,
  spent: readonly (SpentOutput | null)[],
  provider: SigningProvider,
  hashType: number,
  tools: SigningTools,
  later = false,
): Promise<SignedInput[]> {
  // Yield before each transaction, so that other calls can run between many small transactions.
  const made = tools.signingThreads?.sign(tx, spent, provider, hashType) ?? yieldInQueue().then(() => null);
  const results = (await made) ?? (await signOnThisThread(tx, spent, provider, hashType, tools));
  return results.map(({ scriptSig, witness, code }) => ({ scriptSig, witness, error: signingErrorText(code, later) }));
}

async function signOnThisThread(
  tx: TxView,
  spent: readonly (SpentOutput | null)[],
  provider: SigningProvider,
  hashType: number,
  { crypto, signer }: SigningTools,
): Promise<SigningResult[]> {
  const signing = signingTx(tx, spent, crypto);
  const slice = new TimeSlice();
  const results: SigningResult[] = [];
  for (let i = 0; i < tx.inputCount; i++) {
    results.push(signInput(signing, i, provider, hashType, signer));
    if (slice.over) await slice.next();
  }
  return results;
}

/**
 * Combines the signatures of several versions of one transaction.
 * @param versions versions of the transaction; the first one supplies everything except scriptSigs and witnesses
 * @param spent outputs that the transaction spends, by input
 */
export async function combineTransactions(versions: readonly TxView[], spent: readonly SpentOutput[], crypto: Crypto): Promise<Uint8Array> {
  const [template] = versions;
  const sources = versions.map((tx) => {
    const outputs = Array.from({ length: tx.inputCount }, (_, i) => spent[i] ?? null);
    return signingTx(tx, outputs, crypto);
  });
  const tools = { provider: new FlatProvider(), create: () => null, hashes: crypto };
  const slice = new TimeSlice();
  const inputs: Pick<SignedInput, 'scriptSig' | 'witness'>[] = [];
  for (let i = 0; i < template.inputCount; i++) {
    let data = emptySignatureData();
    for (const source of sources) {
      if (source.tx.inputCount <= i) continue;
      data = mergeSignatureData(data, extractSignatures(source, i, spent[i]));
      if (slice.over) await slice.next();
    }
    produceSignature(spent[i].script, data, tools);
    inputs.push(data);
  }
  return withInputs(template, inputs);
}

/** Returns the transaction with other scriptSigs and witnesses. */
export function withInputs(tx: TxView, inputs: readonly Pick<SignedInput, 'scriptSig' | 'witness'>[]): Uint8Array {
  return buildTx({
    version: tx.version,
    inputs: inputs.map(({ scriptSig, witness }, i) => ({
      prevHash: tx.prevHash(i),
      prevIndex: tx.prevIndex(i),
      scriptSig,
      sequence: tx.sequence(i),
      witness,
    })),
    outputs: Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValueBig(i), script: tx.outputScript(i) })),
    locktime: tx.locktime,
  });
}
