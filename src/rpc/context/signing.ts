// Context of methods that read and sign transactions, on the node thread and the wallets' thread.

import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { RecoverableSignatures } from '../../crypto/key-math.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import type { Clock } from '../../lib/clock.js';
import type { Compat } from '../../policy/compat.js';
import type { SigningThreads } from '../../signing/index.js';
import type { ExternalSigner } from '../../wallet/node-face.js';

export interface SigningContext {
  /** Release of Bitcoin Core that the node follows (-compat). */
  readonly compat: Compat;
  readonly params: ChainParams;
  readonly crypto: Crypto;
  readonly clock: Clock;
  /** Context for parsing descriptors, with key arithmetic. */
  readonly descriptors: DescriptorContext;
  /** Recoverable signatures, for signed messages. */
  readonly recoverable: RecoverableSignatures;
  readonly signer: Signer;
  /** Threads that sign large transactions; undefined: sign on this thread. */
  readonly signingThreads?: SigningThreads | undefined;
  /** The external signer (-signer); undefined without one. */
  readonly externalSigner?: ExternalSigner | undefined;
}
