// What the wallets' methods need, and all that they need: it can be put together on a thread that has no node. Amounts
// are satoshis.
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { RecoverableSignatures } from '../../crypto/key-math.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import type { Clock } from '../../lib/clock.js';
import type { Compat } from '../../policy/compat.js';
import type { SigningThreads } from '../../signing/sign-transaction.js';
import type { ExternalSigner } from '../../wallet/external-signer.js';
import type { WalletManager } from '../../wallet/manage/wallet-manager.js';
import type { NodeClient } from '../../wallet/node-client.js';
import type { SpendTools } from '../../wallet/spend/payment.js';
import type { Run } from '../dispatch.js';

export interface WalletContext {
  /** Which Bitcoin Core it speaks and acts like. */
  readonly compat: Compat;
  readonly params: ChainParams;
  readonly crypto: Crypto;
  readonly clock: Clock;
  /** Null with -disablewallet. */
  readonly wallets: WalletManager | null;
  /** What payments of wallets are made with; null with -disablewallet. */
  readonly spend: SpendTools | null;
  readonly client: NodeClient;
  /** What descriptors are read with, key arithmetic among it. */
  readonly descriptors: DescriptorContext;
  /** For signed messages. */
  readonly recoverable: RecoverableSignatures;
  /** For signed transactions. */
  readonly signer: Signer;
  /** What large transactions are signed on; absent where there is one thread. */
  readonly signingThreads?: SigningThreads | undefined;
  /** The command of -signer; absent without one. */
  readonly externalSigner?: ExternalSigner | undefined;
}

/** A run function of the wallets. */
export type WalletRun = Run<WalletContext>;
