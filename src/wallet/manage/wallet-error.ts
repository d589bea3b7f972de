// Error of a wallet operation, with the code of the RPC error. rpc/wallet translates it.
import { StoreError } from '../../storage/store-error.js';

/** Error codes of Core's protocol. */
export const WALLET_CODE = {
  MISC: -1,
  WALLET: -4,
  INVALID_PARAMETER: -8,
  UNLOCK_NEEDED: -13,
  PASSPHRASE_INCORRECT: -14,
  WRONG_ENC_STATE: -15,
  NOT_FOUND: -18,
  ENCRYPTION_FAILED: -16,
  ALREADY_EXISTS: -36,
  INVALID_PARAMS: -32602,
} as const;

/**
 * Prefix of error messages about a wallet's folder and files in replies to calls. Messages at the start of the node
 * have no such prefix.
 */
export const VERIFY = 'Wallet file verification failed. ';

/** Error of a call that needs private keys of a locked wallet. */
export const NEEDS_PASSPHRASE = 'Error: Please enter the wallet passphrase with walletpassphrase first.';

/** Error of a call on a wallet that is not loaded. */
export const NOT_LOADED = 'Requested wallet does not exist or is not loaded';

export class WalletError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'WalletError';
  }
}

/**
 * Returns advice on how to replace a damaged wallet by its backup while the node runs.
 * @param message error text that contains the path of the wallet's database
 */
export function adviceForDamagedWallet(message: string): string {
  const [from, to] = [message.indexOf('/'), message.lastIndexOf('/wallet.db')];
  if (from < 0 || to <= from) return 'Move its folder away and restore the wallet from a backup: adit-cli restorewallet NAME BACKUP';
  const folder = message.slice(from, to);
  const above = folder.lastIndexOf('/wallets/');
  const name = above < 0 ? 'NAME' : folder.slice(above + '/wallets/'.length);
  return `Move ${folder} away and restore the wallet from a backup: adit-cli restorewallet ${JSON.stringify(name)} BACKUP`;
}

/** Describes an error of the store for the caller; null for other errors. */
export function describeStoreError(error: unknown): string | null {
  if (!(error instanceof StoreError)) return null;
  const damaged = error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND';
  return `${VERIFY}${error.message}.${damaged ? ` ${adviceForDamagedWallet(error.message)}` : ''}`;
}
