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
  tx: {
    flag: 'txindex',
    type: 'bool',
    default: false,
    help: 'Keep an index of all transactions, for getrawtransaction (default: {default})',
  },
  spenders: {
    flag: 'txospenderindex',
    type: 'bool',
    default: false,
    help: 'Keep an index of what spends each output, for gettxspendingprevout (default: {default})',
  },
  coinStats: {
    flag: 'coinstatsindex',
    type: 'bool',
    default: false,
    help: 'Keep figures of all coins after every block, for gettxoutsetinfo (default: {default})',
  },
} as const;
