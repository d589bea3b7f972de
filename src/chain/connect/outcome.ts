// The answers of the chain to a block it was given.

import type { Reject } from '../../consensus/state.js';
import type { HeaderNode } from '../tree/header-node.js';

/**
 * What became of a submitted block.
 * - accepted: new, and now valid as part of the active chain
 * - duplicate: its bytes were there already
 * - inconclusive: stored (or, unrequested, ignored), but no verdict was reached
 * - invalid: a rule was broken, see reject
 */
export interface BlockOutcome {
  readonly kind: 'accepted' | 'duplicate' | 'inconclusive' | 'invalid';
  /** The broken rule when kind is invalid. */
  readonly reject: Reject | null;
  /** Whether its bytes were stored by this call. */
  readonly isNew: boolean;
  /** Its place in the header tree; null when the header was not accepted. */
  readonly node: HeaderNode | null;
}

/** What is known of a block hash before looking at the block, as submitblock and proposals ask it. */
export type KnownBlock = 'duplicate' | 'duplicate-invalid' | 'duplicate-inconclusive' | 'unknown';

/** How far a block got. */
export interface BlockState {
  /** It or an ancestor broke a rule or was invalidated. */
  readonly failed: boolean;
  readonly hasData: boolean;
  readonly hasUndo: boolean;
  /** Connected at least once. */
  readonly valid: boolean;
}

/** Sums over all unspent outputs, for gettxoutsetinfo. */
export interface CoinsStats {
  readonly height: number;
  /** Internal order. */
  readonly bestBlock: Uint8Array;
  /** Transactions with at least one unspent output. */
  readonly transactions: number;
  /** Unspent outputs. */
  readonly outputs: number;
  /** Core's measure: 32 + 4 + 4 + 8 + 2 + script length for each output. */
  readonly bogoSize: number;
  /** Core's hash_serialized_2 or hash_serialized_3, 32 bytes, internal order; null if not requested. */
  readonly hashSerialized: Uint8Array | null;
  /** MuHash of the set, 32 bytes, shown reversed; null if not requested. */
  readonly muhash: Uint8Array | null;
  /** Bytes the coins take in the database, estimated. */
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
