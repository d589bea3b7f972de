// Options of one payment that differ from the wallet's defaults. Core 0.21: CCoinControl.

import type { SigningProvider } from '../../signing/index.js';
import type { AddressType } from '../keys/key-source.js';

/** Mode of a fee estimate: how fast it follows falling fees. */
export type FeeMode = 'unset' | 'economical' | 'conservative';

export interface CoinControl {
  /** Script for change; null: a new address. */
  readonly changeScript: Uint8Array | null;
  /** Address type of change if it needs a new address; null: the wallet decides. */
  readonly changeType: AddressType | null;
  /** Fee rate, satoshis per 1,000 virtual bytes; null: the wallet decides. */
  readonly feeRate: number | null;
  /** True to use the fee rate even if it is below the minimum of the wallet or of relay. */
  readonly overrideFeeRate: boolean;
  /** Confirmation target in blocks; null: the wallet decides. */
  readonly confirmTarget: number | null;
  readonly feeMode: FeeMode;
  /** True if the payment signals replaceability (BIP-0125); null: the wallet decides. */
  readonly replaceable: boolean | null;
  readonly avoidPartialSpends: boolean;
  /** True to skip coins of addresses that were spent from before, in wallets with the flag avoid_reuse. */
  readonly avoidAddressReuse: boolean;
  /** Outpoints (36 bytes) that must be spent. */
  readonly inputs: readonly Uint8Array[];
  /**
   * The outputs of `inputs` that are not the wallet's, and weights of those inputs that the caller knows, both by
   * hashKey of the outpoint.
   */
  readonly foreign: ReadonlyMap<string, { readonly value: number; readonly script: Uint8Array }>;
  readonly weights: ReadonlyMap<string, number>;
  /** Keys and scripts for outputs that are not the wallet's. */
  readonly solving: SigningProvider | null;
  /** True if coin selection may add more inputs. */
  readonly addInputs: boolean;
  readonly allowWatchOnly: boolean;
  /** Lowest and highest number of confirmations of a coin. */
  readonly minDepth: number;
  readonly maxDepth: number;
  /**
   * True to use unconfirmed coins received from others, or from a transaction that replaces another or was replaced.
   */
  readonly includeUnsafe: boolean;
  /**
   * Version of the transaction. A version 3 transaction may spend unconfirmed coins only of version 3 transactions, and
   * other versions may not spend these.
   */
  readonly version: number;
  /** Largest weight of the transaction; null: the largest standard weight. */
  readonly maxWeight: number | null;
}

/** Returns the default options. @param avoidPartialSpends value of -avoidpartialspends */
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
