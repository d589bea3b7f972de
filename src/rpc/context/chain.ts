// The chain as methods use it. Hashes are 32 bytes in internal order, amounts are satoshis, times are seconds.

import type { BlockReader, ChainCommands, ChainEventSource, ChainView, CoinReader } from '../../chain/index.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { CoinJobs } from '../reads/coin-job.js';
import type { ScanJobs } from '../reads/scan-job.js';

/** A header of the header tree. */
export type { HeaderNode as HeaderInfo } from '../../chain/index.js';

/** Chain part of NodeContext. */
export interface ChainContext {
  readonly params: ChainParams;
  /** The header tree and the active chain. */
  readonly chain: ChainView;
  /** Stored blocks. */
  readonly blocks: BlockReader;
  /** Coins at the tip. */
  readonly coins: CoinReader;
  /** Every way to change the chain. */
  readonly commands: ChainCommands;
  readonly events: ChainEventSource;
  /** Runs jobs over all coins. */
  readonly coinJobs: CoinJobs;
  readonly scanJobs: ScanJobs;
}
