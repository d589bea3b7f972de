// Options of the indexes.

/** Switches; all are off by default. */
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

/** The options for operators. */
export const INDEX_ROWS = {
  tx: ['txindex', 'bool', 'Maintain an index of all transactions, for getrawtransaction', false],
  spenders: ['txospenderindex', 'bool', 'Maintain an index of the transactions that spend each output, for gettxspendingprevout', false],
  coinStats: ['coinstatsindex', 'bool', 'Maintain statistics of all coins for every block, for gettxoutsetinfo', false],
  filters: [
    'blockfilterindex',
    'list',
    'Maintain an index of block filters (BIP-0158), for getblockfilter: basic, 1 for all types, 0 for none (default: 0)',
  ],
} as const;
