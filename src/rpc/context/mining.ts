// What methods need of templates, Stratum V2, declared jobs and the search for nonces.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { TemplateService } from '../../template/service.js';
import type { TemplateRequest } from '../front/template-request.js';
import type { RawBytes, RawJson } from '../wire/values.js';

/**
 * Templates for the methods that build blocks, and for getblocktemplate calls that reach the node thread in a batch.
 */
export interface TemplateAccess {
  /** A getblocktemplate reply's result; long polls end early when the signal fires. */
  getBlockTemplate(request: TemplateRequest, signal: AbortSignal | undefined): Promise<RawJson | RawBytes>;
  /** A whole block on the tip without proof of work, its coinbase paying the script; `empty` leaves the pool out. */
  buildBlock(script: Uint8Array, options: { empty: boolean }): Promise<Uint8Array>;
  /**
   * Transactions of a template that was given out without them, in block order; null when its workid is unknown or too
   * old.
   */
  pinned(workId: string): readonly TxView[] | null;
  /** Why a transaction (internal order) is or is not in the template of the tip; null while there is none. */
  verdict(txid: Uint8Array): ReturnType<TemplateService['verdict']>;
  /** The facts of the block after the tip, without a template; time and target as of now. */
  next(): ReturnType<TemplateService['next']>;
  /** A client brought a block with this coinbase: the operator is warned if its next ones may be invalid. */
  coinbaseSubmitted(client: string, coinbase: TxView, height: number): void;
  /** Called when a client has submitted a block. @param hash display hex @param outcome `accepted` or the reject reason of BIP-0022 */
  blockSubmitted(client: string, hash: string, outcome: string): void;
  /** Satoshis per 1,000 virtual bytes below which nothing enters a template. */
  readonly minFeeRate: number;
  /** Whether every cluster of the mempool is known to be in the best order there is. */
  isOptimal(): boolean;
  /** Weight and transaction count (without coinbase) of the last block assembled, null before the first. */
  lastAssembled(): { weight: number; transactions: number } | null;
}

/** The Stratum V2 template provider; node/sv2.ts. */
export interface Sv2Access {
  /** The authority's public key as pools write it. */
  readonly authorityKey: string;
  /** `host:port`, empty before it listens. */
  readonly addresses: readonly string[];
  /** What the serving thread counts. */
  figures(): Sv2Figures;
  /** What came of blocks that clients found. */
  solutions(): Readonly<Record<'accepted' | 'duplicate' | 'lost' | 'invalid' | 'fault' | 'resubmitted', number>>;
  clients(): Promise<readonly Sv2ClientInfo[]>;
}

/** Counters and gauges of the serving thread; sv2/serve/counters.ts has more of them. */
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

/** A client of the provider. */
export interface Sv2ClientInfo {
  readonly id: number;
  readonly address: string;
  readonly vendor: string;
  readonly firmware: string;
  /** Since 1970. */
  readonly connectedMs: number;
  readonly constraints: { readonly maxAdditionalSize: number; readonly maxAdditionalSigops: number } | null;
  readonly templatesSent: number;
  readonly solutions: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/** Holds transactions of declared jobs for a while. */
export interface JobAccess {
  pin(name: string, txs: readonly TxView[], options: { readonly now: number; readonly seconds: number; readonly height: number }): number;
  get(wtxid: Uint8Array): TxView | undefined;
}

/** Searches nonces from 0 in the pool; parallel/grinder.ts. */
export interface GrindAccess {
  grind(header: Uint8Array, target: bigint, options: { maxTries: number }): Promise<{ nonce: number | null }>;
}

/** Of templates and mining. */
export interface MiningContext {
  readonly templates: TemplateAccess;
  /** Transactions of declared jobs; mempool/job-pins.ts. */
  readonly jobs: JobAccess;
  /** Null without -sv2. */
  readonly sv2: Sv2Access | null;
  readonly grinder: GrindAccess;
}
