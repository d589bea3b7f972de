// Shared by encryptwallet, walletlock, walletpassphrase, and walletpassphrasechange.

import { follows } from '../../policy/compat.js';
import { openMasterKey, type SealedMasterKey, type Wallet } from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';

export function ensureEncrypted(wallet: Wallet, method: string): void {
  if (wallet.vault.encrypted) return;
  fail(RPC_CODE.WALLET_WRONG_ENC_STATE, `Error: running with an unencrypted wallet, but ${method} was called.`);
}

export const empty = ({ compat }: WalletContext): never =>
  fail(RPC_CODE.INVALID_PARAMETER, `passphrase ${follows(compat, 23) ? 'cannot' : 'can not'} be empty`);

export const incorrect = (): never => fail(RPC_CODE.WALLET_PASSPHRASE_INCORRECT, 'Error: The wallet passphrase entered was incorrect.');

/**
 * Decrypts the master key with a passphrase.
 * @returns key in a new array, and the stored form
 * @throws RpcError if the passphrase is wrong
 */
export async function masterKeyOf(wallet: Wallet, passphrase: Uint8Array): Promise<{ key: Uint8Array; stored: SealedMasterKey }> {
  for (const stored of wallet.encryption.masterKeys) {
    const key = await openMasterKey(stored, passphrase);
    if (key !== null) return { key, stored };
  }
  return incorrect();
}
