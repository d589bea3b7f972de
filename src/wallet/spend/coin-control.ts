// What one payment wants, where it differs from the wallet's habits. Core 0.21: CCoinControl.

import type { SigningProvider } from '../../signing/signing-provider.js';
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
  /** Outputs of others among them, and weights of inputs that the caller knows, by hashKey of the outpoint. */
  readonly foreign: ReadonlyMap<string, { readonly value: number; readonly script: Uint8Array }>;
  readonly weights: ReadonlyMap<string, number>;
  /** What is known of the scripts of others' outputs. */
  readonly solving: SigningProvider | null;
  /** Whether others may be added to them. */
  readonly addInputs: boolean;
  readonly allowWatchOnly: boolean;
  /** Confirmations a coin needs, and may have. */
  readonly minDepth: number;
  readonly maxDepth: number;
  /** Unconfirmed coins from others, or from a replacement, too. */
  readonly includeUnsafe: boolean;
  /** Of the transaction; an unconfirmed one of version 3 is only spent by version 3, and the other way round. */
  readonly version: number;
  /** Of the transaction; null: what is standard. */
  readonly maxWeight: number | null;
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
  foreign: new Map(),
  weights: new Map(),
  solving: null,
  addInputs: true,
  allowWatchOnly: false,
  minDepth: 0,
  maxDepth: Number.POSITIVE_INFINITY,
  includeUnsafe: false,
  version: 2,
  maxWeight: null,
});
