// Types of a payment: request, result, error, and dependencies.
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import type { SigningThreads } from '../../signing/index.js';
import type { NodeClient } from '../node-client.js';
import type { Wallet } from '../wallet.js';
import type { CoinControl } from './coin-control.js';
import type { SpendOptions } from './options.js';
import type { Recipient } from './select/draft.js';
import type { RandomSource } from './select/random.js';

export interface PaymentRequest {
  readonly recipients: readonly Recipient[];
  readonly control: CoinControl;
  /** Index of the change output; -1: random. */
  readonly changePosition: number;
  readonly sign: boolean;
}

export interface Payment {
  readonly tx: TxView;
  readonly fee: number;
  /** Index of the change output; -1: no change. */
  readonly changePosition: number;
  /** Text that says how the fee rate was chosen (FEE_REASON). */
  readonly reason: string;
  /** Outpoints of chosen coins, without those that the caller required. */
  readonly chosen: readonly Uint8Array[];
}

/** Error of a payment, in Core's words. */
export interface PaymentError {
  readonly error: string;
}

/** Dependencies of payments. */
export interface SpendTools {
  readonly client: NodeClient;
  readonly options: SpendOptions;
  readonly crypto: Crypto;
  /** Descriptor language and network, for inferring descriptors from output scripts. */
  readonly descriptors: DescriptorContext;
  readonly signer: Signer;
  /** Threads that sign large transactions; absent: this thread signs everything. */
  readonly signingThreads?: SigningThreads | undefined;
  readonly chance: RandomSource;
  nowSeconds(): number;
  log(line: string): void;
}

/** Writes a log line that names the wallet, as Core does. */
export function logOf(wallet: Wallet, { log }: Pick<SpendTools, 'log'>, line: string): void {
  log(`[${wallet.name === '' ? 'default wallet' : wallet.name}] ${line}`);
}
