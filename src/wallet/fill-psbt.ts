// Fills a PSBT from a wallet: adds known transactions, signs, and adds origins of keys and scripts. Core:
// wallet/wallet.cpp CWallet::FillPSBT and FillPSBT of the key managers.
import type { KeyTools } from '../address/bip32/extended-key.js';
import { buildTaproot } from '../address/descriptor/taproot-tree.js';
import { hashKey } from '../consensus/bytes/hex.js';
import { joinScript, plainPush, scriptHashScript, witnessProgramScript } from '../consensus/script/build-script.js';
import { OP } from '../consensus/script/opcodes.js';
import { SIGHASH_ALL } from '../consensus/script/sighash.js';
import { publicKeyHashScript, witnessVersion } from '../consensus/script/templates.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { TimeSlice } from '../lib/time-slice.js';
import { isFinal, type Psbt, type PsbtInput } from '../psbt/index.js';
import {
  dropUnneededTransactions,
  FlatProvider,
  HidingProvider,
  isDone,
  presignInputs,
  psbtSigning,
  type SigningProvider,
  type SigningThreads,
  StackedProvider,
  signPsbtInput,
  updatePsbtOutput,
} from '../signing/index.js';
import { signingProviderOf } from './spend/signing-provider-of.js';
import type { Wallet } from './wallet.js';

/** Options for filling a PSBT. */
export interface FillOptions {
  /** Sighash type, one byte. Null: ALL, and for taproot DEFAULT. */
  readonly hashType: number | null;
  /** True to sign. A locked wallet signs nothing in any case. */
  readonly sign: boolean;
  /** True to add the origins of keys. */
  readonly derivations: boolean;
  /** True if complete inputs get their final scripts. */
  readonly finalize?: boolean;
  /** True to use the rules of release 32 (signing/psbt-input.ts). */
  readonly later: boolean;
}

/**
 * Reason why filling stopped. sighash mismatch: an input has another sighash type than requested. missing inputs: the
 * previous transaction of an input lacks the output that the input spends.
 */
export type FillFault = 'sighash mismatch' | 'missing inputs';

/** Result of filling: whether every input is final, or why filling stopped. */
export type FillOutcome = { readonly complete: boolean } | { readonly fault: FillFault };

/** Dependencies of fillPsbt. */
export interface FillTools {
  readonly crypto: Crypto;
  readonly signer: Signer;
  /** Key arithmetic for the scripts of single keys. */
  readonly descriptors: KeyTools;
  /** Threads that sign inputs of single keys if the PSBT has many of them; absent: this thread signs everything. */
  readonly signingThreads?: SigningThreads | undefined;
}

/**
 * Fills the PSBT in place, in time slices: each key that an input names takes 140 us, and a PSBT may name half a million.
 */
export async function fillPsbt(
  wallet: Wallet,
  psbt: Psbt,
  options: FillOptions,
  { crypto, signer, descriptors, signingThreads }: FillTools,
): Promise<FillOutcome> {
  const { hashType, sign, derivations, later, finalize = true } = options;
  await addTransactions(wallet, psbt);
  const work = psbtSigning(psbt, crypto, later);
  const hide = (provider: SigningProvider, secrets: boolean): SigningProvider =>
    new HidingProvider(provider, { secrets, origins: !derivations });
  const made = sign ? await presignInputs(work, (spent) => signingProviderOf(wallet, spent), hashType, signingThreads) : null;
  const slice = new TimeSlice();
  for (const [i, input] of psbt.inputs.entries()) {
    if (slice.over) await slice.next();
    if (isFinal(input)) continue;
    if (!later && sign && (input.sighashType ?? 0) > 0 && input.sighashType !== (hashType ?? SIGHASH_ALL))
      return { fault: 'sighash mismatch' };
    const output = work.signing.spent[i];
    if (output === null) {
      if (input.nonWitnessUtxo !== null) return { fault: 'missing inputs' };
      continue;
    }
    const provider = providerFor(wallet, output.script, input, descriptors);
    // A negative sighash type stands for a number above 2^31. The client did not request it, so use type 0 instead of
    // signing with it.
    const by = {
      provider: hide(provider, !sign),
      hashType: hashType ?? Math.max(input.sighashType ?? 0, 0),
      signer,
      made: made?.get(i) ?? null,
    };
    if (signPsbtInput(work, i, by, { hashType, finalize }).mismatch) return { fault: 'sighash mismatch' };
  }
  for (let i = 0; i < psbt.outputs.length; i++) {
    if (slice.over) await slice.next();
    const provider = wallet.legacy ?? wallet.keys.provider(psbt.tx.outputScript(i));
    if (provider) updatePsbtOutput(work, i, hide(provider, true));
  }
  if (later) dropUnneededTransactions(psbt);
  return { complete: psbt.inputs.every((_, i) => isDone(work, i)) };
}

async function addTransactions(wallet: Wallet, psbt: Psbt): Promise<void> {
  for (const [i, input] of psbt.inputs.entries()) {
    if (isFinal(input) || input.nonWitnessUtxo !== null) continue;
    const row = wallet.ledger.txs.find(psbt.tx.prevHash(i));
    const tx = row < 0 ? undefined : await wallet.reader.readOne(row);
    if (tx) input.nonWitnessUtxo = tx;
  }
}

/**
 * Returns the signing provider for an input. A legacy wallet has one store for all keys. In a descriptor wallet, it is
 * the provider of the output script, or else those of the scripts of keys that the input names.
 */
function providerFor(wallet: Wallet, script: Uint8Array, input: PsbtInput, tools: KeyTools): SigningProvider {
  if (wallet.legacy) return wallet.legacy;
  const own = wallet.keys.provider(script);
  if (own) return own;
  const found = new Map<string, SigningProvider>();
  for (const publicKey of keysNamed(input, script)) {
    for (const candidate of scriptsOfKey(publicKey, tools)) {
      const provider = wallet.keys.provider(candidate);
      if (provider) found.set(hashKey(candidate), provider);
    }
  }
  return found.size === 0 ? new FlatProvider() : new StackedProvider([...found.values()]);
}

/** Yields public keys that may sign. For an x-only key, both points with that x coordinate. */
function* keysNamed({ keyPaths, tapKeyPaths }: PsbtInput, script: Uint8Array): Generator<Uint8Array> {
  for (const { publicKey } of keyPaths.values()) yield publicKey;
  const xOnly = [...tapKeyPaths.values()].map(({ publicKey }) => publicKey);
  if (witnessVersion(script) === 1 && script.length === 34) xOnly.push(script.subarray(2));
  for (const key of xOnly) for (const parity of [2, 3]) yield Uint8Array.of(parity, ...key);
}

/** Returns the output scripts of a single key. */
function scriptsOfKey(publicKey: Uint8Array, tools: KeyTools): Uint8Array[] {
  const { hash160 } = tools.hashes;
  const hash = hash160(publicKey);
  const scripts = [joinScript(plainPush(publicKey), OP.OP_CHECKSIG), publicKeyHashScript(hash)];
  if (publicKey.length === 33) {
    const program = witnessProgramScript(0, hash);
    scripts.push(program, scriptHashScript(hash160(program)));
    const xOnly = publicKey.subarray(1);
    scripts.push(witnessProgramScript(1, xOnly));
    const tweaked = buildTaproot(xOnly, [], tools);
    if (tweaked !== null) scripts.push(witnessProgramScript(1, tweaked.outputKey));
  }
  return scripts;
}
