// Results of the chain about blocks and coins.

import type { Reject } from '../../consensus/state.js';
import type { HeaderNode } from '../tree/header-node.js';

/**
 * Result of a submitted block.
 * - accepted: the block is new, and now valid as part of the active chain
 * - duplicate: the block's bytes were stored already
 * - inconclusive: the block was stored without a verdict, or was unrequested and ignored
 * - invalid: the block broke a rule, see reject
 */
export interface BlockOutcome {
  readonly kind: 'accepted' | 'duplicate' | 'inconclusive' | 'invalid';
  /** The broken rule if kind is 'invalid'; otherwise null. */
  readonly reject: Reject | null;
  /** True if this call stored the block's bytes. */
  readonly isNew: boolean;
  /** The block's node in the tree; null if the header was not accepted. */
  readonly node: HeaderNode | null;
}

/** Known state of a block hash, in the words of BIP-0022. */
export type KnownBlock = 'duplicate' | 'duplicate-invalid' | 'duplicate-inconclusive' | 'unknown';

/** State of a block. */
export interface BlockState {
  /** The block or an ancestor broke a rule or was invalidated by the operator. */
  readonly failed: boolean;
  readonly hasData: boolean;
  readonly hasUndo: boolean;
  /** True if the block was connected at least once, and therefore was valid. */
  readonly valid: boolean;
}

/** Figures of all unspent outputs, for gettxoutsetinfo. */
export interface CoinsStats {
  readonly height: number;
  /** Hash of the block of these coins, internal order. */
  readonly bestBlock: Uint8Array;
  /** Number of transactions with at least one unspent output. */
  readonly transactions: number;
  /** Number of unspent outputs. */
  readonly outputs: number;
  /** Core's measure: 32 + 4 + 4 + 8 + 2 + script length for each output. */
  readonly bogoSize: number;
  /** Core's hash_serialized_2 or hash_serialized_3, 32 bytes, internal order; null if not requested. */
  readonly hashSerialized: Uint8Array | null;
  /** MuHash of the set, 32 bytes, shown reversed; null if not requested. */
  readonly muhash: Uint8Array | null;
  /** Estimated bytes of the coins in the database. */
  readonly diskSize: number;
  readonly totalSats: number;
}

/** Counters and gauges for /metrics. */
export interface ChainStats {
  readonly height: number;
  readonly headers: number;
  readonly blocksConnected: number;
  readonly blocksDisconnected: number;
  readonly blocksRejected: number;
  readonly reorgs: number;
  readonly candidates: number;
  readonly coinsCacheBytes: number;
  /** Memory of the chain's database. */
  readonly databaseBytes: number;
  readonly queued: number;
}
