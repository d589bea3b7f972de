// Signs PSBTs with an external signer, and reports its errors. Core 31: rpc/external_signer.cpp,
// wallet/external_signer_scriptpubkeyman.cpp.

import { equalBytes, toHex } from '../../consensus/bytes/hex.js';
import { combinePsbts, isFinal, type Psbt } from '../../psbt/index.js';
import { finalizePsbt, isDone, psbtSigning } from '../../signing/index.js';
import {
  type ExternalSigner,
  type FillOptions,
  type FillOutcome,
  fillPsbt,
  NoSignerError,
  SignerError,
  WALLET_FLAG,
  type Wallet,
} from '../../wallet/node-face.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE, RpcError } from '../errors.js';
import { asPsbt, psbtText } from '../render/psbt-text.js';

export const NO_COMMAND = 'restart bitcoind with -signer=<cmd>';

/** Throws a signer's error as an RPC error. */
export const signerFailed = (error: unknown): never => {
  throw error instanceof SignerError ? new RpcError(RPC_CODE.MISC_ERROR, error.message) : error;
};

/** Returns the signer of -signer. Its errors become RPC errors. @throws RpcError without -signer */
export function signerOf({ externalSigner }: WalletContext): Pick<ExternalSigner, 'descriptors' | 'displayAddress'> {
  const signer = externalSigner ?? fail(RPC_CODE.MISC_ERROR, NO_COMMAND);
  return {
    descriptors: (account) => signer.descriptors(account).catch(signerFailed),
    displayAddress: (desc, address) => signer.displayAddress(desc, address).catch(signerFailed),
  };
}

/** Adds to a PSBT what a wallet knows, and signs it. A wallet with an external signer lets the device sign. */
export async function fillPsbtBy(ctx: WalletContext, wallet: Wallet, psbt: Psbt, options: FillOptions): Promise<FillOutcome> {
  if (!options.sign || !wallet.record.has(WALLET_FLAG.EXTERNAL_SIGNER)) return fillPsbt(wallet, psbt, options, ctx);
  const filled = await fillPsbt(wallet, psbt, { ...options, sign: false, derivations: true }, ctx);
  if ('fault' in filled || filled.complete) return filled;
  await signOutside(ctx, psbt);
  if (options.finalize === false) return { complete: psbt.inputs.every(isFinal) };
  return { complete: finalizePsbt(psbt, ctx.crypto, true) };
}

const failed = (): never => fail(RPC_CODE.VERIFY_ERROR, 'External signer failed to sign');

/**
 * Adds the device's signatures. Checks the device's reply: it must have the same transaction including sequences and the
 * same sighash types, and final inputs must verify.
 */
async function signOutside(ctx: WalletContext, psbt: Psbt): Promise<void> {
  const signer = ctx.externalSigner ?? fail(RPC_CODE.VERIFY_ERROR, 'External signer not found');
  const types = psbt.inputs.map(({ sighashType }) => sighashType);
  let text: string | null;
  try {
    text = await signer.signPsbt(psbtText(psbt, ctx.crypto, ctx.compat), fingerprintsOf(psbt));
  } catch (error) {
    if (error instanceof NoSignerError) return fail(RPC_CODE.VERIFY_ERROR, 'External signer not found');
    return signerFailed(error);
  }
  if (text === null) return failed();
  const signed = readSigned(text, ctx);
  const { txid } = psbt.tx;
  const combined = combinePsbts([psbt, signed], ctx.crypto);
  if (combined === null || !equalBytes(combined.tx.txid, txid)) failed();
  const work = psbtSigning(psbt, ctx.crypto, true);
  for (const [i, input] of psbt.inputs.entries()) {
    if (input.sighashType !== types[i] || (isFinal(input) && !isDone(work, i))) failed();
  }
}

function readSigned(text: string, ctx: WalletContext): Psbt {
  try {
    return asPsbt(text, ctx);
  } catch (error) {
    if (error instanceof RpcError) return failed();
    throw error;
  }
}

/** Returns the fingerprints of the master keys that inputs name. */
function fingerprintsOf({ inputs }: Psbt): Set<string> {
  const found = new Set<string>();
  for (const { keyPaths, tapKeyPaths } of inputs) {
    for (const { origin } of [...keyPaths.values(), ...tapKeyPaths.values()]) found.add(toHex(origin.fingerprint));
  }
  return found;
}
