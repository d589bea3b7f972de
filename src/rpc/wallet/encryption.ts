// Shared by encryptwallet, walletlock, walletpassphrase, and walletpassphrasechange.

import { follows } from '../../policy/compat.js';
import type { Wallet } from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';

export function ensureEncrypted(wallet: Wallet, method: string): void {
  if (wallet.vault.encrypted) return;
  fail(RPC_CODE.WALLET_WRONG_ENC_STATE, `Error: running with an unencrypted wallet, but ${method} was called.`);
}

export const empty = ({ compat }: WalletContext): never =>
  fail(RPC_CODE.INVALID_PARAMETER, `passphrase ${follows(compat, 23) ? 'cannot' : 'can not'} be empty`);

export const incorrect = (): never => fail(RPC_CODE.WALLET_PASSPHRASE_INCORRECT, 'Error: The wallet passphrase entered was incorrect.');
