// What a front must know of the current template to answer getblocktemplate alone. Published by the template service
// (service.ts), read by template/view on the front threads; plain data, cloned across the link. The transactions
// themselves stay in a shared slab, encoded once.

/** A BIP-0009 deployment that is STARTED or LOCKED_IN for the block being built. */
export interface AvailableBit {
  /** Core's name of the deployment, without the `!` mark. */
  readonly name: string;
  readonly bit: number;
  /** Whether a client that has not heard of it may still mine the block with the bit set. */
  readonly gbtForce: boolean;
}

/** What mode `live` adds to a template. */
export interface LiveFacts {
  /** Given out before the one with transactions is ready. */
  readonly empty: boolean;
  /** Satoshis of fees more at which long polls go on. */
  readonly longPollDelta: number;
  /** Milliseconds after which a long poll goes on with any newer template. */
  readonly longPollIntervalMs: number;
  /** Names the template when it is given without its transactions. */
  readonly workId: string;
  /** Siblings from the coinbase up, hex in the order of bytes that are hashed. */
  readonly merkleBranchHex: readonly string[];
}

/** One published template. Everything a reply needs except the time, which moves on with each call. */
export interface TemplateFacts {
  /** Number of the tip this template belongs to, as in the shared state. */
  readonly epoch: number;
  /** Mode live; null in mode core. */
  readonly live: LiveFacts | null;
  /**
   * Second half of longpollid, uint32. Core: transactions-updated counter taken before assembly; live: number of the
   * publication.
   */
  readonly counter: number;
  /** Mockable seconds at build; the template is fresh for 5 more whole seconds. */
  readonly builtAt: number;
  /** Header time given at build; a reply's curtime never lies before it. */
  readonly time: number;
  /** Hash of the block to build on, display order. */
  readonly prevHashHex: string;
  readonly height: number;
  /** Signed 32-bit; bits of every STARTED and LOCKED_IN deployment are set. */
  readonly version: number;
  /** As printed: csv, !segwit, then active deployments. */
  readonly rules: readonly string[];
  /** Active deployments that a client must name in its rules (gbtForce false). */
  readonly requiredRules: readonly string[];
  readonly vbAvailable: readonly AvailableBit[];
  /** Satoshis: subsidy and base fees. */
  readonly coinbaseValue: number;
  /** Smallest header time the next block may carry. */
  readonly minTime: number;
  /** Compact target for a block at `time`, unless minDifficulty says otherwise. */
  readonly bits: number;
  /** Min-difficulty chains: a block later than `afterTime` has these bits instead. */
  readonly minDifficulty: { readonly afterTime: number; readonly bits: number } | null;
  readonly sigopLimit: number;
  readonly sizeLimit: number;
  /** null before segwit: the key is then left out. */
  readonly weightLimit: number | null;
  /** Commitment output script; null on chains without segwit. */
  readonly commitmentHex: string | null;
  /** BIP-0325 challenge script, on signet only. */
  readonly signetChallengeHex: string | null;
  /** Slab of the ring that holds the JSON array of transactions; -1 for the empty array, which needs none. */
  readonly slabIndex: number;
  readonly transactionsOffset: number;
  readonly transactionsLength: number;
  /** Transactions without the coinbase. */
  readonly txCount: number;
  /** Block weight including the part reserved for header and coinbase. */
  readonly weight: number;
  /** Base fees in satoshis. */
  readonly fees: number;
}
