// Messages between the node thread and a thread that serves miners. Plain data, cloned by postMessage. The bytes of
// transactions stay where the mempool wrote them, in shared memory.

/** Places of a template's transactions in the mempool's memory. A range of that memory is written once, so places stay valid. */
export interface SharedTransactions {
  /** Segments of the mempool's memory by number; undefined for segments without a transaction of the template. */
  readonly segments: readonly (Uint8Array | undefined)[];
  /** One entry for each transaction in block order, without the coinbase: number of its segment, first byte, length. */
  readonly segmentOf: Int32Array;
  readonly offsets: Int32Array;
  readonly lengths: Int32Array;
}

/** Fields of a block that do not depend on its parent's hash. */
export interface ServedBlock {
  readonly height: number;
  readonly version: number;
  /** Satoshis that the coinbase may pay: subsidy and fees. */
  readonly value: number;
  /** Output script with the witness commitment; null before segwit. */
  readonly commitment: Uint8Array | null;
}

/** A template: the fields that a miner needs, and the places of the transactions. */
export interface ServedTemplate extends ServedBlock {
  /** Names the template between the threads. Clients see another id. */
  readonly serial: number;
  /** full: with transactions of the mempool. empty: without transactions, though the mempool may have some. */
  readonly kind: 'full' | 'empty';
  /** Merkle branch of the coinbase: hashes of 32 bytes, from the leaf up. */
  readonly branch: readonly Uint8Array[];
  readonly transactions: SharedTransactions;
}

/** The block to build on. */
export interface ServedTip {
  readonly prevHash: Uint8Array;
  readonly height: number;
  /** Header time to start with, seconds since 1970: the node's clock when the tip came, but at least `minTime`. */
  readonly headerTimestamp: number;
  /** Lowest header time: one second more than the median time of the blocks before (BIP-0113). */
  readonly minTime: number;
  readonly bits: number;
  readonly target: bigint;
  /**
   * Time at which the node accepted the block, milliseconds since 1970 with fractions; null if no block came, as at the
   * start.
   */
  readonly acceptedMs: number | null;
}

/** Weight and sigops that a template leaves free for the coinbase. Clients with equal reserves share templates. */
export interface Reserve {
  /** Weight of header and coinbase. */
  readonly weight: number;
  /** Sigop cost of the coinbase. */
  readonly sigops: number;
}

/** Returns the key under which messages name a reserve. */
export const reserveKey = ({ weight, sigops }: Reserve): string => `${weight}/${sigops}`;

/** Work for miners, posted to a serving thread. */
export type WorkNews =
  /**
   * A new tip. Every client gets SetNewPrevHash for the empty template with the serial `activate`. A client that lacks
   * this template gets it first. `template` is null if the template was staged before.
   */
  | { readonly kind: 'tip'; readonly tip: ServedTip; readonly activate: number; readonly template: ServedTemplate | null }
  /** A template of the tip for the clients whose reserves have these keys. */
  | { readonly kind: 'template'; readonly template: ServedTemplate; readonly keys: readonly string[] }
  /** The template with this serial, which was posted earlier for the tip, now also serves the reserves with these keys. */
  | { readonly kind: 'share'; readonly serial: number; readonly keys: readonly string[] }
  /** A template without transactions for the height after the next (docs/decisions/0032-sv2-thread.md). */
  | { readonly kind: 'stage'; readonly template: ServedTemplate }
  /** Clients get no templates, because the initial block download runs. */
  | { readonly kind: 'hold' };

/**
 * Result of submitting a found block. accepted: the block is in the best chain. duplicate: it was in the best chain
 * before. lost: another block came before it. invalid: it breaks a rule. fault: it could not be checked yet; it is
 * submitted again at the next start, or when its parent arrives.
 */
export type SolutionOutcome = 'accepted' | 'duplicate' | 'lost' | 'invalid' | 'fault';

/** A block with proof of work that a miner submitted, posted to the node thread. */
export interface FoundBlock {
  readonly kind: 'solution';
  readonly hashHex: string;
  readonly block: Uint8Array;
  /** The file that already holds the block; empty if it could not be written, or if the process has no folder for it. */
  readonly file: string;
  /** Name of the miner in the log and on the status page, such as `client 3`. */
  readonly finder: string;
  /** IP address of the miner, without its port. */
  readonly address: string;
  readonly height: number;
  /** True if the block builds on the tip before the current one. */
  readonly late: boolean;
}

/** A line for the node's log, posted to the node thread. */
export interface LogLine {
  readonly kind: 'log';
  readonly level: 'info' | 'warn' | 'error' | 'debug';
  readonly text: string;
}
