// State that the steps of a chain share. Each chain has one workspace. Only steps that run in the chain's queue change
// it.

import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { VersionBitsCache } from '../../consensus/rules/versionbits.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Clock } from '../../lib/clock.js';
import type { ListenerGuard } from '../../lib/listener-guard.js';
import type { Logger } from '../../log/logger.js';
import type { BlockHasher } from '../../parallel/block-hasher.js';
import type { Verifier } from '../../parallel/verifier.js';
import type { CoinSpace } from '../../storage/layout.js';
import type { Store } from '../../storage/store.js';
import type { CoinsCache } from '../coins/coins-cache.js';
import type { ReadGate } from '../coins/read-gate.js';
import type { BlockStorage } from '../files/block-storage.js';
import type { ChainOptions } from '../options.js';
import type { ActiveChain } from '../tree/active-chain.js';
import type { BlockIndex } from '../tree/block-index.js';
import type { ScriptsLog } from './scripts-log.js';

/** Returns the minimum chain work: -minimumchainwork, or the value of the network. */
export function minimumChainWork({ options, params }: ChainWorkspace): bigint {
  return options.minimumChainWork ?? params.minimumChainWork;
}

export interface ChainWorkspace {
  readonly params: ChainParams;
  readonly options: ChainOptions;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly log: Logger;
  /** Runs the listeners of the chain. */
  readonly guard: ListenerGuard;
  readonly verifier: Verifier;
  readonly blockHasher: BlockHasher | undefined;
  readonly store: Store;
  /** Keys of the coins in the database. A loaded snapshot switches to another set. */
  space: CoinSpace;
  readonly blocks: BlockStorage;
  readonly index: BlockIndex;
  readonly active: ActiveChain;
  readonly coins: CoinsCache;
  /** Closed while the download engine changes coins in the database. */
  readonly coinsGate: ReadGate;
  readonly versionBits: VersionBitsCache;
  /** True for the history below a snapshot, which is validated in the background. */
  readonly isHistory: boolean;
  readonly scriptsLog: ScriptsLog;
  /**
   * Number of rollback rows that a killed earlier run has left. The files with the blocks of these rows may not be
   * synced. Set when the chain opens.
   */
  leftRollbacks: number;
  /** Returns whether the node is stopping. */
  readonly stopping: () => boolean;
  readonly observe: (name: string, seconds: number) => void;
}
