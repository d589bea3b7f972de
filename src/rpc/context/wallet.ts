// What methods need of wallets and of signing; amounts are satoshis.
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { RecoverableSignatures } from '../../crypto/key-math.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import type { SigningThreads } from '../../signing/sign-transaction.js';
import type { WalletManager } from '../../wallet/manage/wallet-manager.js';
import type { SpendTools } from '../../wallet/spend/payment.js';
import type { Wallet } from '../../wallet/wallet.js';

/** Of wallets and of everything that is signed. */
export interface WalletContext {
  /** Null with -disablewallet. */
  readonly wallets: WalletManager | null;
  /** What payments of wallets are made with; null with -disablewallet. */
  readonly spend: SpendTools | null;
  /**
   * Resolves when every event up to now reached wallets, notifiers and indexes; undefined when all of them have.
   * @param only of the wallets
   */
  settle(only?: Wallet): Promise<unknown> | undefined;
  /** What descriptors are read with, key arithmetic among it. */
  readonly descriptors: DescriptorContext;
  /** For signed messages. */
  readonly recoverable: RecoverableSignatures;
  /** For signed transactions. */
  readonly signer: Signer;
  /** What large transactions are signed on; absent where there is one thread. */
  readonly signingThreads?: SigningThreads | undefined;
}
