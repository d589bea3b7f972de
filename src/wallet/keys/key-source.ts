// Source of a wallet's scripts: legacy keys (HD seed, imports, watch-only) or descriptors. Code outside of keys/
// normally uses only this interface.

import type { SigningProvider } from '../../signing/index.js';
import type { BatchOp } from '../../storage/store.js';
import type { TableImage } from '../image/table-image.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Ownership } from './ownership.js';
import type { ScriptMetadata } from './script-metadata.js';

/** Address types. bech32m needs a descriptor wallet. */
export type AddressType = 'legacy' | 'p2sh-segwit' | 'bech32' | 'bech32m';

/** Result of requesting an address: a script, or the text of RPC error -12. */
export type AddressResult = { readonly script: Uint8Array } | { readonly error: string };

/** Result of filling pools. 'unable': nothing can be derived (locked, no seed). 'paused': there is more to derive. */
export type TopUp = 'full' | 'paused' | 'unable';

/**
 * Largest number of keys that one call for a new address, or one received payment, derives synchronously. fillPool
 * derives the others in slices.
 */
const SOME_KEYS = 100;
/** Returns a `shouldPause` function for topUp that stops after some keys. */
export function afterSomeKeys(): () => boolean {
  let left = SOME_KEYS;
  return () => --left <= 0;
}

/**
 * Position in the tables of a key source, from which newScripts continues. A cursor with only zeros is the beginning.
 */
export interface ScriptCursor {
  keys: number;
  programs: number;
  scripts: number;
  watched: number;
}

/** Scripts that a change affected, computed during the iteration. 'any': possibly every script; null: none. */
export type TouchedScripts = Iterable<Uint8Array> | 'any' | null;

/**
 * Interface of the keys of legacy wallets and of descriptor wallets. Reads are synchronous. Changes go into memory and
 * a batch at the same time.
 */
export interface KeySource {
  /** Returns the ownership of a script with one lookup, without deriving anything. */
  isMine(script: Uint8Array): Ownership;
  /** Returns the provider for a script (Core's CanProvide); undefined if the source knows nothing about it. */
  provider(script: Uint8Array): SigningProvider | undefined;
  metadata(script: Uint8Array): ScriptMetadata | undefined;
  /**
   * Records a payment to a script. The key of the script and all earlier keys leave the pool. Then the pool is topped
   * up by a limited number of keys (see `needsMoreKeys`).
   * @returns scripts of receiving addresses that were skipped, if the source can tell
   */
  markUsed(script: Uint8Array, batch: WalletBatch): readonly Uint8Array[];
  /**
   * True if markUsed derived its largest number of keys and more are missing. The caller must then call markUsed again
   * for the same outputs.
   */
  needsMoreKeys: boolean;
  canGiveAddresses(internal: boolean): boolean;
  /**
   * Derives keys until the pools are full.
   * @param size number of keys; 0: the option -keypool
   * @param shouldPause called after each key; true: stop here; absent: derive all at once
   * @param of numbers of the descriptors to fill; absent: all
   */
  topUp(size: number, batch: WalletBatch, shouldPause?: () => boolean, of?: ReadonlySet<number>): TopUp;
  newAddress(type: AddressType, internal: boolean, batch: WalletBatch): AddressResult;
  /**
   * Yields the output scripts that were added after a cursor, and moves the cursor. They include all scripts of the
   * wallet, and some that may belong to it later. Scans search for all of them; isMine decides about ownership.
   */
  newScripts(cursor: ScriptCursor): Generator<Uint8Array>;
  /** Returns whether newScripts would yield anything. */
  hasNewScripts(cursor: ScriptCursor): boolean;
  /** Returns the cursor at the end of the tables. */
  scriptCursor(): ScriptCursor;
  /**
   * Returns scripts whose ownership a change may have affected.
   * @param ops rows that the change wrote
   * @param before result of scriptCursor() before the change
   */
  touchedScripts(ops: readonly BatchOp[], before: ScriptCursor): TouchedScripts;
  /** Saves the tables to an image, or restores them from one. */
  transferImage(at: TableImage): void;
  /** Approximate number of scripts. */
  readonly scriptCount: number;
  /** Overwrites every private key in memory when the wallet is closed. */
  wipeSecrets(): void;
  /** Earliest time at which the wallet can have received a payment, seconds. */
  readonly birthSeconds: number;
}
