// A payment: what is asked for, what comes of it, and what it is made with.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Wallet } from '../wallet.js';
import type { CoinControl } from './coin-control.js';
import type { SpendOptions } from './options.js';
import type { Recipient } from './select/draft.js';
import type { SpendNode } from './spend-node.js';

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
  readonly node: SpendNode;
  readonly options: SpendOptions;
}

/** A line for the operator that names the wallet, as Core's do. */
export function logOf(wallet: Wallet, { node }: Pick<SpendTools, 'node'>, line: string): void {
  node.log(`[${wallet.name === '' ? 'default wallet' : wallet.name}] ${line}`);
}
