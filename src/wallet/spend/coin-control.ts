// What one payment wants, where it differs from the wallet's habits. Core 0.21: CCoinControl.
import type { AddressType } from '../keys/key-source.js';

/** How an estimate treats falling fees. */
export type FeeMode = 'unset' | 'economical' | 'conservative';

export interface CoinControl {
  /** Where change goes; null: a new address. */
  readonly changeScript: Uint8Array | null;
  /** Kind of that new address; null: the wallet decides. */
  readonly changeType: AddressType | null;
  /** Satoshis per 1,000 virtual bytes; null: the wallet decides. */
  readonly feeRate: number | null;
  /** The rate holds even below what the wallet and the relay rules ask. */
  readonly overrideFeeRate: boolean;
  /** Blocks; null: the wallet decides. */
  readonly confirmTarget: number | null;
  readonly feeMode: FeeMode;
  /** Null: the wallet decides. */
  readonly replaceable: boolean | null;
  readonly avoidPartialSpends: boolean;
  /** Leaves out coins of addresses spent from before, in wallets that mind. */
  readonly avoidAddressReuse: boolean;
  /** Outpoints (36 bytes) that must be spent. */
  readonly inputs: readonly Uint8Array[];
  /** Whether others may be added to them. */
  readonly addInputs: boolean;
  readonly allowWatchOnly: boolean;
  /** Confirmations a coin needs. */
  readonly minDepth: number;
}

/** @param avoidPartialSpends the option */
export const defaultControl = (avoidPartialSpends: boolean): CoinControl => ({
  changeScript: null,
  changeType: null,
  feeRate: null,
  overrideFeeRate: false,
  confirmTarget: null,
  feeMode: 'unset',
  replaceable: null,
  avoidPartialSpends,
  avoidAddressReuse: false,
  inputs: [],
  addInputs: true,
  allowWatchOnly: false,
  minDepth: 0,
});
