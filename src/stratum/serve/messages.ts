// Messages between the node thread and the thread that serves Stratum V1 miners, besides mining/messages.ts.
import type { FoundBlock, LogLine, Reserve, WorkNews } from '../../mining/index.js';
import type { Answer, Order, Start } from '../../mining/serve/index.js';
import type { WorkerPage, WorkerQuery } from '../statistics/worker-page.js';
import type { ChangedRow } from '../statistics/worker-table.js';
import type { NamedNetwork } from '../work/payouts.js';

/** Messages to the serving thread. */
export type ToStratum =
  | WorkNews
  | Order<WorkerQuery>
  /** Messages of shares of so many bytes were taken. */
  | { readonly kind: 'taken'; readonly bytes: number };

/** Messages to the node thread. */
export type FromStratum =
  | Start
  /** Reserve of the templates that the thread needs. Empty without miners, so that the node builds no templates for them. */
  | { readonly kind: 'needs'; readonly reserves: readonly Reserve[] }
  | FoundBlock
  | LogLine
  /** Rows of workers to write into the database. */
  | { readonly kind: 'rows'; readonly rows: readonly ChangedRow[] }
  /** Records of shares for programs outside (share-stream.ts). */
  | { readonly kind: 'shares'; readonly bytes: Uint8Array; readonly records: number }
  | Answer<WorkerPage>;

/** An address to listen on. */
export interface StratumBind {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** Values of STRATUM_WORK_ROWS. */
export interface WorkOptions {
  readonly payoutAddress: string | undefined;
  readonly fee: string | undefined;
  readonly tag: string;
  readonly startDifficulty: number;
  readonly leastDifficulty: number;
  readonly mostDifficulty: number;
  readonly sharesPerMinute: number;
  readonly versionMask: string;
}

export interface StratumOptions {
  readonly binds: readonly StratumBind[];
  /** PEM texts; null without TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly most: number;
  readonly perAddress: number;
  /** Shares per second that are read from one connection. */
  readonly sharesPerSecond: number;
  readonly work: WorkOptions;
  readonly network: NamedNetwork;
  readonly otherNetworks: readonly NamedNetwork[];
  /** First byte of every extranonce1: the number of the front; 0 if a node serves the miners. */
  readonly front: number;
  /** Weight and sigop cost that templates keep free for header and coinbase. */
  readonly reserve: Reserve;
  /** Folder of found blocks; empty: found blocks are not written to files. */
  readonly solutionsDir: string;
  /** Maximum number of workers with statistics. */
  readonly mostWorkers: number;
  /** Rows of workers from earlier runs. */
  readonly workerRows: readonly (readonly [key: Uint8Array, row: Uint8Array])[];
  /** True if shares are posted for programs outside. */
  readonly streamsShares: boolean;
  readonly counters: SharedArrayBuffer;
}
