// Which indexes a node keeps.

/** Plain switches; everything is off unless asked for. */
export interface IndexOptions {
  /** -txindex */
  readonly tx: boolean;
  /** -txospenderindex */
  readonly spenders: boolean;
  /** -coinstatsindex */
  readonly coinStats: boolean;
  /** -blockfilterindex=basic */
  readonly filters: boolean;
}

/** The switches. */
export const INDEX_ROWS = {
  tx: ['txindex', 'bool', 'Keep an index of all transactions, for getrawtransaction', false],
  spenders: ['txospenderindex', 'bool', 'Keep an index of what spends each output, for gettxspendingprevout', false],
  coinStats: ['coinstatsindex', 'bool', 'Keep figures of all coins after every block, for gettxoutsetinfo', false],
  filters: [
    'blockfilterindex',
    'list',
    'Keep block filters (BIP-0158), for getblockfilter: basic, 1 for all types, 0 for none (default: 0)',
  ],
} as const;
