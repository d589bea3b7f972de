// Finds the wallet that a call means. Core: GetWalletForJSONRPCRequest.
import type { Wallet } from '../wallet.js';
import type { FailedWallets } from './failed-wallets.js';
import { NOT_LOADED, WALLET_CODE, WalletError } from './wallet-error.js';

/** Returns the wallet of a call. @throws WalletError, see WalletManager.selectWallet */
export function selectWallet(wallets: readonly Wallet[], failed: FailedWallets, name: string | null, ambiguous: string): Wallet {
  if (name !== null) {
    const wallet = wallets.find((one) => one.name === name);
    if (wallet === undefined) throw failed.errorOf(name) ?? new WalletError(WALLET_CODE.NOT_FOUND, NOT_LOADED);
    return wallet;
  }
  // Count failed wallets too. If the only other wallet has failed, a call without a wallet name must not silently use
  // the remaining one.
  const errors = failed.errorsExcept(wallets);
  const meant = wallets.length + errors.length;
  if (meant === 1) {
    if (errors.length > 0) throw errors[0];
    return wallets[0];
  }
  if (meant === 0) {
    throw new WalletError(
      WALLET_CODE.NOT_FOUND,
      'No wallet is loaded. Load a wallet using loadwallet or create a new one with createwallet. (Note: A default wallet is no longer automatically created)',
    );
  }
  throw new WalletError(-19, ambiguous);
}
