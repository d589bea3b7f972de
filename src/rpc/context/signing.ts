// What methods need to read and to sign transactions, on the node thread as on the wallets'.
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { RecoverableSignatures } from '../../crypto/key-math.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import type { Clock } from '../../lib/clock.js';
import type { Compat } from '../../policy/compat.js';
import type { SigningThreads } from '../../signing/sign-transaction.js';
import type { ExternalSigner } from '../../wallet/external-signer.js';

export interface SigningContext {
  /** Which Bitcoin Core it speaks and acts like. */
  readonly compat: Compat;
  readonly params: ChainParams;
  readonly crypto: Crypto;
  readonly clock: Clock;
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
