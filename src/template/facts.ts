// Facts of the current template with which a front can answer getblocktemplate alone. The template service publishes
// them, template/view reads them on the front threads. Plain data that is cloned between threads. The transactions are
// encoded once, into a shared slab.

/** A BIP-0009 deployment that is STARTED or LOCKED_IN for the block being built. */
export interface AvailableBit {
  /** Core's name of the deployment, without the `!` mark. */
  readonly name: string;
  readonly bit: number;
  /** True if a client that does not know the deployment may still mine the block with the bit set. */
  readonly gbtForce: boolean;
}

/** Additional facts of mode `live`. */
export interface LiveFacts {
  /** True if the template is returned only until the one with transactions is ready. */
  readonly empty: boolean;
  /** Increase of fees in satoshis at which long polls are answered. */
  readonly longPollDelta: number;
  /** Milliseconds after which a long poll is answered with any newer template. */
  readonly longPollIntervalMs: number;
  /** Name of the template if it is returned without its transactions. */
  readonly workId: string;
  /** Merkle branch of the coinbase, lowest sibling first, as hex in the byte order that is hashed. */
  readonly merkleBranchHex: readonly string[];
}

/** One published template: everything that a reply needs except the time, which advances with each call. */
export interface TemplateFacts {
  /** Number of the template's tip, as in the shared state. */
  readonly epoch: number;
  /** Facts of mode live; null in the other modes. */
  readonly live: LiveFacts | null;
  /**
   * Second half of longpollid, uint32. Core: counter of mempool updates, taken before the selection. Live: number of
   * the publication.
   */
  readonly counter: number;
  /** Mockable seconds at build. The template is fresh for 5 more whole seconds. */
  readonly builtAt: number;
  /** Header time at build. A reply's curtime is never earlier. */
  readonly time: number;
  /** Hash of the block to build on, display order. */
  readonly prevHashHex: string;
  readonly height: number;
  /** Signed 32-bit. The bits of every STARTED and LOCKED_IN deployment are set. */
  readonly version: number;
  /** Member `rules` of the reply: csv, !segwit, then active deployments. */
  readonly rules: readonly string[];
  /** Active deployments that a client must name in its rules (gbtForce false). */
  readonly requiredRules: readonly string[];
  readonly vbAvailable: readonly AvailableBit[];
  /** Value of the coinbase in satoshis: subsidy plus base fees. */
  readonly coinbaseValue: number;
  /** Earliest valid header time of the next block. */
  readonly minTime: number;
  /** Compact target of a block at `time`, unless minDifficulty applies. */
  readonly bits: number;
  /** On chains with minimum difficulty: a block later than `afterTime` has these bits instead. */
  readonly minDifficulty: { readonly afterTime: number; readonly bits: number } | null;
  readonly sigopLimit: number;
  readonly sizeLimit: number;
  /** Member `weightlimit` of the reply; null before segwit, where replies omit the member. */
  readonly weightLimit: number | null;
  /** Output script of the commitment; null on chains without segwit. */
  readonly commitmentHex: string | null;
  /** BIP-0325 challenge script, on signet only. */
  readonly signetChallengeHex: string | null;
  /** Slab that contains the JSON array of transactions; -1 for the empty array, which needs none. */
  readonly slabIndex: number;
  readonly transactionsOffset: number;
  readonly transactionsLength: number;
  /** Number of transactions without the coinbase. */
  readonly txCount: number;
  /** Block weight, including the reserve for header and coinbase. */
  readonly weight: number;
  /** Base fees in satoshis. */
  readonly fees: number;
}
