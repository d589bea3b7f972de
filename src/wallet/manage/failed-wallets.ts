// Tracks wallets that failed while the node runs (Wallet.fail), and are therefore no longer in the list of loaded
// wallets. Provides the errors for calls on them, and decides whether to load them again.
import type { Wallet } from '../wallet.js';
import { WALLET_CODE, WalletError } from './wallet-error.js';

/** A wallet that fails again within this time after it was loaded again stays unloaded. */
const REPEAT_MS = 60_000;

export class FailedWallets {
  /**
   * Failed wallets by name: the error for calls, and whether the wallet stays unloaded (isGivenUp) or is being loaded
   * again.
   */
  readonly #failed = new Map<string, { readonly error: WalletError; readonly isGivenUp: boolean }>();
  /** Time at which each wallet was last loaded again, in milliseconds. */
  readonly #reloadedMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * Returns errors for calls, one for each failed wallet that is not listed. A wallet that is loaded again is listed
   * shortly before its loading is complete.
   */
  errorsExcept(listed: readonly { readonly name: string }[]): readonly WalletError[] {
    const names = new Set(listed.map(({ name }) => name));
    return [...this.#failed].filter(([name]) => !names.has(name)).map(([, { error }]) => error);
  }
  /** Names of wallets that are being loaded again. */
  get reloading(): readonly string[] {
    return [...this.#failed].filter(([, { isGivenUp }]) => !isGivenUp).map(([name]) => name);
  }
  /** Returns the error for a call that names a failed wallet. */
  errorOf(name: string): WalletError | undefined {
    return this.#failed.get(name)?.error;
  }

  /** Records that a wallet failed. @returns whether to load it again */
  recordFailure(name: string): boolean {
    const error = new WalletError(WALLET_CODE.WALLET, `Wallet ${JSON.stringify(name)} has failed and is being loaded again.`);
    this.#failed.set(name, { error, isGivenUp: false });
    const reloadedMs = this.#reloadedMs.get(name);
    return reloadedMs === undefined || this.#nowMs() - reloadedMs >= REPEAT_MS;
  }
  /** Records that a failed wallet stays unloaded. @returns one line for the operator */
  giveUpWallet(name: string, reason: unknown): string {
    const [quoted, text] = [JSON.stringify(name), reason instanceof Error ? reason.message : String(reason)];
    const why = `Wallet ${quoted} has failed and is not loaded any more: ${text.replace(/\.$/, '')}.`;
    const line = `${why} Load it with adit-cli loadwallet ${quoted}. If that fails, move its folder away and use adit-cli restorewallet ${quoted} BACKUP.`;
    this.#failed.set(name, { error: new WalletError(WALLET_CODE.WALLET, line), isGivenUp: true });
    return line;
  }
  /** Records that a wallet was loaded, by a client or again after a failure. */
  recordLoaded(name: string): void {
    if (this.#failed.get(name)?.isGivenUp === false) this.#reloadedMs.set(name, this.#nowMs());
    else this.#reloadedMs.delete(name);
    this.#failed.delete(name);
  }
  /**
   * Forgets a failed wallet that stays unloaded.
   * @returns whether there was one
   * @throws WalletError while the wallet is being loaded again
   */
  dismissWallet(name: string): boolean {
    const failed = this.#failed.get(name);
    if (failed?.isGivenUp === false) throw failed.error;
    return this.#failed.delete(name);
  }
}

/**
 * Copies settings that exist only in memory (fee rate, locked coins) from the failed wallet object to the one that was
 * loaded again.
 */
export function copySettings(wallet: Wallet, former: Wallet): void {
  wallet.session.setPayFeeRate(former.session.payFeeRate);
  for (const [key, outpoint] of former.ledger.locked) wallet.ledger.locked.set(key, outpoint);
}
