// What crosses between the node thread and the thread that serves Stratum V2 clients. Plain data, cloned; the bytes of
// transactions stay where the mempool wrote them, in shared memory.
import type { CoinbaseOutputConstraints } from '../codec/template-messages.js';

/** Where a template's transactions lie. Ranges of the mempool's memory are written once, so they stay true. */
export interface SharedTransactions {
  /** By number; holes where no transaction lies. */
  readonly segments: readonly (Uint8Array | undefined)[];
  /** One entry for each transaction in block order, without the coinbase: number of its segment, first byte, length. */
  readonly segmentOf: Int32Array;
  readonly offsets: Int32Array;
  readonly lengths: Int32Array;
}

/** A template as clients are told of it, and what a block on it is made of. */
export interface ServedTemplate {
  /** Names it between the threads; what clients are told is the serving thread's. */
  readonly serial: number;
  readonly height: number;
  /** NewTemplate with future_template = 0 and a template_id of zeros. */
  readonly payload: Uint8Array;
  /** full: with what the mempool gives. empty: without transactions, though there may be some. */
  readonly kind: 'full' | 'empty';
  /** 32 bytes each, from the coinbase up. */
  readonly branch: readonly Uint8Array[];
  readonly transactions: SharedTransactions;
}

/** The block to build on. */
export interface ServedTip {
  readonly prevHash: Uint8Array;
  readonly height: number;
  /**
   * SetNewPrevHash's start of the clock, seconds since 1970: the node's time when the tip came, after the median of the
   * blocks before.
   */
  readonly headerTimestamp: number;
  readonly bits: number;
  readonly target: bigint;
  /**
   * When the node accepted the block, milliseconds since 1970 with fractions; null when no block came, as at the start.
   */
  readonly acceptedMs: number | null;
}

/** What a coinbase keeps free: clients with equal reserves share templates. */
export interface Reserve {
  /** Weight of header and coinbase. */
  readonly weight: number;
  /** Sigop cost of the coinbase. */
  readonly sigops: number;
}

export const reserveKey = ({ weight, sigops }: Reserve): string => `${weight}/${sigops}`;

/** To the serving thread. */
export type ToServe =
  /**
   * A new tip: every client gets SetNewPrevHash for the template without transactions that is named, and that template
   * first if it does not hold it. `template` is given when no client can hold it.
   */
  | { readonly kind: 'tip'; readonly tip: ServedTip; readonly activate: number; readonly template: ServedTemplate | null }
  /** A template of the tip for the clients of these reserves. */
  | { readonly kind: 'template'; readonly template: ServedTemplate; readonly keys: readonly string[] }
  /** An earlier template of the tip serves these reserves too. */
  | { readonly kind: 'share'; readonly serial: number; readonly keys: readonly string[] }
  /** For the height after the next, without transactions. */
  | { readonly kind: 'stage'; readonly template: ServedTemplate }
  /** Templates are held back: initial download. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'clients'; readonly question: number }
  | { readonly kind: 'close' };

/**
 * accepted: in the best chain. duplicate: it was there before. lost: another block came before it. invalid: it breaks a
 * rule. fault: it could not be judged yet, and is submitted again at the next start, or when its parent comes.
 */
export type SolutionOutcome = 'accepted' | 'duplicate' | 'lost' | 'invalid' | 'fault';

/** A client as getsv2info shows it. */
export interface ClientInfo {
  readonly id: number;
  readonly address: string;
  readonly vendor: string;
  readonly firmware: string;
  readonly connectedMs: number;
  readonly constraints: CoinbaseOutputConstraints | null;
  readonly templatesSent: number;
  readonly solutions: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/** To the node thread. */
export type FromServe =
  | { readonly kind: 'listening'; readonly addresses: readonly { readonly host: string; readonly port: number }[] }
  | { readonly kind: 'failed'; readonly text: string }
  /** Reserves that clients need; the whole list each time it changes. */
  | { readonly kind: 'needs'; readonly reserves: readonly Reserve[] }
  /** A block with proof of work, written to `file` already. */
  | {
      readonly kind: 'solution';
      readonly hashHex: string;
      readonly block: Uint8Array;
      readonly file: string;
      readonly client: number;
      /** Of the client, without its port. */
      readonly address: string;
      readonly templateId: bigint;
      /** Of the block. */
      readonly height: number;
      /** It builds on the tip before. */
      readonly late: boolean;
    }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn' | 'error' | 'debug'; readonly text: string }
  | { readonly kind: 'clients'; readonly question: number; readonly clients: readonly ClientInfo[] };

/** What the thread is started with. */
export interface ServeOptions {
  readonly binds: readonly { readonly host: string; readonly port: number }[];
  /** Connections from one address of another machine. */
  readonly perAddress: number;
  /** 32 bytes; the thread signs its own certificates. */
  readonly authoritySecret: Uint8Array;
  /** Folder of submitted blocks; empty: what hears of them stores them elsewhere. */
  readonly solutionsDir: string;
  /** -blockmaxweight, and the reserve that templates keep at least. */
  readonly maxWeight: number;
  readonly leastReserve: Reserve;
  readonly counters: SharedArrayBuffer;
  /** Largest target of the chain. */
  readonly powLimit: bigint;
}
