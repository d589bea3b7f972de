// Why a wallet operation was refused, with the code RPC answers. Thrown here, translated in rpc/wallet.
import { StoreError } from '../../storage/store-error.js';

/** Codes as Core's protocol numbers them. */
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
} as const;

/** How errors about a wallet's folder and files begin, of a call; those of a start are without it. */
export const VERIFY = 'Wallet file verification failed. ';

/** What a call is told whose wallet is not there, or no longer. */
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
 * Returns advice how to replace a damaged wallet by its backup while the node runs.
 * @param message contains the path of the wallet's database
 */
export function adviceForDamagedWallet(message: string): string {
  const [from, to] = [message.indexOf('/'), message.lastIndexOf('/wallet.db')];
  if (from < 0 || to <= from) return 'Move its folder away and restore the wallet from a backup: adit-cli restorewallet NAME BACKUP';
  const folder = message.slice(from, to);
  const above = folder.lastIndexOf('/wallets/');
  const name = above < 0 ? 'NAME' : folder.slice(above + '/wallets/'.length);
  return `Move ${folder} away and restore the wallet from a backup: adit-cli restorewallet ${JSON.stringify(name)} BACKUP`;
}

/** Store faults in words for the caller. */
export function describeStoreError(error: unknown): string | null {
  if (!(error instanceof StoreError)) return null;
  const damaged = error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND';
  return `${VERIFY}${error.message}.${damaged ? ` ${adviceForDamagedWallet(error.message)}` : ''}`;
}
