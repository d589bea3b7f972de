// Where a wallet's scripts come from: legacy keys (HD seed, imports, watch-only) or descriptors. The rest of the wallet
// knows only this.

import type { SigningProvider } from '../../signing/signing-provider.js';
import type { BatchOp } from '../../storage/store.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Ownership } from './ownership.js';
import type { ScriptMetadata } from './script-metadata.js';

/** Kinds of addresses a wallet gives out; tr comes with later descriptor wallets. */
export type AddressType = 'legacy' | 'p2sh-segwit' | 'bech32' | 'bech32m';

/** An answer of a source that gives out addresses: a script, or the text of RPC error -12. */
export type AddressResult = { readonly script: Uint8Array } | { readonly error: string };

/**
 * What became of filling pools: nothing can be made (locked, no seed) in 'unable', and there is more to make in
 * 'paused'.
 */
export type TopUp = 'full' | 'paused' | 'unable';

/** Keys that giving out an address, or a payment, makes at most: what fills pools in slices makes the rest. */
const SOME_KEYS = 100;
/** For topUp: true once some keys were made. */
export function afterSomeKeys(): () => boolean {
  let left = SOME_KEYS;
  return () => --left <= 0;
}

/** How far newScripts came in a source's tables; starts as all zeros. */
export interface ScriptCursor {
  keys: number;
  programs: number;
  scripts: number;
  watched: number;
}

/** Scripts, found as they are asked for; 'any': it is not known which; null: none. */
export type TouchedScripts = Iterable<Uint8Array> | 'any' | null;

/** One model for both kinds of wallets. Reads are synchronous; changes go into memory and a batch at once. */
export interface KeySource {
  /** One look-up: nothing is derived and no other script is visited. */
  isMine(script: Uint8Array): Ownership;
  /** Whether anything may be said about a script (Core's CanProvide); the answers to give are the provider's. */
  provider(script: Uint8Array): SigningProvider | undefined;
  metadata(script: Uint8Array): ScriptMetadata | undefined;
  /**
   * An output paid to this script: keys up to it leave the pool, the pool is topped up; with some keys at most, see
   * `isShort`.
   * @returns scripts of receiving addresses that leave it so, where the source can tell
   */
  markUsed(script: Uint8Array, batch: WalletBatch): readonly Uint8Array[];
  /** Set by markUsed when more keys are missing than it made: it is to be called again for the same outputs. */
  needsMoreKeys: boolean;
  canGiveAddresses(internal: boolean): boolean;
  /**
   * Fills pools.
   * @param size 0: the option's
   * @param shouldPause asked after each key: true where this may stop; absent: all at once
   * @param of numbers of descriptors, where only these are to be filled
   */
  topUp(size: number, batch: WalletBatch, shouldPause?: () => boolean, of?: ReadonlySet<number>): TopUp;
  newAddress(type: AddressType, internal: boolean, batch: WalletBatch): AddressResult;
  /**
   * Output scripts that may be ours and came after a cursor, which moves along: all that are, and some that may become
   * so. What scans look for; isMine decides.
   */
  newScripts(cursor: ScriptCursor): Generator<Uint8Array>;
  /** Whether newScripts would give anything. */
  hasNewScripts(cursor: ScriptCursor): boolean;
  /** Where newScripts will have come to. */
  scriptCursor(): ScriptCursor;
  /**
   * Scripts of which a change may have decided anew whose they are.
   * @param ops what it wrote
   * @param before scriptCursor at its beginning
   */
  touchedScripts(ops: readonly BatchOp[], before: ScriptCursor): TouchedScripts;
  /** Scripts in all, roughly. */
  readonly scriptCount: number;
  /** Overwrites every private key in memory: the wallet is closed. */
  wipeSecrets(): void;
  /** Earliest time from which blocks matter, seconds. */
  readonly birthSeconds: number;
}
