// Templates, Stratum V1 and V2, declared jobs, and the search for nonces, as methods use them.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { WorkerPage, WorkerQuery } from '../../stratum/index.js';
import type { TemplateRequest, TemplateService } from '../../template/index.js';
import type { RawBytes, RawJson } from '../wire/values.js';

/**
 * Templates for methods that build blocks, and for getblocktemplate calls that reach the node thread, for example in a
 * batch.
 */
export interface TemplateAccess {
  /** Returns the result of getblocktemplate. A long poll ends early when the signal is aborted. */
  getBlockTemplate(request: TemplateRequest, signal: AbortSignal | undefined): Promise<RawJson | RawBytes>;
  /**
   * Builds a block on the tip without proof of work, whose coinbase pays the script. `empty`: without transactions of
   * the mempool.
   */
  buildBlock(script: Uint8Array, options: { empty: boolean }): Promise<Uint8Array>;
  /** Returns the transactions of a light template, in block order; null if its workid is unknown or too old. */
  pinned(workId: string): readonly TxView[] | null;
  /**
   * Returns why a transaction is or is not in the template of the tip; null while there is no template.
   * @param txid internal order
   */
  verdict(txid: Uint8Array): ReturnType<TemplateService['verdict']>;
  /** Returns the facts of the next block without building a template. Time and target are current. */
  next(): ReturnType<TemplateService['next']>;
  /** Checks the coinbase of a submitted block, and warns the operator if the client's next blocks may be invalid. */
  coinbaseSubmitted(client: string, coinbase: TxView, height: number): void;
  /** Called when a client has submitted a block. @param hash display hex @param outcome `accepted` or the reject reason of BIP-0022 */
  blockSubmitted(client: string, hash: string, outcome: string): void;
  /** Lowest fee rate in templates, satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  /** Returns whether the order of every cluster of the mempool is known to be optimal. */
  isOptimal(): boolean;
  /**
   * Returns weight and number of transactions (without coinbase) of the last assembled block; null before the first.
   */
  lastAssembled(): { weight: number; transactions: number } | null;
}

/** The Stratum V2 template provider (node/sv2.ts). */
export interface Sv2Access {
  /** Public key of the authority, as pools write it. */
  readonly authorityKey: string;
  /** Addresses as `host:port`; empty before the server listens. */
  readonly addresses: readonly string[];
  /** Returns the figures of the serving thread. */
  figures(): Sv2Figures;
  /** Returns the outcomes of blocks that clients submitted. */
  solutions(): Readonly<Record<'accepted' | 'duplicate' | 'lost' | 'invalid' | 'fault' | 'resubmitted', number>>;
  clients(): Promise<readonly Sv2ClientInfo[]>;
}

/** Counters and gauges of the serving thread. sv2/serve/counters.ts has more of them. */
export type Sv2Figures = Readonly<
  Record<
    | 'connectionsOpen'
    | 'clientsOpen'
    | 'handshakes'
    | 'templatesEmpty'
    | 'templatesFull'
    | 'templatesStaged'
    | 'activated'
    | 'solutionsRead'
    | 'solutionsUnknown'
    | 'solutionsBad'
    | 'bytesSent'
    | 'bytesReceived',
    number
  >
>;

/** A client of the template provider. */
export interface Sv2ClientInfo {
  readonly id: number;
  readonly address: string;
  readonly vendor: string;
  readonly firmware: string;
  /** Time of the connection, milliseconds since 1970. */
  readonly connectedMs: number;
  readonly constraints: { readonly maxAdditionalSize: number; readonly maxAdditionalSigops: number } | null;
  readonly templatesSent: number;
  readonly solutions: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/** The Stratum V1 server (node/stratum.ts, node/front-stratum.ts). */
export interface StratumAccess {
  /** Addresses as `host:port`. */
  readonly addresses: readonly string[];
  /** Returns a page of workers; null while the serving thread is not running. */
  workers(query: WorkerQuery): Promise<WorkerPage | null>;
  /** Returns the figures of the serving thread, and outcomes of found blocks. */
  measures(): {
    readonly serving: Readonly<Record<'connectionsOpen' | 'minersOpen', number>>;
    readonly outcomes: Readonly<Record<'accepted' | 'duplicate' | 'lost' | 'invalid' | 'fault', number>>;
  };
}

/** Holds transactions of declared jobs for a limited time. */
export interface JobAccess {
  pin(name: string, txs: readonly TxView[], options: { readonly now: number; readonly seconds: number; readonly height: number }): number;
  get(wtxid: Uint8Array): TxView | undefined;
}

/** Searches nonces from 0 upwards on the threads of the verify pool (parallel/grinder.ts). */
export interface GrindAccess {
  grind(header: Uint8Array, target: bigint, options: { maxTries: number }): Promise<{ nonce: number | null }>;
}

/** Mining part of NodeContext. */
export interface MiningContext {
  readonly templates: TemplateAccess;
  /** Transactions of declared jobs (mempool/job-pins.ts). */
  readonly jobs: JobAccess;
  /** The Stratum V2 template provider; null without -sv2. */
  readonly sv2: Sv2Access | null;
  /** The Stratum V1 server; null without -stratum. */
  readonly stratum: StratumAccess | null;
  readonly grinder: GrindAccess;
}
