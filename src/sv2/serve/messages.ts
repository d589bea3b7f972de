// Messages between the node thread and the thread that serves Stratum V2 clients, besides those of mining/messages.ts.
import type { FoundBlock, LogLine, Reserve, WorkNews } from '../../mining/index.js';
import type { Answer, Order, Start } from '../../mining/serve/index.js';
import type { CoinbaseOutputConstraints } from '../codec/template-messages.js';

/** A message to the serving thread. */
export type ToServe = WorkNews | Order<'clients'>;

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

/** A message to the node thread. */
export type FromServe =
  | Start
  /** Reserves that clients need: the whole list, each time it changes. */
  | { readonly kind: 'needs'; readonly reserves: readonly Reserve[] }
  /** A block with proof of work. */
  | FoundBlock
  | LogLine
  | Answer<readonly ClientInfo[]>;

/** Data with which the thread is started. */
export interface ServeOptions {
  readonly binds: readonly { readonly host: string; readonly port: number }[];
  /** Maximum number of connections from one address of another machine. */
  readonly perAddress: number;
  /** The authority's private key, 32 bytes. The thread signs its own certificates. */
  readonly authoritySecret: Uint8Array;
  /** Folder of submitted blocks; empty if the receiver of the messages stores them elsewhere. */
  readonly solutionsDir: string;
  /** -blockmaxweight, and the least reserve of a template. */
  readonly maxWeight: number;
  readonly leastReserve: Reserve;
  readonly counters: SharedArrayBuffer;
  /** Highest target of the chain. */
  readonly powLimit: bigint;
}
