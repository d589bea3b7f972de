// A payment: what is asked for, what comes of it, and what it is made with.
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import type { SigningThreads } from '../../signing/sign-transaction.js';
import type { NodeClient } from '../node-client.js';
import type { Wallet } from '../wallet.js';
import type { CoinControl } from './coin-control.js';
import type { SpendOptions } from './options.js';
import type { Recipient } from './select/draft.js';
import type { RandomSource } from './select/pace.js';

export interface PaymentRequest {
  readonly recipients: readonly Recipient[];
  readonly control: CoinControl;
  /** Where change goes; -1: anywhere. */
  readonly changePosition: number;
  readonly sign: boolean;
}

export interface Payment {
  readonly tx: TxView;
  readonly fee: number;
  /** -1: no change. */
  readonly changePosition: number;
  /** Why the rate was paid. */
  readonly reason: string;
  /** Outpoints of the coins that were chosen for it, without those that the caller named. */
  readonly chosen: readonly Uint8Array[];
}

/** Why there is no payment, in Core's words. */
export interface PaymentError {
  readonly error: string;
}

/** What a payment works with. */
export interface SpendTools {
  readonly client: NodeClient;
  readonly options: SpendOptions;
  readonly crypto: Crypto;
  /** Descriptor language and network, for inferring descriptors from output scripts. */
  readonly descriptors: DescriptorContext;
  readonly signer: Signer;
  /** What large transactions are signed on. */
  readonly signingThreads?: SigningThreads | undefined;
  readonly chance: RandomSource;
  nowSeconds(): number;
  /** A line for the operator. */
  log(line: string): void;
}

/** A line for the operator that names the wallet, as Core's do. */
export function logOf(wallet: Wallet, { log }: Pick<SpendTools, 'log'>, line: string): void {
  log(`[${wallet.name === '' ? 'default wallet' : wallet.name}] ${line}`);
}
