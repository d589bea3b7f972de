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
