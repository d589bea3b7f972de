// The chain as methods use it. Hashes are 32 bytes in internal order, amounts are satoshis, times are seconds.

import type { BlockReader } from '../../chain/block-reader.js';
import type { ChainCommands } from '../../chain/chain-commands.js';
import type { ChainEventSource } from '../../chain/chain-events.js';
import type { ChainView } from '../../chain/chain-view.js';
import type { CoinReader } from '../../chain/coins/coin-reader.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { CoinJobs } from '../reads/coin-job.js';
import type { ScanJobs } from '../reads/scan-job.js';

/** A header of the header tree. */
export type { HeaderNode as HeaderInfo } from '../../chain/tree/header-node.js';

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
