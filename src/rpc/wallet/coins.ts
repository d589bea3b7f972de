import { isUsed, WALLET_FLAG, type Wallet } from '../../wallet/index.js';
// Shared by getbalance, getbalances, getunconfirmedbalance, listlockunspent, and lockunspent.

/** Returns include_watchonly. Default: true for wallets without private keys. */
export const includeWatchOnly = (wallet: Wallet, value: boolean | undefined): boolean => value ?? wallet.record.privateKeysDisabled;

/**
 * Returns a filter for coins of used addresses, if the wallet has the flag avoid_reuse and the caller wants to avoid
 * reuse.
 */
export function usedFilter(wallet: Wallet, avoid: boolean): ((coin: number) => boolean) | undefined {
  if (!avoid || !wallet.record.has(WALLET_FLAG.AVOID_REUSE)) return undefined;
  return (coin) => isUsed(wallet, wallet.ledger.coins.script(coin));
}
