// The part of a wallet that the event queue and the reassessment use.
import type { Crypto } from '../crypto/crypto.js';
import type { Ledger } from './coins/ledger.js';
import { TX_STATE, type TxPlace } from './coins/tx-table.js';
import type { ChainPosition } from './follow/chain-position.js';
import type { WalletScans } from './follow/wallet-scans.js';
import type { DescriptorKeys } from './keys/descriptor-keys.js';
import type { KeySource } from './keys/key-source.js';
import type { WalletLock } from './lock.js';
import type { BlockFacts } from './node-client.js';
import type { WalletOptions } from './options.js';
import type { WalletBatch } from './storage/wallet-batch.js';
import type { WalletStorage } from './storage/wallet-storage.js';

/** Returns the place of a transaction that a block confirms. @param position in the block */
export function placeIn(node: BlockFacts, position: number): TxPlace {
  return { state: TX_STATE.CONFIRMED, height: node.height, blockHash: node.hash, blockTime: node.time, position };
}

/**
 * Returns a function that gives the place of a transaction found by a scan. With the option laterRecords, a new record
 * shows the time of its block instead of the time of the scan.
 */
export const scannedPlace =
  ({ laterRecords }: WalletOptions) =>
  (node: BlockFacts, position: number): TxPlace =>
    laterRecords ? { ...placeIn(node, position), shownTime: node.maxTime } : placeIn(node, position);

/** Members of a wallet that the event queue and the reassessment use. wallet.ts documents them. */
export interface WalletState {
  readonly tip: BlockFacts | null;
  readonly position: ChainPosition;
  readonly scans: WalletScans;
  readonly ledger: Ledger;
  readonly keys: KeySource;
  readonly descriptors: DescriptorKeys | null;
  readonly access: WalletLock;
  readonly storage: WalletStorage;
  readonly closed: boolean;
  readonly parts: { readonly options: WalletOptions; readonly crypto: Crypto };
  change<T>(work: (batch: WalletBatch) => T, sync?: boolean): Promise<T>;
  commit(batch: WalletBatch, sync?: boolean): Promise<void>;
}
